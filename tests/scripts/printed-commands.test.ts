import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { listFiles } from "../../scripts/gate/files.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { assertCommand } from "../support/printed-commands.ts";

// Commands that the sources print: each is a command of the program, none is spelled by hand.

/** Every place of the sources that prints a command: the file, and the template behind the name. */
function templates(): readonly (readonly [string, string])[] {
  const root = packageRoot();
  const own = ["scripts/shared/commands.ts", "scripts/shared/program.ts"]; // COMMAND stands for any
  return listFiles(root, ["lib", "adapters", "scripts"], [".ts"])
    .filter((path) => !own.includes(path))
    .flatMap((path) => {
      const source = readFileSync(join(root, path), "utf8");
      const printed = /\$\{(?:[\w.]+\.)?(?:cli|invocation\(\))\} ((?:[^`'"\n$]|\$\{[^}]*\})*)/g;
      return [...source.matchAll(printed)].map(([, rest = ""]) => [path, rest] as const);
    });
}

/** A word that a command takes where a template has a place of this name; any other is a tool. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([["name", "guide"], ["target", "android"]]);

test("every command that a message prints is one of the program's", async () => {
  const found = templates();
  assert.ok(found.length > 10, `found ${found.length}`);
  for (const [path, template] of found) {
    const filled = template
      .replaceAll(/\$\{([^}]*)\}/g, (_, place: string) => EXAMPLES.get(place) ?? "java");
    const words = filled.split(" && ")[0] ?? "";
    await assert.doesNotReject(assertCommand(words), `${path}: ${template}`);
  }
});

test("no message names a script, or spells a way to run it by itself", () => {
  const root = packageRoot();
  const spelled =
    /["'`][^"'`\n]*(?:\b(?:toolchain|start|mcp|demo|ota-[a-z-]+)\.ts [a-z-]|\b(?:ota-(?:publish|keygen|verify|history|rollback|prune)|npx slipway)\b)/;
  const files = listFiles(root, ["lib", "scripts"], [".ts"])
    .filter((path) => !/^scripts\/(?:gate|bench|replay)\//.test(path));
  for (const path of files) {
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    const wrong = lines.filter((line) =>
      spelled.test(line) && !/\b(?:import|from)\b|^\s*(?:\/\/|\*)/.test(line)
    );
    if (path === "scripts/shared/invocation.ts") continue;
    assert.deepEqual(wrong, [], path);
  }
});
