import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { checkUnderDeno } from "../../scripts/gate/snippets.ts";
import { plantedContext } from "./planted-context.ts";
import { withTree } from "./temp-tree.ts";

test("README.md imports the package by its name on npm, and names the one on JSR", () => {
  const readme = readFileSync("README.md", "utf8");
  const npm: string = JSON.parse(readFileSync("package.json", "utf8")).name;
  const jsr: string = JSON.parse(readFileSync("deno.json", "utf8")).name;
  const imported = [...readme.matchAll(/^import .* from "([^"]+)";/gm)].map(([, from]) => from);
  assert.ok(imported.length > 0);
  for (const from of imported) assert.ok(from === npm || from?.startsWith(`${npm}/`), from);
  assert.ok(readme.includes(`"${jsr}/`));
});

const withoutDeno = !("Deno" in globalThis) && "only Deno checks types";
const TYPED = "export const ships: number = 1;\n";
const fence = (code: string) => ["```ts", code, "```", ""].join("\n");
const docstring = (code: string) =>
  `/**\n * Ships.\n *\n${fence(code).trim().replace(/^/gm, " * ")}\n */\n${TYPED}`;
const GOOD_SNIPPET = 'import { ships } from "slipway";\nconsole.log(ships + 1);';
const BAD_SNIPPET = 'import { ships } from "slipway";\nconsole.log(ships.length);';

for (
  const [name, page, source, found] of [
    ["passes snippets whose types are right", fence(GOOD_SNIPPET), docstring(GOOD_SNIPPET), false],
    ["finds a wrong type in a snippet of the README", fence(BAD_SNIPPET), TYPED, true],
    ["finds a wrong type in a snippet of a docstring", "", docstring(BAD_SNIPPET), true],
    ["finds a wrong type in a source", "", 'export const ships: number = "";\n', true],
  ] as const
) {
  test(`checkUnderDeno() ${name}`, { skip: withoutDeno }, () => {
    const tree = {
      "deno.json": '{ "exports": { ".": "./mod.ts" } }',
      "README.md": page,
      "mod.ts": source,
    };
    return withTree(tree, async (root) => {
      const { failed, output } = await checkUnderDeno(plantedContext(root), ["mod.ts"]);
      assert.equal(failed, found ? 1 : 0, output);
      if (found) assert.match(output, /TS\d+/);
    });
  });
}
