import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withFolder } from "../support/folder.ts";
import { withoutPosixFiles } from "../support/needs.ts";
import { runScriptFile } from "../support/script.ts";

// Each script runs by its own path; under Node those that package.json has as bins are built.

const { bin }: { bin: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const SCRIPTS = "Deno" in globalThis
  ? readdirSync("scripts").filter((name) => name.endsWith(".ts")).map((name) => name.slice(0, -3))
  : Object.values(bin).map((path) => path.replace(/^dist\/scripts\/(.*)\.js$/, "$1"));

for (const name of SCRIPTS) {
  test(`scripts/${name} answers --help, run directly`, async () => {
    const { code, stdout, stderr } = await runScriptFile(name, ["--help"]);
    assert.equal(code, 0, stderr);
    assert.notEqual(stdout.trim(), "", "it printed nothing");
  });
}

test("every bin begins as a program of Node", () => {
  for (const path of Object.values(bin)) {
    const source = path.replace(/^dist\/(.*)\.js$/, "$1.ts");
    assert.ok(readFileSync(source, "utf8").startsWith("#!/usr/bin/env node\n"), source);
  }
});

for (
  const [script, args] of [["replay", ["--project", "lib/editor/sample"]], [
    "replay-vectors",
    [],
  ]] as const
) {
  test(
    `${script} of a FIFO says at once that it is not a file`,
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        const fifo = join(folder, "round.json");
        assert.equal(spawnSync("mkfifo", [fifo]).status, 0);
        const { code, stderr, stdout } = await runScriptFile(script, [fifo, ...args]);
        assert.notEqual(code, 0);
        assert.match(`${stderr}${stdout}`, /Cannot read .*round\.json.*FIFO/s);
      }),
  );
}
