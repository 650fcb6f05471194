import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { DOUBLED_NAMES, LONG_FUNCTIONS } from "../../scripts/gate/exceptions.ts";
import { createExecutor } from "../../scripts/gate/exec.ts";
import lengths, { lengthsRule, MAX_LINES } from "../../scripts/gate/lengths.ts";
import { readModules } from "../../scripts/gate/modules.ts";
import { readDocs } from "../../scripts/gate/names.ts";
import { checkOwners } from "../../scripts/gate/owners.ts";
import { withTree } from "./temp-tree.ts";

const FILES: Readonly<Record<string, string>> = {
  "lib/a/values.ts":
    "export const once = 1;\nexport const twice = 1;\nexport const strayed = 1;\nconst own = 1; void own;",
  "lib/b/values.ts": "export function twice() {}\nconst own = 2; void own;\nexport default own;",
  "lib/a/types.ts": "export interface Twice {}\nexport interface Excepted {}\nexport default 1;",
  "lib/b/types.ts": "export type Twice = 1;\nexport class Excepted {}",
  "lib/a/mod.ts": 'export { once } from "./values.ts";\nexport * from "./types.ts";',
  "lib/c/values.ts": "export const strayed = 2;",
  "scripts/values.ts": "export const once = 2;",
};

test("checkOwners() finds each name that two files of lib define, and unneeded exceptions", async () => {
  const violations = await withTree(FILES, async (root) => {
    const context = { exec: createExecutor(1).exec, deno: process.execPath, root };
    const modules = await readModules(context, { root, paths: Object.keys(FILES) });
    const house = {
      modules,
      sources: new Map(),
      dependencies: [],
      devDependencies: [],
      entries: {},
    };
    const docs = await readDocs(context, house);
    const own = { below: "lib/a/", reason: "a reason" };
    const both = { ...own, below: "lib/" };
    return checkOwners(house, docs, root, { Excepted: both, once: both, strayed: own });
  });
  assert.deepEqual(violations.toSorted(), [
    "lib/a/types.ts: exports Twice, as lib/b/types.ts does: merge or rename them",
    "lib/a/values.ts: exports strayed, as lib/c/values.ts does: merge or rename them",
    "lib/a/values.ts: exports twice, as lib/b/values.ts does: merge or rename them",
    "scripts/gate/exceptions.ts: once is not defined twice: remove it from DOUBLED_NAMES",
  ]);
});

test("the exceptions have reasons, are of files that exist, and are few", () => {
  for (const { below, reason } of Object.values(DOUBLED_NAMES)) {
    assert.ok(existsSync(below) && reason !== "", below);
  }
  for (const { file, reason } of LONG_FUNCTIONS) assert.ok(existsSync(file) && reason !== "", file);
  assert.ok(Object.keys(DOUBLED_NAMES).length <= 7);
  assert.ok(LONG_FUNCTIONS.length <= 1);
});

const lint: unknown = Reflect.get(Reflect.get(globalThis, "Deno") ?? {}, "lint");
const runPlugin: unknown = typeof lint === "object" ? Reflect.get(lint ?? {}, "runPlugin") : null;
const skip = typeof runPlugin !== "function" && "only Deno lints";

const ruleOfOne = lengthsRule([{ file: "lib/long.ts", name: "excepted", reason: "a reason" }]);
const PLANTED = { name: "planted", rules: { lengths: ruleOfOne } };

function messagesOf(source: string, plugin: object = PLANTED): readonly string[] {
  assert.ok(typeof runPlugin === "function");
  const found: readonly { readonly message: string }[] = runPlugin(
    plugin,
    "/x/lib/long.ts",
    source,
  );
  return found.map(({ message }) => message);
}

/** A body that makes its function `lines` long. */
const body = (lines: number) => `{${"\n".repeat(lines - 1)}}`;
const EXCEPTED = `function excepted() ${body(MAX_LINES + 1)}\n`;

const LONG: readonly (readonly [string, string])[] = [
  ["a function", `function long() ${body(MAX_LINES + 1)}`],
  ["an arrow function", `const long = () => ${body(MAX_LINES + 1)};`],
  ["a method", `class A { long() ${body(MAX_LINES + 1)} }`],
  ["a member", `const a = { long: () => ${body(MAX_LINES + 1)} };`],
];
test("the plugin of lengths refuses functions of more than 120 lines", { skip }, () => {
  for (const [name, source] of LONG) {
    const found = messagesOf(source, lengths);
    assert.deepEqual(found, [`long has 121 lines, expected at most 120: divide it`], name);
    assert.deepEqual(messagesOf(source.replace("\n", ""), lengths), [], `shorter: ${name}`);
  }
});

test("the plugin of lengths refuses an exception that is no longer needed", { skip }, () => {
  assert.deepEqual(messagesOf(EXCEPTED), []);
  assert.deepEqual(messagesOf(EXCEPTED.replace("\n", "")), [
    "Found no excepted of more than 120 lines: remove it from LONG_FUNCTIONS of " +
    "scripts/gate/exceptions.ts",
  ]);
});
