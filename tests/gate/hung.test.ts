import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { pendingTests, SLOW_NOTE } from "../../scripts/gate/hung.ts";
import type { Outcome } from "../../scripts/gate/outcome.ts";
import { runTestFiles } from "../../scripts/gate/test-files.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { findNode } from "../support/needs.ts";
import { plantedContext } from "./planted-context.ts";
import { withTree } from "./temp-tree.ts";

// Test files of a checkout of their own, of which one hangs.

const node = findNode();

const GOOD = `import { test } from "node:test";
test("good", () => {});
`;
/** Its second test waits for ever, and a third one comes after it. */
const HANGS = `import { test } from "node:test";
test("first", () => {});
test("waits", (t) => t.test("for ever", () => new Promise((resolve) => setTimeout(resolve, 1e8))));
test("last", () => {});
`;
/** Its second test fails the first time. */
const FLAKY = `import { existsSync, writeFileSync } from "node:fs";
import { test } from "node:test";
test("steady", () => {});
test("once", (t) => t.test("in a while", () => {
  const isFirst = !existsSync("ran once");
  writeFileSync("ran once", "");
  if (isFirst) throw new Error("the first time");
}));
`;
const NAMED =
  /^tests\/planted\/hangs\.test\.ts \(\w+\) fell silent in "waits > for ever" and was killed after/;
/** Also the longest that a runtime may take to start here. */
const SILENCE_MS = 15_000;
const LOADED = ["scripts/gate/untracked.mjs", "scripts/gate/pending.mjs"];

/** Runs planted files as the gate does; each run leaves a line in the tree, and these are counted. */
function runPlanted(
  runtime: "deno" | "node",
  files: Readonly<Record<string, string>>,
): Promise<{ readonly outcome: Outcome; readonly runs: number }> {
  const paths = Object.keys(files).map((name) => `tests/planted/${name}.test.ts`);
  const placed = Object.values(files).map((text, at) => [
    runtime === "deno" ? paths[at] ?? "" : `dist/${paths[at]?.replace(/\.ts$/, ".js")}`,
    `import { appendFileSync } from "node:fs";\nappendFileSync("runs", "x");\n${text}`,
  ]);
  const tree = {
    ...Object.fromEntries(placed),
    ...Object.fromEntries(
      LOADED.map((path) => [path, readFileSync(join(packageRoot(), path), "utf8")]),
    ),
    "package.json": '{ "type": "module" }',
    "deno.json": "{}",
  };
  const programs = {
    deno: process.execPath,
    node: { path: node.path, version: "" },
  };
  return withTree(tree, async (root) => {
    const outcome = await runTestFiles(plantedContext(root, programs), {
      runtime,
      files: paths,
      silenceMs: SILENCE_MS,
      env: {},
      again: true,
    });
    return { outcome, runs: readFileSync(join(root, "runs"), "utf8").length };
  });
}

const RUNTIMES = [["deno", { skip: false }], ["node", node]] as const;

/** All runs, begun together: each waits for its silence. */
let begun: ReadonlyMap<string, ReturnType<typeof runPlanted>> | undefined;
function ranPlanted(name: string): ReturnType<typeof runPlanted> {
  begun ??= new Map(
    RUNTIMES.filter(([, { skip }]) => skip === false).flatMap(([runtime]) => [
      [`${runtime} alone`, runPlanted(runtime, { hangs: HANGS })],
      [
        `${runtime} together`,
        runPlanted(runtime, { flaky: FLAKY, good: GOOD, hangs: HANGS, more: GOOD }),
      ],
    ]),
  );
  return begun.get(name) ?? assert.fail(`nothing ran ${name}`);
}

for (const [runtime, { skip }] of RUNTIMES) {
  test(`a test that hangs is named under ${runtime}, and not run again`, { skip }, async () => {
    const { outcome, runs } = await ranPlanted(`${runtime} alone`);
    assert.equal(outcome.failed, 1, outcome.output);
    assert.match(outcome.failures[0] ?? "", NAMED);
    assert.deepEqual([outcome.flaky, outcome.skipped, runs], [[], [], 1]);
  });

  test(`only the others of a process that hangs run again under ${runtime}`, { skip }, async () => {
    const { outcome, runs } = await ranPlanted(`${runtime} together`);
    assert.equal(outcome.failed, 1, outcome.output);
    assert.match(outcome.failures[0] ?? "", NAMED);
    // Deno reports what passed before the hang, Node nothing.
    assert.deepEqual([outcome.passed, runs], [runtime === "deno" ? 4 : 3, 4 + 3]);
  });

  test(`what failed before another file hung is flaky under ${runtime}`, { skip }, async () => {
    const { outcome } = await ranPlanted(`${runtime} together`);
    assert.deepEqual(outcome.flaky, ["tests/planted/flaky.test.ts: once > in a while"]);
  });
}

test("pendingTests() reads what an interrupted runner says, built files as their sources", () => {
  const said = "SIGINT The following tests were pending:\n\n" +
    "a ... b => ./dist/tests/x.test.js:3:43\na => ./dist/tests/x.test.js:3:1\n";
  assert.deepEqual(pendingTests(`it ran\n${said}`), [
    { name: "a > b", file: "tests/x.test.ts" },
    { name: "a", file: "tests/x.test.ts" },
  ]);
  assert.deepEqual(pendingTests("a => ./tests/x.test.ts:3:1\n"), []);
});

test("SLOW_NOTE is what Deno says of a test that takes long, and nothing else", () => {
  const left = (text: string) => text.replace(SLOW_NOTE, "").trim();
  assert.equal(left("'a ... b' has been running for over (4m0s)\n"), "");
  assert.equal(left("  inner ...'a' has been running for over (1m0s)\n"), "");
  assert.equal(left("a ... ok (4m)\n"), "a ... ok (4m)");
});
