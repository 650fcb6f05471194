import assert from "node:assert/strict";
import { test } from "node:test";
import { buildHouses } from "./planted-houses.ts";

const CASES: readonly (readonly [name: string, source: string, expected: readonly string[]])[] = [
  ["named import", 'import { a } from "./a.ts";', ["load ./a.ts"]],
  ["type import", 'import type { A } from "./a.ts";', ["type ./a.ts"]],
  ["a type among names", 'import { type A } from "./a.ts";', ["load ./a.ts"]],
  ["default and namespace", "import a, * as b from './a.ts';", ["load ./a.ts"]],
  ["side effect", 'import "./a.ts";', ["load ./a.ts"]],
  ["over several lines", 'import {\n  type A,\n  from,\n} from "./a.ts";', ["load ./a.ts"]],
  ["re-export", 'export { a } from "./a.ts"; export * from "./b.ts";', [
    "load ./a.ts",
    "load ./b.ts",
  ]],
  ["type re-export", 'export type { A } from "./a.ts";', ["type ./a.ts"]],
  ["attributes", 'import a from "./a.json" with { type: "json" };', ["load ./a.json"]],
  ["dynamic", 'const a = await import("./a.ts");', ["later ./a.ts"]],
  ["dynamic with attributes", 'import("./a.json", { with: { type: "json" } })', ["later ./a.json"]],
  ["dynamic, template without a hole", "import(`./a.ts`)", ["later ./a.ts"]],
  ["dynamic, computed", "import(name)", []],
  ["dynamic and static", 'import("./a.ts"); import { a } from "./a.ts";', ["load ./a.ts"]],
  ["type and code", 'import type { A } from "./a.ts"; import { a } from "./a.ts";', [
    "load ./a.ts",
  ]],
  ["import type in a type", 'let a: import("./a.ts").A;', ["type ./a.ts"]],
  ["inside a template hole", '`${await import("./a.ts")} import "./b.ts"`', ["later ./a.ts"]],
  ["nested templates", '`${`}${import("./a.ts")}`} from "./b.ts"`', ["later ./a.ts"]],
  ["reference path", '/// <reference path="./a.d.ts" />', ["type ./a.d.ts"]],
  ["reference types", '/// <reference types="node" />', ["type node"]],
  ["after a shebang", '#!/usr/bin/env node\nimport "./a.ts";', ["load ./a.ts"]],
  ["packages and what a runtime has", 'import "zod/v4"; import "node:fs"; import "npm:zod@4";', [
    "load zod/v4",
    "load node:fs",
    "load npm:zod@4",
  ]],
  ["local export", 'export const from = "x"; const t = "./a.ts";', []],
  ["export list", 'export { a, b };\nconst from = "./a.ts", a = 1, b = 2;', []],
  ["line comment", '// import "./a.ts";', []],
  ["block comment", '/* import "./a.ts"; */', []],
  ["in a string", "const a = 'import \"./a.ts\"';", []],
  ["in a template", "const a = `import './a.ts';`;", []],
  ["in a regular expression", 'const a = /import "x"/; const b = /[/"]import "y"/;', []],
  ["after a division", 'const a = b / c; import "./a.ts"; const d = e / f;', ["load ./a.ts"]],
  ["after a quote in an expression", 'const q = /"/;\nimport "./a.ts";', ["load ./a.ts"]],
  ["import.meta", "const here = import.meta.url;", []],
  ["a member named import", 'a.import("./a.ts"); const b = { import: "./b.ts" };', []],
];

const LINES = '/* a\n b */\nimport {\n a,\n} from "./a.ts";\nimport "../b.ts";';
const houses = await buildHouses([
  ...CASES.map(([, source]) => ({ "lib/x.ts": source })),
  { "lib/x.ts": LINES },
  { "lib/x.mjs": 'import "./a.ts";' },
]);

for (const [i, [name, , expected]] of CASES.entries()) {
  test(`readModules() ${name}`, () =>
    assert.deepEqual(
      houses[i]?.modules.get("lib/x.ts")?.map((one) => `${one.when} ${one.specifier}`),
      expected,
    ));
}

test("readModules() gives the line and the file of the import", () =>
  assert.deepEqual(
    houses.at(-2)?.modules.get("lib/x.ts")?.map(({ line, target }) => [line, target]),
    [[5, "lib/a.ts"], [6, "b.ts"]],
  ));

test("readModules() reads a file of JavaScript", () =>
  assert.equal(houses.at(-1)?.modules.get("lib/x.mjs")?.[0]?.target, "lib/a.ts"));
