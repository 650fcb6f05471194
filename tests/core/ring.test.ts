import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Ring } from "../../lib/core/ring.ts";

// RING-1
test("Ring holds the newest entries, oldest first, under numbers that are never reused", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(40), (capacity, count) => {
      const ring = new Ring<{ readonly line: number }>(capacity);
      const pushed = [];
      for (let i = 0; i < count; i++) {
        pushed.push(ring.push({ line: i }));
        assert.equal(ring.nextSeq, i + 2);
      }
      assert.deepEqual(pushed.map(({ seq }) => seq), pushed.map((_, i) => i + 1));
      assert.deepEqual(ring.all(), pushed.slice(-capacity));
      assert.equal(ring.size, Math.min(count, capacity));
      for (let seq = 0; seq <= count + 1; seq++) {
        assert.deepEqual(ring.after(seq), ring.all().filter((entry) => entry.seq > seq));
      }
    }),
  );
});

test("Ring.push() returns the entry with its number, and keeps the caller's object as it was", () => {
  const ring = new Ring<{ readonly line: string }>(2);
  const entry = { line: "a" };
  assert.deepEqual(ring.push(entry), { seq: 1, line: "a" });
  assert.deepEqual(entry, { line: "a" });
});

test("Ring.push() numbers an entry that brings a number of its own", () => {
  const ring = new Ring<{ readonly seq: number }>(2);
  assert.deepEqual(ring.push({ seq: 99 }), { seq: 1 });
});

test("Ring.all() returns a copy", () => {
  const ring = new Ring<{ readonly line: string }>(2);
  ring.push({ line: "a" });
  ring.all().pop();
  assert.equal(ring.size, 1);
  assert.equal(ring.all().length, 1);
});

for (const capacity of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
  test(`Ring refuses capacity ${capacity}`, () => {
    assert.throws(() => new Ring(capacity), RangeError);
  });
}
