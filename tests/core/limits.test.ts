import assert from "node:assert/strict";
import { test } from "node:test";
import { type LimitName, LIMITS, withinLimit } from "../../lib/core/limits.ts";

function isLimitName(name: string): name is LimitName {
  return Object.hasOwn(LIMITS, name);
}

for (const name of Object.keys(LIMITS).filter(isLimitName)) {
  const limit = LIMITS[name];
  for (
    const [value, want] of [
      [0, true],
      [limit, true],
      [limit + 1, false],
      [-1, false],
      [0.5, false],
      [Number.NaN, false],
      [Number.POSITIVE_INFINITY, false],
    ] as const
  ) {
    test(`withinLimit() ${want ? "allows" : "refuses"} ${value} for ${name}`, () => {
      assert.equal(withinLimit(name, value), want);
    });
  }
}
