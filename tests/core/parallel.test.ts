import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { forEachParallel } from "../../lib/core/parallel.ts";

interface Gate {
  readonly open: (error?: Error) => void;
  readonly passed: Promise<void>;
}

function gate(): Gate {
  let open: Gate["open"] = () => {};
  const passed = new Promise<void>((resolve, reject) => {
    open = (error) => error === undefined ? resolve() : reject(error);
  });
  return { open, passed };
}

/** Lets everything run that can. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

test("forEachParallel() runs every item once, in order of start, within the limit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(20), fc.integer({ min: 1, max: 6 }), async (count, limit) => {
      const items = [...Array(count).keys()];
      const started: number[] = [];
      let running = 0;
      let most = 0;
      await forEachParallel(items, limit, async (item) => {
        started.push(item);
        most = Math.max(most, ++running);
        for (let turns = item % 3; turns >= 0; turns--) await Promise.resolve();
        running--;
      });
      assert.deepEqual(started, items);
      assert.equal(most, Math.min(limit, count));
      assert.equal(running, 0);
    }),
  );
});

test("forEachParallel() takes undefined for an item like any other", async () => {
  const seen: unknown[] = [];
  await forEachParallel([1, undefined, 3], 1, async (item) => {
    await Promise.resolve();
    seen.push(item);
  });
  assert.deepEqual(seen, [1, undefined, 3]);
});

test("forEachParallel() starts nothing after a failure, and throws it once all has ended", async () => {
  const gates = [gate(), gate(), gate()] as const;
  const started: number[] = [];
  const ended: number[] = [];
  const failure = new Error("disk full");
  let thrown: unknown = null;
  const run = forEachParallel([0, 1, 2], 2, async (item) => {
    started.push(item);
    await gates[item]?.passed;
    ended.push(item);
  }).catch((error) => thrown = error);

  await settle();
  gates[0].open(failure);
  await settle();
  assert.deepEqual([started, ended, thrown], [[0, 1], [], null]);
  gates[1].open();
  await run;
  assert.deepEqual([started, ended, thrown], [[0, 1], [1], failure]);
});

test("forEachParallel() throws the failure that came first", async () => {
  const gates = [gate(), gate()] as const;
  const run = forEachParallel(gates, 2, ({ passed }) => passed);
  gates[1].open(new Error("first"));
  await settle();
  gates[0].open(new Error("second"));
  await assert.rejects(run, /first/);
});

test("forEachParallel() takes work that throws before it waits", async () => {
  await assert.rejects(
    forEachParallel([1], 1, () => {
      throw new Error("at once");
    }),
    /at once/,
  );
});

for (const limit of [0, -1, Number.NaN]) {
  test(`forEachParallel() throws on a limit of ${limit}: nothing would ever run`, async () => {
    await assert.rejects(forEachParallel([1], limit, () => Promise.resolve()), RangeError);
  });
}
