import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { createExecutor } from "../../scripts/gate/exec.ts";
import { checkNames, readDocs } from "../../scripts/gate/names.ts";
import { readModules } from "../../scripts/gate/modules.ts";
import { withTree } from "./temp-tree.ts";

// One house with a file a case: what of `a.ts` is used, and how.
const FILES: Readonly<Record<string, string>> = {
  "lib/by-name.ts": "export const used = 1;\nexport const unused = 2;",
  "lib/by-type.ts": "export interface Used {}\nexport interface Unused {}",
  "lib/renamed.ts": "export function used() {}\nexport function unused() {}",
  "lib/all.ts": "export const one = 1; export const two = 2;",
  "lib/later.ts": "export const one = 1;",
  "lib/passed-on.ts": "export const used = 1;\nexport class Unused {}",
  "lib/mentioned.ts": "export interface Options {}\nexport function used(_: Options): void {}",
  "lib/base.ts": "export class Base {}\nexport class Used extends Base {}",
  "lib/own.ts": "export const own = 1;\nexport const other = own;",
  "lib/inner/mod.ts": 'export { used } from "../passed-on.ts";\nexport { one } from "../later.ts";',
  "lib/mod.ts": 'export const free = 1; export { used } from "./inner/mod.ts";',
  "tests/user.test.ts": `import { used } from "../lib/by-name.ts";
import type { Used } from "../lib/by-type.ts";
import { used as another } from "../lib/renamed.ts";
import * as all from "../lib/all.ts";
import { used as third } from "../lib/mentioned.ts";
import { Used as Derived } from "../lib/base.ts";
import "zod";
await import("../lib/later.ts");`,
};

test("checkNames() finds each name that no other file imports or passes on, and no other", async () => {
  const violations = await withTree(FILES, async (root) => {
    const context = { exec: createExecutor(1).exec, deno: process.execPath, root };
    const house = {
      modules: await readModules(context, { root, paths: Object.keys(FILES) }),
      sources: new Map(),
      dependencies: [],
      devDependencies: [],
      entries: { ".": "lib/mod.ts" },
    };
    return checkNames(house, await readDocs(context, house), root);
  });
  assert.deepEqual(violations.toSorted(), [
    "lib/by-name.ts:2: exports unused, which no other file imports",
    "lib/by-type.ts:2: exports Unused, which no other file imports",
    "lib/inner/mod.ts:2: exports one, which no other file imports",
    "lib/own.ts:1: exports own, which no other file imports",
    "lib/own.ts:2: exports other, which no other file imports",
    "lib/passed-on.ts:2: exports Unused, which no other file imports",
    "lib/renamed.ts:2: exports unused, which no other file imports",
  ]);
});
