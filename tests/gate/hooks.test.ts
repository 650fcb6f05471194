import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import plugin from "../../scripts/gate/hooks.ts";
import { withFolder } from "../support/folder.ts";

const lint: unknown = Reflect.get(Reflect.get(globalThis, "Deno") ?? {}, "lint");
const runPlugin: unknown = typeof lint === "object" ? Reflect.get(lint ?? {}, "runPlugin") : null;
const skip = typeof runPlugin !== "function" && "only Deno lints";

function messagesOf(file: string, source: string): readonly string[] {
  assert.ok(typeof runPlugin === "function");
  const found: readonly { readonly message: string }[] = runPlugin(plugin, file, source);
  return found.map(({ message }) => message);
}

test("the plugin of hooks refuses after() of node:test, by whatever name", { skip }, () => {
  for (const name of ["after", "after as last", "test, after"]) {
    const source = `import { ${name} } from "node:test";\n`;
    assert.match(messagesOf("/x/tests/planted.test.ts", source)[0] ?? "", /afterTests\(\)/, name);
    assert.deepEqual(messagesOf("/x/tests/support/after-tests.ts", source), []);
  }
});

test("the plugin of hooks refuses other ways to after() of node:test", { skip }, () => {
  const sources = [
    'export { after } from "node:test";',
    'import { test } from "node:test"; test.after(() => 1);',
    'import * as runner from "node:test"; runner.after(() => 1);',
    'import runner from "node:test"; runner.after(() => 1);',
  ];
  for (const source of sources) {
    const found = messagesOf("/x/tests/planted.test.ts", source);
    assert.equal(found.length, 1, source);
    assert.match(found[0] ?? "", /after\(\)/, source);
  }
});

test("the plugin of hooks takes t.after() and what others call after", { skip }, () => {
  const sources = [
    'import { test } from "node:test"; test("a", (t) => t.after(() => 1));',
    'import { after } from "./after.ts"; after(() => 1);',
    'import { before } from "node:test"; before(() => 1);',
  ];
  for (const source of sources) {
    assert.deepEqual(messagesOf("/x/tests/planted.test.ts", source), [], source);
  }
});

const ENDS = {
  "all pass": 'test("one", () => {});',
  "one is skipped": 'test("one", () => {}); test("two", { skip: "why" }, () => {});',
  "all are skipped": 'test("one", { skip: "why" }, () => {});',
  "one fails": 'test("one", () => { throw new Error("fails"); });',
};
for (const [what, tests] of Object.entries(ENDS)) {
  test(`afterTests() runs at the end of a file in which ${what}`, () =>
    withFolder((folder) => {
      const isDeno = "Deno" in globalThis;
      const helper = new URL(`../support/after-tests.${isDeno ? "ts" : "js"}`, import.meta.url);
      const file = join(folder, "planted.test.mjs");
      writeFileSync(
        file,
        `import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { afterTests } from ${JSON.stringify(helper.href)};
afterTests(async () => {
  await Promise.resolve();
  writeFileSync(${JSON.stringify(join(folder, "ended"))}, "");
});
${tests}
`,
      );
      const words = isDeno ? ["test", "-A", "--no-check", file] : ["--test", file];
      const { NODE_TEST_CONTEXT: _own, ...env } = process.env;
      const { stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
      assert.ok(existsSync(join(folder, "ended")), stdout + stderr);
      return Promise.resolve();
    }));
}
