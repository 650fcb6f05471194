import assert from "node:assert/strict";
import { test } from "node:test";
import { progressBar } from "../../scripts/output.ts";

for (
  const [done, filled, percent] of [
    [0, 0, 0],
    [1, 0, 1],
    [50, 12, 50],
    [99, 24, 99],
    [100, 24, 100],
    [101, 24, 100],
  ] as const
) {
  test(`progressBar() of ${done} of 100 fills ${filled} of 24 steps`, () => {
    const bar = `${"█".repeat(filled)}${"░".repeat(24 - filled)}`;
    assert.equal(
      progressBar({ done, total: 100, unit: "bytes" }),
      `${bar} ${percent}% of 100 bytes`,
    );
  });
}
