import assert from "node:assert/strict";
import { test } from "node:test";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { FileError } from "../../lib/core/file-error.ts";
import type { Files } from "../../lib/ports/files.ts";
import { worldPlaces } from "../../lib/game/scene/transforms.ts";
import { worldBoundsWork } from "../../lib/editor/measures/world-bounds.ts";
import fc from "fast-check";
import { type Affine, ORIGIN, place } from "../../lib/game/geometry/math.ts";
import { PointCloud } from "../../lib/game/geometry/point-cloud.ts";
import type { TraitFields, Vec3, WorldBounds } from "../../lib/editor/ports/mod.ts";
import { runSeed } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { glb, packed } from "./glb.ts";
import { withScene } from "./playing.ts";
import { entitiesOf, guid, type Sketch } from "./scenes.ts";

const MODEL = { mesh: "model", model: guid(900) };
const details = new Map([[guid(900), { bounds: { min: [0, 0, 0], max: [1, 2, 3] } }]] as const);

function boundsOf(sketches: readonly Sketch[]) {
  const entities = entitiesOf(sketches);
  const places = worldPlaces(entities);
  return runAtOnce(
    worldBoundsWork(entities, { places, details, shapes: new Map(), known: new WeakMap() }),
  );
}

const CASES: readonly (readonly [string, readonly Sketch[], readonly number[] | undefined])[] = [
  [
    "a scaled box, below a moved parent",
    [
      { traits: { Transform: { x: 10 } } },
      { parentId: 1, traits: { Transform: { y: 1, sx: 4 }, Renderable3D: {} } },
    ],
    [8, 0.5, -0.5, 12, 1.5, 0.5],
  ],
  [
    "a turned model",
    [{}, { traits: { Transform: { ry: 90 }, Renderable3D: MODEL } }],
    [0, 0, -1, 3, 2, 0],
  ],
  [
    "a model of unknown size, as a point",
    [{}, { traits: { Transform: { x: 1 }, Renderable3D: { ...MODEL, model: guid(901) } } }],
    [1, 0, 0, 1, 0, 0],
  ],
  ["what draws nothing, as a point", [{}, { traits: { Transform: { z: 7 } } }], [0, 0, 7, 0, 0, 7]],
  [
    "a sprite about its pivot",
    [{}, {
      layer: "2d",
      traits: { Transform: { x: 100, y: 50 }, Sprite: { width: 40, height: 20, pivotY: 0 } },
    }],
    [80, 50, 0, 120, 70, 0],
  ],
  ["nothing of the UI", [{}, { layer: "ui", traits: { UIElement: {} } }], undefined],
  ["nothing without a Transform", [{}, { traits: { Renderable3D: {} } }], undefined],
];

for (const [what, sketches, expected] of CASES) {
  test(`worldBounds() of ${what}`, () => {
    const box = boundsOf(sketches).get(2);
    const numbers = box && [...box.min, ...box.max].map((n) => Math.round(n * 1e9) / 1e9 + 0);
    assert.deepEqual(numbers, expected);
  });
}

/** A Transform of anything that a scene may hold. */
const anywhere = fc.record({
  x: fc.double({ min: -50, max: 50, noNaN: true }),
  y: fc.double({ min: -50, max: 50, noNaN: true }),
  rx: fc.double({ min: -180, max: 180, noNaN: true }),
  ry: fc.double({ min: -180, max: 180, noNaN: true }),
  rz: fc.double({ min: -180, max: 180, noNaN: true }),
  sx: fc.double({ min: -3, max: 3, noNaN: true }),
  sy: fc.double({ min: 0.1, max: 3, noNaN: true }),
});

/** Around these points, each taken to a place. */
function around(points: readonly Vec3[], affine: Affine): WorldBounds {
  const taken = points.map((point) => place(affine, point));
  const axis = (pick: (...numbers: number[]) => number, at: 0 | 1 | 2) =>
    taken.reduce((found, point) => pick(found, point[at]), taken[0]?.[at] ?? 0);
  return {
    min: [axis(Math.min, 0), axis(Math.min, 1), axis(Math.min, 2)],
    max: [axis(Math.max, 0), axis(Math.max, 1), axis(Math.max, 2)],
  };
}

function assertNear(found: WorldBounds | undefined, expected: WorldBounds, tolerance = 1e-9): void {
  for (const side of ["min", "max"] as const) {
    for (const axis of [0, 1, 2] as const) {
      const [is, should] = [found?.[side][axis] ?? NaN, expected[side][axis]];
      assert.ok(
        Math.abs(is - should) <= tolerance,
        `${side}[${axis}] is ${is}, expected ${should}`,
      );
    }
  }
}

/** Where a chain of Transforms takes the last of them. */
function affineOf(transforms: readonly TraitFields[]): Affine {
  const entities = entitiesOf(transforms.map((fields, index) => ({
    ...(index > 0 && { parentId: index }),
    traits: { Transform: fields },
  })));
  return worldPlaces(entities).get(transforms.length)?.affine ?? ORIGIN;
}

const spot = fc.double({ min: -5, max: 5, noNaN: true });
const point = fc.tuple(spot, spot, spot);

test("PointCloud.boundsAt() is the box around every point, each taken there", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(point, fc.constant([1, 2, 3] as const)), { minLength: 1, maxLength: 400 }),
      fc.array(anywhere, { minLength: 1, maxLength: 3 }),
      (points, transforms) => {
        const affine = affineOf(transforms);
        const cloud = runAtOnce(PointCloud.of(Float64Array.from(points.flat())));
        assertNear(cloud.boundsAt(affine), around(points, affine), 1e-10);
        assert.equal(cloud.blocks, Math.ceil(points.length / 64));
      },
    ),
    { numRuns: rounds(100, 10_000), seed: runSeed() },
  );
});

