import assert from "node:assert/strict";
import { test } from "node:test";
import { readImports } from "../../scripts/gate/imports.ts";

const CASES: readonly (readonly [name: string, source: string, wanted: readonly unknown[]])[] = [
  ["named import", 'import { a } from "./a.ts";', ["./a.ts"]],
  ["type import", 'import type { A } from "./a.ts";', ["./a.ts"]],
  ["default and namespace", "import a, * as b from './a.ts';", ["./a.ts"]],
  ["side effect", 'import "./a.ts";', ["./a.ts"]],
  ["over several lines", 'import {\n  type A,\n  from,\n} from "./a.ts";', ["./a.ts"]],
  ["re-export", 'export { a } from "./a.ts"; export * from "./b.ts";', ["./a.ts", "./b.ts"]],
  ["type re-export", 'export type { A } from "./a.ts";', ["./a.ts"]],
  ["attributes", 'import a from "./a.json" with { type: "json" };', ["./a.json"]],
  ["dynamic", 'const a = await import("./a.ts");', ["./a.ts"]],
  ["dynamic with attributes", 'import("./a.json", { with: {} })', ["./a.json"]],
  ["dynamic, template without a hole", "import(`./a.ts`)", ["./a.ts"]],
  ["dynamic, computed", "import(name)", [null]],
  ["dynamic, concatenated", 'import("./a" + ".ts")', [null]],
  ["dynamic, template with a hole", "import(`./${name}.ts`)", [null]],
  ["import type in a type", 'let a: import("./a.ts").A;', ["./a.ts"]],
  ["inside a template hole", '`${await import("./a.ts")} import "./b.ts"`', ["./a.ts"]],
  ["nested templates", '`${`}${import("./a.ts")}`} from "./b.ts"`', ["./a.ts"]],
  ["reference path", '/// <reference path="./a.d.ts" />', ["./a.d.ts"]],
  ["reference lib", '/// <reference lib="deno.ns" />', ["lib:deno.ns"]],
  ["after a shebang", '#!/usr/bin/env node\nimport "./a.ts";', ["./a.ts"]],
  ["local export", 'export const from = "x"; const t = "./a.ts";', []],
  ["export list", 'export { a, b };\nconst from = "./a.ts";', []],
  ["line comment", '// import "./a.ts";', []],
  ["block comment", '/* import "./a.ts"; */', []],
  ["in a string", "const a = 'import \"./a.ts\"';", []],
  ["in a template", "const a = `import './a.ts';`;", []],
  ["in a regular expression", 'const a = /import "x"/; const b = /[/"]import "y"/;', []],
  ["after a division", 'const a = b / c; import "./a.ts"; const d = e / f;', ["./a.ts"]],
  ["after a quote in an expression", 'const q = /"/;\nimport "./a.ts";', ["./a.ts"]],
  ["import.meta", "const here = import.meta.url;", []],
  ["a member named import", 'a.import("./a.ts"); const b = { import: "./b.ts" };', []],
];

for (const [name, source, wanted] of CASES) {
  test(`readImports() ${name}`, () =>
    assert.deepEqual(readImports(source).map((one) => one.specifier), wanted));
}

test("readImports() gives the line of the import", () => {
  const source = '/* a\n b */\nimport {\n a,\n} from "./a.ts";\nimport "./b.ts";';
  assert.deepEqual(readImports(source).map((one) => one.line), [3, 6]);
});
