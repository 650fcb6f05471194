import assert from "node:assert/strict";
import { test } from "node:test";
import { projectBounds, projectionOf } from "../../lib/game/layout/project3d.ts";
import { PRIMITIVE_BOUNDS } from "../../lib/game/geometry/primitive-bounds.ts";
import type { Bounds } from "../../lib/game/geometry/bounds.ts";
import type { Rect, TraitFields } from "../../lib/editor/ports/mod.ts";
import { worldPlaces } from "../../lib/game/scene/transforms.ts";
import { entitiesOf } from "./scenes.ts";

const viewport = { width: 200, height: 100 };
const UNIT: Bounds = { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] };
// A right angle of view: at distance d the picture is 2d high, so 1 m is 50/d pixels.
const WIDE = { fov: 90, near: 1, far: 100 };

function project(
  { camera, eye = {}, thing = {}, bounds = UNIT }: {
    readonly camera: TraitFields;
    readonly eye?: TraitFields;
    readonly thing?: TraitFields;
    readonly bounds?: Bounds;
  },
): Rect | null {
  const entities = entitiesOf([
    { traits: { Transform: eye, Camera: camera } },
    { traits: { Transform: thing } },
  ]);
  const places = worldPlaces(entities);
  const [at, seen] = [places.get(1), places.get(2)];
  const fields = entities[0]?.traits["Camera"];
  assert.ok(at && seen && fields);
  return projectBounds({ bounds, affine: seen.affine }, projectionOf(fields, at), viewport);
}

const CASES: readonly (readonly [string, Parameters<typeof project>[0], Rect | null])[] = [
  // The near face is at depth 5: 10 px a metre.
  ["a box straight ahead", { camera: WIDE, thing: { z: -5.5 } }, { x: 95, y: 45, w: 10, h: 10 }],
  [
    // Its near face at depth 5 has the right and top edges, its far face at 6 the others.
    "a box to the right and above",
    { camera: WIDE, thing: { x: 5.5, y: 2.5, z: -5.5 } },
    { x: 100 + 5 * 50 / 6, y: 20, w: 60 - 5 * 50 / 6, h: 30 - 2 * 50 / 6 },
  ],
  ["a box behind", { camera: WIDE, thing: { z: 5 } }, null],
  ["a box nearer than the near plane", { camera: WIDE, thing: { z: -0.4 } }, null],
  ["a box beyond the far plane", { camera: WIDE, thing: { z: -101 } }, null],
  ["a box that touches the far plane", { camera: WIDE, thing: { z: -100.5 } }, {
    x: 99.75,
    y: 49.75,
    w: 0.5,
    h: 0.5,
  }],
  // Cut at depth 1, where 1 m is 50 px.
  ["a box around the camera", { camera: WIDE, thing: { sx: 2, sy: 1, sz: 20 } }, {
    x: 50,
    y: 25,
    w: 100,
    h: 50,
  }],
  // 10 m are 100 px high.
  ["an orthographic camera", {
    camera: { projection: "orthographic", size: 10 },
    thing: { x: 2, y: 1, z: -50 },
  }, { x: 115, y: 35, w: 10, h: 10 }],
  // Turned left by 90 degrees the camera looks along -x.
  ["a turned camera", { camera: WIDE, eye: { ry: 90, x: 3 }, thing: { x: -2.5 } }, {
    x: 95,
    y: 45,
    w: 10,
    h: 10,
  }],
  ["a plane seen from its edge", {
    camera: WIDE,
    thing: { z: -5.5 },
    bounds: PRIMITIVE_BOUNDS["plane"] ?? UNIT,
  }, { x: 95, y: 50, w: 10, h: 0 }],
  ["a box without a place", { camera: WIDE, thing: { x: NaN, z: -5 } }, null],
];

for (const [what, input, expected] of CASES) {
  test(`projectBounds(): ${what}`, () => {
    const found = project(input);
    if (expected === null) return assert.equal(found, null);
    for (const side of ["x", "y", "w", "h"] as const) {
      assert.ok(
        found !== null && Math.abs(found[side] - expected[side]) < 1e-9,
        `${JSON.stringify(found)} is not ${JSON.stringify(expected)}`,
      );
    }
  });
}
