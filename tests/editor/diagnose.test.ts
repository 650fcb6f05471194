import assert from "node:assert/strict";
import { test } from "node:test";
import { runAtOnce } from "../../lib/core/cooperative.ts";
import { loadYoga } from "yoga-layout/load";
import { diagnose } from "../../lib/editor/diagnose/diagnose.ts";
import { layoutWork } from "../../lib/game/layout/layout.ts";
import type { Asset, ConsoleEntry, SceneFinding } from "../../lib/editor/ports/mod.ts";
import { TraitRegistry } from "../../lib/game/traits/registry.ts";
import { worldPlaces } from "../../lib/game/scene/transforms.ts";
import { documentOf, guid, type Sketch } from "./scenes.ts";

const yoga = await loadYoga();
const NOW = 1_700_000_000_000;
const ASSETS: readonly Asset[] = [
  { guid: guid(500), path: "assets/a.wav", name: "a", type: "audio", size: 1 },
  { guid: guid(501), path: "scenes/a.scene.json", name: "a", type: "scene", size: 1 },
];

function findings(
  sketches: readonly Sketch[],
  { console = [], broken = false }: {
    readonly console?: readonly ConsoleEntry[];
    readonly broken?: boolean;
  } = {},
) {
  const document = documentOf(sketches);
  // A scene file cannot say NaN; a game that divides by zero can.
  if (broken) document.setFields(1, "Transform", { y: NaN });
  const entities = document.entities();
  const layout = runAtOnce(layoutWork({
    entities,
    places: worldPlaces(entities),
    details: new Map(),
    viewport: { width: 400, height: 300 },
    yoga,
  }));
  return diagnose({
    entities,
    traits: new TraitRegistry(),
    assets: ASSETS,
    layout,
    console,
    now: NOW,
  });
}

const CAMERA: Sketch = { traits: { Transform: {}, Camera: {} } };
const box = (transform: Readonly<Record<string, number>>): Sketch => ({
  traits: { Transform: transform, Renderable3D: {} },
});
const button = (left: number, enabled = true): Sketch => ({
  layer: "ui",
  traits: {
    UIElement: {
      position: "absolute",
      pinX: "left",
      pinY: "top",
      left,
      width: 50,
      widthUnit: "px",
      height: 20,
      heightUnit: "px",
    },
    Button: { enabled },
  },
});
const door = (effect: string, text: string): Sketch => ({
  traits: { ScriptAction: { effect, text } },
});
const line = (seq: number, t: number): ConsoleEntry => ({ seq, t, level: "error", text: "Boom" });

type Row = readonly [SceneFinding["severity"], string, readonly number[]];

