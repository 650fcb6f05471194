import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExecOptions, Ran } from "../../scripts/gate/exec.ts";
import { COMPILED, isIn, ON_DISK } from "../../scripts/gate/plan.ts";
import { testFiles } from "../../scripts/gate/steps.ts";
import { runTestFiles } from "../../scripts/gate/test-files.ts";
import { UNOPTIMIZED } from "../../scripts/gate/unoptimized.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";
import { plantedContext } from "./planted-context.ts";
import { withTree } from "./temp-tree.ts";

const ENDED: Ran = {
  code: 0,
  stdout: "",
  output: "",
  timedOut: false,
  leftBehind: false,
  ms: 1,
};

const ROWS: readonly (readonly [
  file: string,
  runtime: "deno" | "node",
  inMemory: boolean,
  optimizes: boolean,
])[] = [
  ["tests/ota/a.test.ts", "deno", true, true],
  ["tests/contract/a.test.ts", "deno", true, true],
  ["tests/ota/a.test.ts", "node", true, false],
  ["tests/contract/a.test.ts", "node", false, false],
  ["tests/game/a.test.ts", "node", true, true],
];

for (const [file, runtime, inMemory, optimizes] of ROWS) {
  const place = inMemory ? "in memory" : "on the disk";
  test(`${file} under ${runtime} keeps temporary files ${place}`, () =>
    withTree({}, async (root) => {
      const calls: { words: readonly string[]; env: ExecOptions["env"] }[] = [];
      const context = plantedContext(root, {
        memory: "/memory",
        exec: (words, { env }) => {
          calls.push({ words, env });
          return Promise.resolve(ENDED);
        },
      });
      await runTestFiles(context, { runtime, files: [file], silenceMs: 1, env: {} });
      const [call] = calls;
      assert.equal(call?.env?.["TMPDIR"], inMemory ? "/memory" : undefined);
      assert.equal(call?.words.includes(UNOPTIMIZED), !optimizes);
    }));
}

test("each folder that runs in its own way under Node has tests", () => {
  const files = testFiles(packageRoot());
  for (const folder of [...ON_DISK, ...COMPILED]) {
    assert.ok(files.some((file) => isIn([folder], file)), folder);
  }
});
