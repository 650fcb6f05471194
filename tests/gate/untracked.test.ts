import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Outcome } from "../../scripts/gate/outcome.ts";
import { runTestFiles } from "../../scripts/gate/test-files.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { findNode } from "../support/needs.ts";
import { plantedContext } from "./planted-context.ts";
import { withTree } from "./temp-tree.ts";

// Test files of a checkout of their own, under Node, with its hooks off and on.

const node = findNode();
const options = { skip: node.skip };
const LOADED = ["scripts/gate/untracked.mjs", "scripts/gate/pending.mjs"];
const GOOD = `import { test } from "node:test";
test("good", async () => { await null; });
`;
/** An error that reaches no promise, while its test runs. */
const STRAY = `import { test } from "node:test";
test("stray", async () => {
  await new Promise((resolve) => setTimeout(() => {
    setTimeout(resolve);
    throw new Error("nobody awaits this");
  }));
});
`;
const HOOKED = `import hooks from "node:async_hooks";
import { test } from "node:test";
let made = 0;
hooks.createHook({ init: () => made++ }).enable();
test("hooked", async () => { await null; if (made > 0) throw new Error(made + " followed"); });
`;

/** Runs planted test files as the gate runs files under Node. */
function runPlanted(
  files: Readonly<Record<string, string>>,
  settings: { readonly again?: boolean; readonly tracked?: boolean } = {},
): Promise<Outcome> {
  const built = Object.entries(files).map((
    [name, text],
  ) => [`dist/tests/planted/${name}.js`, text]);
  const tree = {
    ...Object.fromEntries(built),
    ...Object.fromEntries(
      LOADED.map((path) => [path, readFileSync(join(packageRoot(), path), "utf8")]),
    ),
    "package.json": '{ "type": "module" }',
  };
  const context = { node: { path: node.path, version: "" } };
  return withTree(tree, (root) =>
    runTestFiles(plantedContext(root, context), {
      runtime: "node",
      files: Object.keys(files).map((name) => `tests/planted/${name}.ts`),
      silenceMs: 60_000,
      env: {},
      ...settings,
    }));
}

test(
  "an error that reaches no promise fails its file by name, and its test when alone",
  options,
  async () => {
    const files = { "good.test": GOOD, "stray.test": STRAY };
    const { failed, failures, output } = await runPlanted(files);
    assert.deepEqual([failed, failures], [1, ["tests/planted/stray.test.ts (node): stray"]]);
    assert.match(output, /nobody awaits this/);
  },
);

test(
  "an error that reaches no promise fails a file that runs alone, and is told",
  options,
  async () => {
    const { failed, output } = await runPlanted({ "stray.test": STRAY }, { again: true });
    assert.equal(failed, 1);
    assert.match(output, /stray\.test\.ts \(node\), again and alone: stray$/m);
    assert.match(output, /nobody awaits this/);
  },
);

for (
  const [name, tracked, passed] of [
    ["nothing follows the promises of a test in the gate", false, 1],
    ["Node follows them where a file is asked for by name", true, 0],
  ] as const
) {
  test(name, options, async () => {
    assert.equal((await runPlanted({ "hooked.test": HOOKED }, { tracked })).passed, passed);
  });
}
