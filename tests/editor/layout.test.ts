import assert from "node:assert/strict";
import { test } from "node:test";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { loadYoga } from "yoga-layout/load";
import type { AssetDetail } from "../../lib/game/assets/details.ts";
import { measureText } from "../../lib/game/assets/font.ts";
import { activeCamera, layoutWork } from "../../lib/game/layout/layout.ts";
import { LayoutMemory } from "../../lib/game/layout/layout-memory.ts";
import { layoutUi } from "../../lib/game/layout/layout-ui.ts";
import { UiMemory } from "../../lib/game/layout/ui-memory.ts";
import type { Layer, Layout, TraitFields } from "../../lib/editor/ports/mod.ts";
import { worldPlaces } from "../../lib/game/scene/transforms.ts";
import { documentOf, entitiesOf, guid, type Sketch } from "./scenes.ts";

const IMAGE = guid(901);
const FONT = guid(902);
const MODEL = guid(903);
const font = { size: 8, lineHeight: 10, advances: new Map([["i", 2], [" ", 4]]), fallback: 6 };
const details = new Map<string, AssetDetail>([
  [IMAGE, { pixels: { width: 32, height: 16 } }],
  [FONT, { font }],
  [MODEL, { bounds: { min: [-1, 0, -1], max: [1, 4, 1] } }],
]);
const viewport = { width: 400, height: 300 };
const yoga = await loadYoga();

function layout(...sketches: readonly Sketch[]): Layout {
  const entities = entitiesOf(sketches);
  return runAtOnce(
    layoutWork({ entities, places: worldPlaces(entities), details, viewport, yoga }),
  );
}

function rects(...sketches: readonly Sketch[]): readonly unknown[] {
  return layout(...sketches).entries.map(({ rect }) =>
    rect === null ? null : [rect.x, rect.y, rect.w, rect.h]
  );
}

const ui = (element: TraitFields, more: Readonly<Record<string, TraitFields>> = {}): Sketch => ({
  layer: "ui",
  traits: { UIElement: element, ...more },
});
const inside = (parentId: number, sketch: Sketch): Sketch => ({ ...sketch, parentId });
const px = (width: number, height: number) => ({
  width,
  widthUnit: "px",
  height,
  heightUnit: "px",
});
const text = (words: string, size = 8) => ({ Text: { text: words, font: FONT, size } });
const sprite = (fields: TraitFields = {}) => ({ Sprite: { image: IMAGE, ...fields } });

const UI: readonly (readonly [string, readonly Sketch[], readonly unknown[]])[] = [
  ["a root fills the viewport", [ui({})], [[0, 0, 400, 300]]],
  ["roots do not push each other", [ui({}), ui({})], [[0, 0, 400, 300], [0, 0, 400, 300]]],
  [
    "a row spreads its children",
    [
      ui({ direction: "row", justify: "space-between", align: "center", padding: 10 }),
      inside(1, ui(px(50, 20))),
      inside(1, ui(px(30, 40))),
    ],
    [[0, 0, 400, 300], [10, 140, 50, 20], [360, 130, 30, 40]],
  ],
  [
    "free space goes by share",
    [ui({ direction: "row" }), inside(1, ui({ grow: 1 })), inside(1, ui({ grow: 3 }))],
    [[0, 0, 400, 300], [0, 0, 100, 300], [100, 0, 300, 300]],
  ],
  [
    "percent, gap and nesting add up",
    [
      ui({ gap: 5 }),
      inside(1, ui({ width: 50, widthUnit: "percent", height: 100, heightUnit: "px", padding: 8 })),
      inside(2, ui(px(10, 10))),
      inside(1, ui({ height: 20, heightUnit: "px" })),
    ],
    [[0, 0, 400, 300], [0, 0, 200, 100], [8, 8, 10, 10], [0, 105, 400, 20]],
  ],
  [
    "an absolute box is held by its pins",
    [
      ui({}),
      inside(
        1,
        ui({ position: "absolute", pinX: "right", right: 16, pinY: "bottom", ...px(40, 20) }),
      ),
      inside(1, ui({ position: "absolute", pinX: "both", left: 10, right: 30, pinY: "top" })),
    ],
    [[0, 0, 400, 300], [344, 280, 40, 20], [10, 0, 360, 0]],
  ],
  [
    "a text is as large as its words: 3 narrow letters of 2, one line of 10",
    [ui({ align: "start" }), inside(1, ui({}, text("iii"))), inside(1, ui({}, text("iii", 16)))],
    [[0, 0, 400, 300], [0, 0, 6, 10], [0, 10, 12, 20]],
  ],
  [
    "a text breaks where its box ends: two words of 12 do not fit 20",
    [ui({ align: "start" }), inside(1, ui({ maxWidth: 20 }, text("ab cd")))],
    [[0, 0, 400, 300], [0, 0, 12, 20]],
  ],
  [
    "an image is as large as its pixels",
    [ui({ align: "start" }), inside(1, ui({}, sprite())), inside(1, ui({}, sprite({ width: 10 })))],
    [[0, 0, 400, 300], [0, 0, 32, 16], [0, 16, 10, 16]],
  ],
  [
    "what is hidden has no rectangle, nor has what is in it, and takes no space",
    [
      ui({}),
      inside(1, ui({ visible: false, ...px(9, 9) })),
      inside(2, ui({})),
      inside(1, ui(px(5, 5))),
    ],
    [[0, 0, 400, 300], null, null, [0, 0, 5, 5]],
  ],
];

