import { test } from "node:test";
import assert from "node:assert/strict";
import { median, ratioOf, timeRounds } from "../../scripts/bench/measure.ts";

for (
  const [title, values, want] of [
    ["one value", [3], 3],
    ["an odd number of values, unordered", [9, 1, 2], 2],
    ["an even number of values", [4, 1, 3, 100], 3.5],
    ["values that sort differently as text", [10, 9, 100], 10],
  ] as const
) {
  test(`median() of ${title}`, () => assert.equal(median(values), want));
}

test("median() refuses no values", () => assert.throws(() => median([]), RangeError));

test("ratioOf() divides round by round", () => {
  const ratio = ratioOf([10, 40, 30], [10, 10, 20]);
  assert.deepEqual(ratio, { median: 1.5, min: 1, max: 4, rounds: 3 });
});

for (
  const [title, ours, theirs] of [
    ["no rounds", [], []],
    ["a missing round", [1, 2], [1]],
    ["a side that took no time", [1], [0]],
    ["a measured nothing", [0], [1]],
  ] as const
) {
  test(`ratioOf() refuses ${title}`, () => assert.throws(() => ratioOf(ours, theirs), RangeError));
}

test("timeRounds() turns the order, drops the first round, leaves preparing out", async () => {
  let clock = 0;
  const order: string[] = [];
  const side = (name: string, ms: number) => ({
    prepare: () => void (clock += 1_000),
    run: () => {
      order.push(name);
      clock += ms;
    },
  });
  const times = await timeRounds([side("a", 5), side("b", 7)], { rounds: 2, now: () => clock });
  assert.deepEqual(times, [[5, 5], [7, 7]]);
  assert.deepEqual(order, ["a", "b", "b", "a", "a", "b"]);
});

test("timeRounds() takes what a side returns in place of the time it took", async () => {
  let clock = 0;
  const own = { run: () => (clock += 5, 42) };
  const timed = { run: () => void (clock += 5) };
  const times = await timeRounds([own, timed], { rounds: 2, now: () => clock });
  assert.deepEqual(times, [[42, 42], [5, 5]]);
});