const CASES: readonly (readonly [string, Parameters<typeof findings>, readonly Row[]])[] = [
  ["a sound scene", [[CAMERA, box({ z: -5 })]], []],
  ["an empty scene", [[]], []],
  ["an asset that is not there", [[{ traits: { AudioSource: { clip: guid(7) } } }]], [
    ["error", "missing-asset", [1]],
  ]],
  ["an asset of another type", [[{ traits: { Spawner: { prefab: guid(500) } } }]], [
    ["error", "wrong-asset-type", [1]],
  ]],
  ["an asset of the right type", [[{ traits: { AudioSource: { clip: guid(500) } } }]], []],
  ["an entity that is not there", [[{ traits: { Follow: { target: guid(7) } } }]], [
    ["error", "missing-entity", [1]],
  ]],
  ["an entity that is there", [[{ traits: { Follow: { target: guid(1) } } }]], []],
  ["3D entities without a camera", [[box({}), { traits: { Camera: { active: false } } }]], [
    ["error", "no-camera", [1]],
    ["info", "out-of-view", [1]],
  ]],
  ["a number that is none", [[{ traits: { Transform: {} } }], { broken: true }], [
    ["error", "broken-transform", [1]],
  ]],
  ["a way to scenes that are not there", [[
    door("openScene", "scenes/b.scene.json"),
    door("openScene", "scenes/a.scene.json"),
    door("openScene", ""),
    door("emit", "b"),
  ]], [["warning", "missing-scene", [1]]]],
  ["traits on a layer that has no use for them", [[
    { traits: { Transform: {}, Sprite: { width: 1 }, UIElement: {} } },
    { layer: "ui", traits: { UIElement: { width: 9 }, Text: { text: "a" }, Light: {} } },
    { layer: "2d", traits: { Transform: {}, Text: { text: "a" }, Collider: {} } },
  ]], [["warning", "wrong-layer", [1, 3]]]],
  ["what lies below an entity that has its place on another layer", [[
    box({ z: -5 }),
    CAMERA,
    { ...button(0), parentId: 1 },
    { ...button(100), parentId: 3 },
    { layer: "2d", parentId: 1, traits: { Transform: {}, Text: { text: "a" } } },
    {},
    { ...button(200), parentId: 6 },
  ]], [["warning", "parent-on-other-layer", [3, 5]]]],
  ["what waits for touches that cannot come", [[
    { traits: { Transform: {}, RigidBody: {} } },
    { traits: { Transform: {}, ScriptAction: { on: "@sensor" } } },
    { traits: { Transform: {}, Collider: { sensor: true }, ScriptAction: { on: "@contact" } } },
    { traits: { Transform: {}, Collider: { sensor: true }, ScriptAction: { on: "@sensor" } } },
    { traits: { Transform: {}, Collider: {}, RigidBody: {}, ScriptAction: { on: "@contact" } } },
    { traits: { ScriptAction: { on: "jump" } } },
  ]], [["warning", "no-collider", [1, 2]], ["warning", "sensor-contact", [3]]]],
  ["a scale of zero", [[{ traits: { Transform: { sy: 0 } } }]], [
    ["warning", "zero-scale", [1]],
  ]],
  ["a 2D scale of zero along z", [[{ layer: "2d", traits: { Transform: { sz: 0 } } }]], []],
  ["a 3D entity out of view", [[CAMERA, box({ z: 5 }), box({ x: 900, z: -5 })]], [
    ["info", "out-of-view", [2, 3]],
  ]],
  ["a UI entity off the screen", [[button(400)]], [["warning", "off-screen", [1]]]],
  ["a UI entity that is hidden", [[{
    layer: "ui",
    traits: { UIElement: { visible: false } },
  }]], []],
  ["an entity without size", [[{ layer: "2d", traits: { Transform: {}, Text: {} } }]], [
    ["warning", "zero-size", [1]],
  ]],
  ["a text that the game fills", [[{
    layer: "2d",
    traits: { Transform: {}, Text: {}, Binding: {} },
  }]], []],
  ["overlapping buttons", [[button(0), button(40), button(200)]], [
    ["warning", "overlapping-buttons", [1, 2]],
  ]],
  ["an overlapping button that is off", [[button(0), button(40, false)]], []],
  ["errors on the console, the last five minutes", [[], {
    console: [line(1, NOW - 300_001), line(2, NOW - 300_000), line(3, NOW)],
  }], [["error", "console-errors", []]]],
];

for (const [what, input, expected] of CASES) {
  // RING-9
  test(`diagnose(): ${what}`, () => {
    const { ok, findings: found } = findings(...input);
    assert.deepEqual(found.map(({ severity, code, ids }) => [severity, code, ids]), expected);
    assert.equal(ok, expected.every(([severity]) => severity !== "error"));
  });
}

test("diagnose() says where traits of another layer belong", () => {
  const stray: Sketch = { traits: { Transform: {}, Text: { text: "a" } } };
  const [found] = findings([stray, stray]).findings;
  assert.match(found?.hint ?? "", /: Text on the 3d layer, not 2d or ui\. svc_scene_edit setLayer/);
});

test("diagnose() names what many entities lack once", () => {
  const lost: Sketch = { traits: { AudioSource: { clip: guid(7) } } };
  const [found] = findings([lost, lost, lost]).findings;
  assert.deepEqual(found?.ids, [1, 2, 3]);
  assert.equal(found?.hint.split(guid(7)).length, 2, found?.hint);
});

test("diagnose() counts only recent errors and says where to read on", () => {
  const { findings: found } = findings([], { console: [line(4, 0), line(5, NOW), line(6, NOW)] });
  assert.equal(found[0]?.count, 2);
  assert.match(found[0]?.hint ?? "", /Boom\. Read the console from seq 4 on/);
});

for (
  const [source, isBound] of [
    ["Health.hp", true],
    ["Entity 2.Health.hp", true],
    ["Entity 2.speed", true],
    ["Game.score", true],
    ["time", true],
    ["Game.scores", false],
    ["Health.hq", false],
    ["Velocity.x", false],
    ["Entity 2.Health.hq", false],
    ["Walker.Health.hp", false],
    ["Walker.speed", false],
    ["", true],
  ] as const
) {
  test(`diagnose() finds that Binding.source ${JSON.stringify(source)} names ${isBound ? "something" : "nothing"}`, () => {
    const label: Sketch = { layer: "ui", traits: { UIElement: {}, Binding: { source } } };
    const runner: Sketch = { traits: { Health: {} } };
    const found = findings([label, runner]).findings.find(({ code }) => code === "unbound");
    assert.deepEqual(found?.ids, isBound ? undefined : [1]);
    if (!isBound) assert.ok(found?.hint.includes(JSON.stringify(source)));
  });
}
