import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import {
  Ancestry,
  countMatching,
  countOverlaps,
  hasArea,
  listOverlaps,
} from "../../lib/game/layout/overlaps.ts";
import type { Layer, LayoutEntry, OverlapPair, OverlapQuery } from "../../lib/editor/ports/mod.ts";
import { runSeed } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { entitiesOf } from "./scenes.ts";

interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly layer: Layer;
  /** How far back the parent stands in the list; 0 is none. */
  readonly back: number;
}

const LAYERS: readonly Layer[] = ["3d", "2d", "ui"];

function build(boxes: readonly Box[]) {
  const parentOf = (index: number, back: number) =>
    back === 0 || back > index ? null : index - back;
  const entities = entitiesOf(boxes.map(({ layer, back }, index) => {
    const parent = parentOf(index, back);
    return { layer, ...(parent === null ? {} : { parentId: parent + 1 }) };
  }));
  const entries = boxes.map(({ layer, x, y, w, h }, index): LayoutEntry => ({
    id: index + 1,
    name: "",
    layer,
    rect: { x, y, w, h },
    onScreen: true,
    zeroSize: false,
  }));
  const above = (index: number): readonly number[] => {
    const parent = parentOf(index, boxes[index]?.back ?? 0);
    return parent === null ? [] : [parent, ...above(parent)];
  };
  return { entries, ancestry: runAtOnce(Ancestry.of(entities)), above };
}

/** Every pair with every other, as the contract says it. */
function naive(boxes: readonly Box[], above: (index: number) => readonly number[]): OverlapPair[] {
  const pairs: OverlapPair[] = [];
  for (const [i, a] of boxes.entries()) {
    for (const [j, b] of boxes.entries()) {
      if (j <= i || a.layer !== b.layer || above(j).includes(i) || above(i).includes(j)) continue;
      const width = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
      const height = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
      const bothDrawn = a.w > 0 && a.h > 0 && b.w > 0 && b.h > 0;
      if (bothDrawn && width > 0 && height > 0) pairs.push({ a: i + 1, b: j + 1, layer: a.layer });
    }
  }
  return pairs;
}

// Few whole numbers, so that edges meet and sizes vanish often.
const box = fc.record({
  x: fc.integer({ min: 0, max: 12 }),
  y: fc.integer({ min: 0, max: 12 }),
  w: fc.integer({ min: 0, max: 6 }),
  h: fc.integer({ min: 0, max: 6 }),
  layer: fc.constantFrom(...LAYERS),
  back: fc.nat(4),
});

test("countOverlaps() and listOverlaps() agree with trying every pair", () => {
  fc.assert(
    fc.property(fc.array(box, { maxLength: 60 }), (boxes) => {
      const { entries, ancestry, above } = build(boxes);
      const expected = naive(boxes, above);
      assert.deepEqual(runAtOnce(listOverlaps(entries, ancestry)), expected);
      assert.equal(runAtOnce(countOverlaps(entries, ancestry)), expected.length);
    }),
    { numRuns: rounds(300, 20_000), seed: runSeed() }, // fast-check prints it when it fails
  );
});

/** Anything from tiny to huge, near and far, so that rounding shows. */
const wildBox = fc.record({
  x: fc.double({ min: -1e4, max: 1e4, noNaN: true }),
  y: fc.double({ min: -1e4, max: 1e4, noNaN: true }),
  w: fc.oneof(fc.constant(1e-14), fc.double({ min: 0, max: 2e4, noNaN: true })),
  h: fc.oneof(fc.constant(1e-14), fc.double({ min: 0, max: 2e4, noNaN: true })),
  layer: fc.constantFrom(...LAYERS),
  back: fc.nat(4),
});

const query = fc.record({
  layer: fc.option(fc.constantFrom(...LAYERS), { nil: undefined }),
  ids: fc.option(fc.array(fc.integer({ min: 1, max: 80 }), { maxLength: 6 }), { nil: undefined }),
  limit: fc.option(fc.nat(30), { nil: undefined }),
});

function answers(pairs: readonly OverlapPair[], { layer, ids }: OverlapQuery) {
  return pairs.filter(({ a, b, layer: theirs }) =>
    (layer === undefined || theirs === layer) &&
    (ids === undefined || ids.includes(a) || ids.includes(b))
  );
}

test("listOverlaps() and countMatching() find what a question is about, and the first of it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(box, wildBox), { maxLength: 80 }),
      query,
      (boxes, asked) => {
        const { entries, ancestry, above } = build(boxes);
        const expected = answers(naive(boxes, above), asked);
        assert.deepEqual(
          runAtOnce(listOverlaps(entries, ancestry, asked)),
          expected.slice(0, asked.limit ?? Infinity),
        );
        assert.equal(runAtOnce(countMatching(entries, ancestry, asked)), expected.length);
      },
    ),
    { numRuns: rounds(300, 20_000), seed: runSeed() },
  );
});

test("hasArea() sees none in a width that is lost so far out", () => {
  assert.equal(hasArea({ x: 1e17, y: 0, w: 1, h: 1 }), false);
  assert.equal(hasArea({ x: 0, y: 0, w: 1e-17, h: 1 }), true);
});

test("countOverlaps() is not misled by a rectangle that ends where it begins", () => {
  const far = { x: 1e17, y: 0, w: 1, h: 1, layer: "ui", back: 0 } as const;
  const around = { ...far, x: 0.5e17, w: 1e17 };
  const { entries, ancestry } = build([around, far, around]);
  assert.equal(runAtOnce(countOverlaps(entries, ancestry)), 1);
});

test("listOverlaps() gives the first of 50 million pairs without making the others", () => {
  const stack = { x: 0, y: 0, w: 1, h: 1, layer: "ui", back: 0 } as const;
  const { entries, ancestry } = build(Array.from({ length: 10_000 }, () => stack));
  const pairs = runAtOnce(listOverlaps(entries, ancestry, { limit: 3 }));
  assert.deepEqual(pairs.map(({ a, b }) => [a, b]), [[1, 2], [1, 3], [1, 4]]);
});

test("countOverlaps() counts 50 million pairs of 10,000 without trying them", () => {
  const stack = { x: 0, y: 0, w: 1, h: 1, layer: "ui", back: 0 } as const;
  const { entries, ancestry } = build(Array.from({ length: 10_000 }, () => stack));
  assert.equal(runAtOnce(countOverlaps(entries, ancestry)), 10_000 * 9_999 / 2);
});
