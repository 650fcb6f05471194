import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { hermite, slerp } from "../../lib/game/geometry/splines.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { withScene } from "./playing.ts";
import { guid } from "./scenes.ts";

function unit(parts: readonly number[]): readonly number[] {
  const length = Math.hypot(...parts);
  return parts.map((part) => part / length);
}

test("slerp() keeps its length and its speed, also for rotations next to each other", () => {
  const seed = runSeed();
  const random = seededRandom(seed);
  for (let round = 0; round < 500; round++) {
    const label = `SLIPWAY_SEED=${seed} round ${round}`;
    const from = unit([0, 1, 2, 3].map(() => random.next() - 0.5));
    const size = 10 ** -random.below(9);
    const to = unit(from.map((part) => part + (random.next() - 0.5) * size));
    const dot = (a: readonly number[], b: readonly number[]) =>
      a.reduce((sum, part, place) => sum + part * (b[place] ?? 0), 0);
    const apart = (a: readonly number[], b: readonly number[]) =>
      Math.hypot(...a.map((part, place) => part - (b[place] ?? 0)));
    const middle = slerp(from, to, 0.5);
    assert.ok(Math.abs(dot(middle, middle) - 1) < 1e-12, label);
    const [first, second] = [apart(from, middle), apart(middle, to)];
    assert.ok(Math.abs(first - second) <= 1e-9 * size + 1e-15, `${label}: ${first} and ${second}`);
    const other = slerp(from, to.map((part) => -part), 0.5);
    assert.ok(apart(middle, other) < 1e-12, `${label}: both signs are one rotation`);
  }
});

for (
  const [name, keys, x, seconds, expected] of [
    ["at the first key", { start: [1], out: [9], end: [2], into: [9] }, 0, 3, 1],
    ["at the second key", { start: [1], out: [9], end: [2], into: [9] }, 1, 3, 2],
    ["of a straight line", { start: [0], out: [2], end: [6], into: [2] }, 0.25, 3, 1.5],
    ["without tangents", { start: [0], out: [], end: [8], into: [] }, 0.5, 3, 4],
    ["that swings out", { start: [0], out: [8], end: [0], into: [-8] }, 0.5, 2, 4],
  ] as const
) {
  test(`hermite() ${name}`, () => assert.deepEqual(hermite(keys, x, seconds), [expected]));
}

const CLIP = guid(90);
const turned = (degrees: number) => {
  const half = degrees * Math.PI / 360;
  return [0.6 * Math.sin(half), 0, 0.8 * Math.sin(half), Math.cos(half)]
    .map((part) => Number(part.toFixed(9)));
};
const FILES = {
  "assets/bend.anim.json": {
    schema: 1,
    length: 2,
    loop: true,
    tracks: [
      {
        target: "Entity 2",
        field: "Transform.rotation",
        keys: [{ t: 0, value: turned(0) }, { t: 0.7, value: turned(170) }, {
          t: 2,
          value: turned(300),
        }],
      },
      {
        target: "Entity 3",
        field: "Transform.rotation",
        keys: [
          { t: 0, value: turned(10), ease: "cubic", outTangent: [0.1, 0.9, -0.3, 0.2] },
          { t: 2, value: turned(190), ease: "cubic", inTangent: [0.4, -0.2, 0.6, 0.7] },
        ],
      },
      {
        target: "Entity 2",
        field: "Morph.w3",
        keys: [
          { t: 0, value: 0.1, ease: "cubic", outTangent: 0.7 },
          { t: 1.9, value: 0.9, ease: "cubic", inTangent: -0.3 },
        ],
      },
    ],
  },
  "assets/bend.anim.json.meta.json": { guid: CLIP },
};

/** Of every value after 500 steps; the same on every engine. */
const HASH = "a16eab3f011f166bffe943c561e962d05d151d175fbd1b0708311a0ee9430599";

test("step: what bends by splines is the same in every run and runtime, to the bit", () =>
  withScene([
    { traits: { Transform: {}, Animator: { clip: CLIP, speed: 1.3 } } },
    { parentId: 1, traits: { Transform: {}, Morph: {} } },
    { parentId: 1, traits: { Transform: {} } },
  ], async ({ editor, step }) => {
    const all: unknown[] = [];
    for (let round = 0; round < 20; round++) {
      await step(25);
      all.push((await editor.sceneState()).entities.map(({ traits }) => traits));
    }
    const found = createHash("sha256").update(JSON.stringify(all)).digest("hex");
    assert.equal(found, HASH);
  }, { files: FILES }));