for (const [what, sketches, expected] of UI) {
  test(`layoutUi(): ${what}`, () => assert.deepEqual(rects(...sketches), expected));
}

test("layoutUi() survives a chain of 2,000 boxes", () => {
  const chain = Array.from({ length: 2000 }, (_, i) => i === 0 ? ui({}) : inside(i, ui({})));
  assert.equal(layout(...chain).entries.filter(({ rect }) => rect === null).length, 2000 - 256);
});

const at = (x: number, y: number, more: TraitFields = {}) => ({ Transform: { x, y, ...more } });
const flat = (traits: Readonly<Record<string, TraitFields>>): Sketch => ({ layer: "2d", traits });

const FLAT: readonly (readonly [string, readonly Sketch[], readonly unknown[]])[] = [
  ["a sprite lies around its pivot", [flat({ ...at(100, 50), ...sprite() })], [[84, 42, 32, 16]]],
  [
    "a corner may be the pivot",
    [flat({ ...at(100, 50), ...sprite({ pivotX: 0, pivotY: 1 }) })],
    [[100, 34, 32, 16]],
  ],
  [
    "a turned sprite takes the space it covers",
    [flat({ ...at(100, 50, { rz: 90, sx: 2 }), ...sprite() })],
    [[92, 18, 16, 64]],
  ],
  ["a text begins at its position", [flat({ ...at(10, 20), ...text("i\nii") })], [[10, 20, 4, 20]]],
  [
    "a camera's position is the middle, and it magnifies",
    [flat({ ...at(500, 500), Camera: { zoom: 2 } }), flat({ ...at(510, 500), ...sprite() })],
    [[188, 134, 64, 32]],
  ],
  [
    "a camera turned clockwise turns the picture the other way",
    [flat({ ...at(0, 0, { rz: 90 }), Camera: {} }), flat({ ...at(0, 10), ...sprite() })],
    [[202, 134, 16, 32]],
  ],
  ["an image of unknown size has no place", [flat({ ...at(0, 0), Sprite: {} })], [null]],
  ["what is hidden has no place", [flat({ ...at(0, 0), ...sprite({ visible: false }) })], [null]],
  ["what draws nothing is not measured", [flat(at(0, 0))], []],
];

for (const [what, sketches, expected] of FLAT) {
  test(`rect2d(): ${what}`, () => assert.deepEqual(rects(...sketches), expected));
}

test("layoutWork() tells what is on the screen and what has no size", () => {
  const found = layout(
    flat({ ...at(100, 50), ...sprite() }),
    flat({ ...at(500, 50), ...sprite() }),
    flat({ ...at(-16, 50), ...sprite() }), // its right edge touches the left of the viewport
    flat({ ...at(100, 50), ...text("") }),
    flat({ ...at(100, 50), ...sprite({ visible: false }) }),
  );
  assert.deepEqual(
    found.entries.map(({ id, onScreen, zeroSize }) => [id, onScreen, zeroSize]),
    [[1, true, false], [2, false, false], [3, false, false], [4, false, true], [5, false, false]],
  );
  assert.deepEqual(found.offScreen, [2, 3, 4, 5]);
  assert.equal(found.overlapsCount, 0);
  assert.equal("overlaps" in found, false);
});

test("layoutWork() measures a model by its bounds, and nothing without a camera", () => {
  const model = {
    traits: { Transform: { z: -10 }, Renderable3D: { mesh: "model", model: MODEL } },
  };
  const eye = { traits: { Transform: { y: 2 }, Camera: { fov: 90 } } };
  // The near face is at depth 9, where 300 pixels are 18 metres.
  const [, , width, height] = [rects(model, eye)[0]].flat();
  assert.ok(Math.abs(Number(width) - 2 * 300 / 18) < 1e-9);
  assert.ok(Math.abs(Number(height) - 4 * 300 / 18) < 1e-9);
  assert.deepEqual(rects(model), [null]);
  assert.deepEqual(rects({ traits: { Transform: {}, Renderable3D: { mesh: "model" } } }, eye), [
    null,
  ]);
});

test("layoutWork() lists the pairs that were asked for, and says how many there are", () => {
  const entities = entitiesOf(
    Array.from({ length: 4 }, () => flat({ ...at(100, 50), ...sprite() })),
  );
  const input = { entities, places: worldPlaces(entities), details, viewport, yoga };
  const first = runAtOnce(layoutWork(input, { overlaps: true, pairs: { ids: [4], limit: 2 } }));
  assert.deepEqual(first.overlaps?.map(({ a, b }) => [a, b]), [[1, 4], [2, 4]]);
  assert.deepEqual([first.overlapsMatched, first.overlapsCount], [3, 6]);
  const all = runAtOnce(layoutWork(input, { overlaps: true }));
  assert.deepEqual([all.overlaps?.length, all.overlapsMatched, all.overlapsCount], [
    6,
    undefined,
    6,
  ]);
});

