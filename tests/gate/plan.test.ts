import assert from "node:assert/strict";
import { test } from "node:test";
import { batches, type Extent, filesFor } from "../../scripts/gate/plan.ts";
import { testFiles } from "../../scripts/gate/steps.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";

const FILES = [
  "tests/contract/files.test.ts",
  "tests/core/ring.test.ts",
  "tests/engines/chromium.test.ts",
];
const ROWS: readonly (readonly [Extent, "deno" | "node", readonly number[]])[] = [
  ["quick", "deno", [0, 1]],
  ["quick", "node", [0]],
  ["all", "deno", [0, 1, 2]],
  ["all", "node", [0, 1]],
  ["soak", "deno", [0, 1, 2]],
];
for (const [extent, runtime, wanted] of ROWS) {
  test(`filesFor() a ${extent} run under ${runtime}`, () =>
    assert.deepEqual(filesFor(FILES, { extent, runtime }), wanted.map((i) => FILES[i])));
}

test("batches() puts every file of this checkout into exactly one process", () => {
  const files = testFiles(packageRoot());
  assert.deepEqual(batches(files).flatMap((batch) => batch.files).toSorted(), files);
});

test("batches() keeps folders apart and sizes even", () => {
  const files = Array.from({ length: 5 }, (_, i) => `tests/a/${i}.test.ts`);
  assert.deepEqual(batches([...files, "tests/b/0.test.ts"], 3), [
    { name: "tests/a (1 of 2)", files: [files[0], files[2], files[4]] },
    { name: "tests/a (2 of 2)", files: [files[1], files[3]] },
    { name: "tests/b", files: ["tests/b/0.test.ts"] },
  ]);
});

test("batches() leaves what is long alone, and puts it first", () =>
  assert.deepEqual(batches(FILES)[0]?.files, ["tests/engines/chromium.test.ts"]));
