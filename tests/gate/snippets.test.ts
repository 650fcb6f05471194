import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

test("README.md imports the package by its name on npm, and names the one on JSR", () => {
  const readme = readFileSync("README.md", "utf8");
  const npm: string = JSON.parse(readFileSync("package.json", "utf8")).name;
  const jsr: string = JSON.parse(readFileSync("deno.json", "utf8")).name;
  const imported = [...readme.matchAll(/^import .* from "([^"]+)";/gm)].map(([, from]) => from);
  assert.ok(imported.length > 0);
  for (const from of imported) assert.ok(from === npm || from?.startsWith(`${npm}/`), from);
  assert.ok(readme.includes(`"${jsr}/`));
});
