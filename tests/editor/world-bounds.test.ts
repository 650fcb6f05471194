import assert from "node:assert/strict";
import { test } from "node:test";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { worldPlaces } from "../../lib/editor/transforms.ts";
import { worldBoundsWork } from "../../lib/editor/world-bounds.ts";
import { entitiesOf, guid, type Sketch } from "./scenes.ts";

const MODEL = { mesh: "model", model: guid(900) };
const details = new Map([[guid(900), { bounds: { min: [0, 0, 0], max: [1, 2, 3] } }]] as const);

function boundsOf(sketches: readonly Sketch[]) {
  const entities = entitiesOf(sketches);
  return runAtOnce(worldBoundsWork(entities, worldPlaces(entities), details));
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
