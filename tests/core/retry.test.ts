import assert from "node:assert/strict";
import { test } from "node:test";
import { isTransient, retryAfterMs, type RetryRules, Tries } from "../../lib/core/retry.ts";

for (
  const [want, statuses] of [
    [true, [408, 425, 429, 500, 502, 503, 504, 507, 599]],
    [false, [200, 204, 206, 300, 304, 400, 401, 403, 404, 407, 409, 410, 412, 416, 423, 501]],
  ] as const
) {
  test(`isTransient() is ${want} for ${statuses.join(", ")}`, () => {
    for (const status of statuses) assert.equal(isTransient(status), want, String(status));
  });
}

const SENT = "Thu, 01 Jan 2026 00:00:00 GMT";
const NOW = Date.parse(SENT) + 5_000;
for (
  const [after, sent, now, want] of [
    [undefined, SENT, NOW, 0],
    ["", SENT, NOW, 0],
    ["0", SENT, NOW, 0],
    ["7", SENT, NOW, 7_000],
    [" 7 ", SENT, NOW, 7_000],
    ["-5", SENT, undefined, 0],
    ["1.5", SENT, undefined, 0],
    ["soon", SENT, NOW, 0],
    ["Thu, 01 Jan 2026 00:00:20 GMT", SENT, NOW, 20_000],
    ["Thu, 01 Jan 2026 00:00:20 GMT", SENT, undefined, 20_000],
    ["Thu, 01 Jan 2026 00:00:20 GMT", undefined, NOW, 15_000],
    ["Thu, 01 Jan 2026 00:00:20 GMT", "yesterday", NOW, 15_000],
    ["Thu, 01 Jan 2026 00:00:20 GMT", undefined, undefined, 0],
    ["Wed, 31 Dec 2025 23:59:59 GMT", SENT, NOW, 0],
  ] as const
) {
  const title = JSON.stringify({ after, sent, now: now !== undefined });
  test(`retryAfterMs() of ${title} is ${want}`, () => {
    const headers = new Headers({
      ...(after !== undefined && { "retry-after": after }),
      ...(sent !== undefined && { date: sent }),
    });
    assert.equal(retryAfterMs(headers, now), want);
  });
}

const RULES: RetryRules = { tries: 4, mostTries: 6, firstWaitMs: 100, longestWaitMs: 1_000 };
for (
  const [title, failures, want] of [
    ["doubles its waits, and ends", [{}, {}, {}, {}], [100, 200, 400, null]],
    ["waits as long as a server asks", [{ afterMs: 350 }, { afterMs: 90 }], [350, 200]],
    ["waits no longer than the longest", [{ afterMs: 1_001 }], [1_000]],
    [
      "begins anew with what comes further",
      [{}, {}, {}, { further: true }, {}],
      [100, 200, 400, 100, 200],
    ],
    [
      "ends after all tries, however far they come",
      Array.from({ length: 6 }, () => ({ further: true })),
      [100, 100, 100, 100, 100, null],
    ],
  ] as const
) {
  test(`Tries.next() ${title}`, () => {
    const tries = new Tries(RULES, () => 0.5);
    assert.deepEqual(failures.map((failure) => tries.next(failure)), want);
    assert.equal(tries.failed, failures.length);
  });
}

test("Tries.next() draws a wait from its half up to its one and a half", () => {
  const drawn = [0, 0.999].map((random) => new Tries(RULES, () => random).next());
  assert.deepEqual(drawn.map((ms) => Math.round(ms ?? 0)), [50, 150]);
});