/** Points of the round primitives: circles of the radius at a height, and tips. */
const ROUND: Readonly<Record<string, readonly Vec3[]>> = {
  sphere: rings(64, (turn) => [[Math.sin(turn) / 2, Math.cos(turn) / 2]]),
  capsule: rings(64, (turn) => {
    const y = Math.cos(turn) / 2;
    return [[Math.sin(turn) / 2, y + Math.sign(y) / 2]];
  }),
  cylinder: rings(1, () => [[0.5, 0.5], [0.5, -0.5]]),
  cone: rings(1, () => [[0.5, -0.5], [0, 0.5]]),
};

function rings(count: number, of: (turn: number) => readonly (readonly [number, number])[]) {
  return Array.from({ length: count + 1 }, (_, n) => of(n / count * Math.PI)).flat().flatMap(
    ([radius, y]) =>
      Array.from({ length: 256 }, (_, n): Vec3 => {
        const turn = n / 128 * Math.PI;
        return [radius * Math.cos(turn), y, radius * Math.sin(turn)];
      }),
  );
}

for (const [mesh, points] of Object.entries(ROUND)) {
  test(`worldBounds() of a ${mesh} fits it however it is turned`, () => {
    fc.assert(
      fc.property(anywhere, (transform) => {
        const found = boundsOf([{ traits: { Transform: transform, Renderable3D: { mesh } } }]).get(
          1,
        );
        assertNear(found, around(points, affineOf([transform])), 0.01);
      }),
      { numRuns: rounds(20, 1_000), seed: runSeed() },
    );
  });
}

test("worldBounds() of turned models and meshes are the boxes around their vertices", async () => {
  const corners: Vec3[] = [[0, 0, 0], [4, 0, 0], [0, 1, 0], [0.5, 0.2, 3]];
  const data = Float32Array.from(corners.flat());
  const { json, bytes } = packed([{ data, type: "VEC3", min: [0, 0, 0], max: [4, 1, 3] }]);
  const turned = { rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2], translation: [1, 0, 0] };
  const model = glb({
    ...json,
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    nodes: [{ mesh: 0 }, { mesh: 0, ...turned }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, mode: 0 }] }],
  }, bytes);
  const asset = (path: string, content: unknown, n: number, meta: object = {}) => ({
    [path]: content,
    [`${path}.meta.json`]: { guid: guid(n), ...meta },
  });
  const box = { bounds: { min: [0, 0, 0], max: [4, 1, 3] } };
  // A quarter turn about z, and one step along x.
  const both = [...corners, ...corners.map(([x, y, z]): Vec3 => [1 - y, x, z])];
  const at = { x: 2, rx: 30, ry: 40, rz: 50, sx: 2 };
  const draw = (n: number) => ({
    traits: { Transform: at, Renderable3D: { mesh: "model", model: guid(n) } },
  });
  await withScene([draw(900), draw(901), draw(902), draw(903)], async ({ editor, step }) => {
    const expected = [both, corners, corners].map((points) => around(points, affineOf([at])));
    for (let look = 0; look < 2; look++) {
      const found = await editor.worldBounds();
      for (const [index, one] of expected.entries()) assertNear(found.get(index + 1), one, 1e-5);
      // What cannot be read has the box that its sidecar tells, taken to its place.
      const corner = (n: number): Vec3 => [n & 1 ? 4 : 0, n & 2 ? 1 : 0, n & 4 ? 3 : 0];
      const boxed = around(Array.from({ length: 8 }, (_, n) => corner(n)), affineOf([at]));
      assertNear(found.get(4), boxed);
      assert.notDeepEqual(found.get(4), found.get(2));
      await step(1); // the same boxes while a game plays
    }
  }, {
    files: {
      ...asset("assets/two.glb", model, 900, box),
      ...asset("assets/drawn.mesh.json", { schema: 1, positions: corners, triangles: [] }, 901),
      ...asset("assets/taken.mesh.json", { schema: 1, model: guid(900), mesh: 0, ...box }, 902),
      ...asset("assets/damaged.glb", new Uint8Array(40), 903, box),
    },
  });
});

test("what could not be read for a moment is read again, though its size and time are the same", async () => {
  const mesh = { schema: 1, positions: [[0, 0, 0], [4, 0, 0], [0, 1, 0]], triangles: [0, 1, 2] };
  const turned = { Transform: { rz: 45 }, Renderable3D: { mesh: "model", model: guid(900) } };
  let isBusy = false;
  const over = (disk: Files): Files => ({
    ...disk,
    read(path, ...rest) {
      if (!isBusy || !path.endsWith(".mesh.json")) return disk.read(path, ...rest);
      return Promise.reject(new FileError("denied", path, `not allowed to read "${path}"`));
    },
  });
  await withScene([{ traits: turned }], async ({ editor }) => {
    const looks = async () => {
      const diagnosis = await editor.diagnose();
      const box = (await editor.worldBounds()).get(1);
      return { denied: JSON.stringify(diagnosis).includes("not allowed"), box };
    };
    isBusy = true;
    assert.ok((await looks()).denied);
    isBusy = false;
    const { denied, box } = await looks();
    assert.equal(denied, false);
    assertNear(box, around([[0, 0, 0], [4, 0, 0], [0, 1, 0]], affineOf([turned.Transform])), 1e-5);
  }, {
    over,
    files: {
      "assets/drawn.mesh.json": mesh,
      "assets/drawn.mesh.json.meta.json": {
        guid: guid(900),
        bounds: { min: [0, 0, 0], max: [4, 1, 0] },
      },
    },
  });
});