test("layoutWork() with a memory answers as without one, whatever changes in between", () => {
  const document = documentOf([
    { traits: { Transform: { y: 2, z: 9 }, Camera: { fov: 90 } } },
    { traits: { Transform: { x: 1 } } },
    { parentId: 2, traits: { Transform: { x: 1 }, Renderable3D: {} } },
    { traits: { Transform: { x: -2 }, Renderable3D: {} } },
    flat({ ...at(30, 30), ...sprite() }),
    ui({}),
    inside(6, ui(px(50, 20))),
  ]);
  const memory = new LayoutMemory();
  let before: ReturnType<typeof worldPlaces> | undefined;
  const look = (size = viewport) => {
    const entities = document.entities();
    before = worldPlaces(entities, before);
    assert.deepEqual([...before], [...worldPlaces(entities)]);
    const input = { entities, places: worldPlaces(entities), details, viewport: size, yoga };
    const kept = runAtOnce(layoutWork({ ...input, places: before, memory }, { overlaps: true }));
    assert.deepEqual(kept, runAtOnce(layoutWork(input, { overlaps: true })));
    return kept;
  };
  const first = look();
  const second = look();
  assert.ok(first.entries.some((entry, i) => entry === second.entries[i]), "nothing was kept");
  const steps: readonly (() => unknown)[] = [
    () => document.setFields(2, "Transform", { x: 3 }), // takes its child along
    () => document.setFields(1, "Transform", { z: 4 }), // the camera
    () => document.setFields(3, "Renderable3D", { visible: false }),
    () => document.rename(4, "Other"),
    () => document.setLayer(2, "2d"), // its child starts at the origin
    () => document.reparent(3, { parentId: 4, index: 0 }),
    () => document.setFields(7, "UIElement", { width: 10 }),
    () => runAtOnce(document.removing(4)),
    () => document.setFields(1, "Camera", { active: false }),
  ];
  for (const step of steps) {
    step();
    look();
  }
  look({ width: 50, height: 50 });
});

test("layoutUi() with a memory lays out the trees that have changed, and no others", () => {
  const document = documentOf([
    ui({}),
    inside(1, ui(px(50, 20), text("one"))),
    ui({}),
    inside(3, ui(px(30, 10), text("two"))),
    { layer: "2d", traits: { Transform: {}, ...sprite() } },
  ]);
  let made = 0;
  const { create } = yoga.Node;
  const counting = {
    ...yoga,
    Node: {
      ...yoga.Node,
      create() {
        made++;
        return create();
      },
    },
  };
  const memory = new UiMemory();
  const madeFor = (size = viewport) => {
    made = 0;
    const entities = document.entities();
    const surroundings = { yoga: counting, viewport: size, details };
    const kept = runAtOnce(layoutUi(entities, surroundings, memory));
    const count = made;
    assert.deepEqual(new Map(kept), new Map(runAtOnce(layoutUi(entities, surroundings))));
    return count;
  };
  const ofOne = 3; // a box of its own for the viewport
  assert.equal(madeFor(), 2 * ofOne);
  document.setFields(5, "Transform", { x: 9 });
  document.setFields(2, "Button", { action: "go" });
  assert.equal(madeFor(), 0);
  document.setFields(4, "UIElement", { width: 31 });
  assert.equal(madeFor(), ofOne);
  document.setFields(2, "Text", { text: "three" });
  assert.equal(madeFor(), ofOne);
  runAtOnce(document.removing(4));
  assert.equal(madeFor(), ofOne - 1);
  assert.equal(madeFor({ width: 50, height: 50 }), 2 * ofOne - 1);
});

test("activeCamera() is the active one of highest priority, then the first, of its layer", () => {
  const camera = (fields: TraitFields, layer: Layer = "3d"): Sketch => ({
    layer,
    traits: { Camera: fields },
  });
  const entities = entitiesOf([
    camera({ active: false, priority: 9 }),
    camera({}),
    camera({ priority: 2 }),
    camera({ priority: 2 }),
    camera({ priority: 5 }, "2d"),
  ]);
  assert.equal(activeCamera(entities, "3d")?.id, 3);
  assert.equal(activeCamera(entities, "2d")?.id, 5);
  assert.equal(activeCamera(entities, "ui"), undefined);
});

for (
  const [what, words, maxWidth, expected] of [
    ["nothing", "", Infinity, { width: 0, height: 0 }],
    ["an empty line between two", "i\n\ni", Infinity, { width: 2, height: 30 }],
    ["a line that just fits", "i i", 8, { width: 8, height: 10 }],
    ["a line that is one too long", "i i", 7, { width: 2, height: 20 }],
    ["a line as wide as told in single precision", "i i", 8 - 1e-6, { width: 8, height: 10 }],
    ["a word that is too long by itself", "abc", 5, { width: 18, height: 10 }],
  ] as const
) {
  test(`measureText(): ${what}`, () => {
    assert.deepEqual(measureText({ text: words, font, size: 8, maxWidth }), expected);
  });
}
