import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { eulerOf, multiply, rotationOf } from "../../lib/game/geometry/math.ts";
import type { Vec3 } from "../../lib/editor/ports/mod.ts";
import { worldPlaces, worldTransform } from "../../lib/game/scene/transforms.ts";
import { entitiesOf, type Sketch } from "./scenes.ts";

function worldOf(id: number, ...sketches: readonly Sketch[]) {
  const place = worldPlaces(entitiesOf(sketches)).get(id);
  assert.ok(place);
  return worldTransform(place);
}

function near(found: Vec3, expected: Vec3): void {
  for (const [axis, value] of expected.entries()) {
    assert.ok(Math.abs((found[axis] ?? NaN) - value) < 1e-9, `${found} is not ${expected}`);
  }
}

const at = (fields: Readonly<Record<string, number>>) => ({ Transform: fields });

const CASES: readonly {
  readonly what: string;
  readonly sketches: readonly Sketch[];
  readonly position: Vec3;
  /** Rotations after each other, the outermost first. */
  readonly turns: readonly Vec3[];
  readonly scale: Vec3;
}[] = [
  {
    what: "a root is where its Transform says",
    sketches: [{ traits: at({ x: 1, y: 2, z: 3, ry: 30, sx: 2 }) }],
    position: [1, 2, 3],
    turns: [[0, 30, 0]],
    scale: [2, 1, 1],
  },
  {
    // ry 90 takes +x to -z: (2, 0, 0) scaled by 3 lands at (10, 0, -6).
    what: "a child turns and scales with its parent",
    sketches: [
      { traits: at({ x: 10, ry: 90, sx: 3, sy: 3, sz: 3 }) },
      { parentId: 1, traits: at({ x: 2, rx: 45, sy: 2 }) },
    ],
    position: [10, 0, -6],
    turns: [[0, 90, 0], [45, 0, 0]],
    scale: [3, 6, 3],
  },
  {
    what: "an entity without a Transform passes its parent's on",
    sketches: [
      { traits: at({ x: 1 }) },
      { parentId: 1 },
      { parentId: 2, traits: at({ x: 2 }) },
    ],
    position: [3, 0, 0],
    turns: [[0, 0, 0]],
    scale: [1, 1, 1],
  },
  {
    what: "a layer begins at its own origin",
    sketches: [
      { layer: "3d", traits: at({ x: 100 }) },
      { layer: "2d", parentId: 1, traits: at({ x: 7 }) },
    ],
    position: [7, 0, 0],
    turns: [[0, 0, 0]],
    scale: [1, 1, 1],
  },
  {
    what: "a scale of zero keeps the rotation",
    sketches: [{ traits: at({ sx: 0, rz: 90 }) }, { parentId: 1, traits: at({ x: 5, y: 1 }) }],
    position: [-1, 0, 0],
    turns: [[0, 0, 90]],
    scale: [0, 1, 1],
  },
];

for (const { what, sketches, position, turns, scale } of CASES) {
  test(`worldTransform(): ${what}`, () => {
    const world = worldOf(sketches.length, ...sketches);
    near(world.position, position);
    near(world.scale, scale);
    // Two sets of angles can be one rotation, so the rotations are compared.
    const expected = turns.map(rotationOf).reduce(multiply);
    for (const [i, value] of rotationOf(world.rotation).entries()) {
      assert.ok(Math.abs((expected[i] ?? NaN) - value) < 1e-9, `${world.rotation}: not ${turns}`);
    }
  });
}

test("rotationOf() turns about the own axes X, then Y, then Z", () => {
  // X by 90 brings own y to world z; Y by 90 about that brings own x to world y … so x → y.
  const [a, , , d, , , g] = rotationOf([90, 90, 0]);
  near([a, d, g], [0, 1, 0]);
  assert.deepEqual(
    rotationOf([10, 20, 30]),
    multiply(multiply(rotationOf([10, 0, 0]), rotationOf([0, 20, 0])), rotationOf([0, 0, 30])),
  );
});

test("eulerOf() gives angles of the same rotation", () => {
  const angle = fc.double({ min: -180, max: 180, noNaN: true });
  fc.assert(fc.property(angle, angle, angle, (x, y, z) => {
    const rotation = rotationOf([x, y, z]);
    for (const [i, value] of rotationOf(eulerOf(rotation)).entries()) {
      assert.ok(Math.abs(value - (rotation[i] ?? NaN)) < 1e-3); // 1e-3: at the poles x and z trade
    }
  }));
});
