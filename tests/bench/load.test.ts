import { test } from "node:test";
import assert from "node:assert/strict";
import { percentile } from "../../scripts/bench/load.ts";

const HUNDRED = Array.from({ length: 100 }, (_, i) => 100 - i);

for (
  const [title, values, percent, want] of [
    ["the 99th of a hundred", HUNDRED, 99, 99],
    ["the 50th of a hundred", HUNDRED, 50, 50],
    ["the 100th is the largest", [3, 10, 9], 100, 10],
    ["the 0th is the smallest", [3, 10, 9], 0, 3],
    ["any of one value", [7], 99, 7],
  ] as const
) {
  test(`percentile(): ${title}`, () => assert.equal(percentile(values, percent), want));
}

test("percentile() refuses no values", () => assert.throws(() => percentile([], 99), RangeError));
