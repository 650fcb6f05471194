import { test } from "node:test";
import assert from "node:assert/strict";
import { MAX_WATCHES, WATCH_SAMPLES } from "../../lib/editor/session/watches.ts";
import { withScene } from "./playing.ts";
import { guid } from "./scenes.ts";

const MOVER = { traits: { Transform: {}, Velocity: { x: 60 } } };
const STILL = { traits: { Transform: { x: 7 } } };

test("start: statistics are exact over all samples, the samples are the last ones", async () => {
  await withScene([MOVER, STILL], async ({ editor: { watches }, step }) => {
    const begun = watches.start({ fields: ["Transform.x"], maxSamples: 10 });
    assert.ok(begun.ok);
    await step(100);
    const read = watches.read(begun.value.id);
    assert.ok(read.ok);
    const [mover, still] = read.value.series;
    const { count, first, last, min, max, delta, changes } = mover?.stats ?? {};
    assert.deepEqual([count, changes], [100, 99]);
    for (const [found, expected] of [[first, 1], [last, 100], [min, 1], [max, 100], [delta, 99]]) {
      assert.ok(Math.abs(Number(found) - Number(expected)) < 1e-9);
    }
    assert.ok(Math.abs((mover?.stats.mean ?? 0) - 50.5) < 1e-9);
    assert.deepEqual(mover?.samples.map(({ tick }) => tick), [
      91,
      92,
      93,
      94,
      95,
      96,
      97,
      98,
      99,
      100,
    ]);
    assert.equal(still?.stats.changes, 0);
    assert.equal(still?.guid, guid(2));
  });
});

// RING-4
test("start: 600 samples unless told otherwise; every so many ticks; of some entities", async () => {
  await withScene([MOVER, STILL], async ({ editor: { watches }, step }) => {
    const all = watches.start({ fields: ["Transform.x"] });
    const few = watches.start({ fields: ["Transform.x"], guids: [guid(2)], everyTicks: 10 });
    assert.ok(all.ok && few.ok);
    await step(WATCH_SAMPLES + 50);
    const [one, other] = [watches.read(all.value.id), watches.read(few.value.id)];
    assert.ok(one.ok && other.ok);
    assert.equal(one.value.series[0]?.samples.length, WATCH_SAMPLES);
    assert.equal(one.value.series[0]?.stats.count, WATCH_SAMPLES + 50);
    assert.deepEqual(other.value.series.map((series) => series.guid), [guid(2)]);
    assert.equal(other.value.series[0]?.stats.count, 65);
  });
});

test("start: series beyond the bound are counted, not kept", async () => {
  await withScene([MOVER, STILL, STILL], async ({ editor: { watches }, step }) => {
    const begun = watches.start({ fields: ["Transform.x", "Transform.y"], maxSeries: 4 });
    assert.ok(begun.ok);
    await step(3);
    const read = watches.read(begun.value.id);
    assert.deepEqual(read.ok && [read.value.series.length, read.value.left], [4, 2]);
  });
});

test("start: what cannot be watched is refused with what can", async () => {
  await withScene([MOVER], ({ editor: { watches } }) => {
    for (
      const [request, code] of [
        [{ fields: [] }, "bad-watch"],
        [{ fields: ["Transform.x"], maxSamples: 5_001 }, "bad-watch"],
        [{ fields: ["Transform.x"], maxSeries: 4_097 }, "bad-watch"],
        [{ fields: ["Transform.x"], everyTicks: 0 }, "bad-watch"],
        [{ fields: ["Transform.w"] }, "no-such-field"],
        [{ fields: ["Transfrom.x"] }, "no-such-field"],
        [{ fields: ["Text.text"] }, "no-such-field"],
        [{ fields: ["nonsense"] }, "no-such-field"],
        [{ fields: ["Transform.x"], guids: [guid(99)] }, "no-such-entity"],
        [{ fields: ["Transform.x"], maxSamples: 5_000, maxSeries: 4_096 }, "too-many-samples"],
      ] as const
    ) {
      const refused = watches.start(request);
      assert.equal(refused.ok ? "" : refused.error.code, code, JSON.stringify(request));
    }
    assert.deepEqual(watches.list(), []);
    return Promise.resolve();
  });
});

test("stop: ends the samples; forget makes room for another", async () => {
  await withScene([MOVER], async ({ editor: { watches }, step }) => {
    const ids = Array.from({ length: MAX_WATCHES }, () => {
      const begun = watches.start({ fields: ["Transform.x"], maxSeries: 4 });
      return begun.ok ? begun.value.id : "";
    });
    const more = watches.start({ fields: ["Transform.x"], maxSeries: 4 });
    assert.equal(more.ok ? "" : more.error.code, "too-many-watches");
    const [first = ""] = ids;
    await step(2);
    assert.equal(watches.stop(first, { forget: false }).ok, true);
    await step(2);
    const read = watches.read(first);
    assert.equal(read.ok && read.value.series[0]?.stats.count, 2);
    assert.equal(watches.stop(first, { forget: true }).ok, true);
    const gone = watches.read(first);
    assert.equal(gone.ok ? "" : gone.error.code, "no-such-watch");
    assert.ok(watches.start({ fields: ["Transform.x"], maxSeries: 4 }).ok);
  });
});
