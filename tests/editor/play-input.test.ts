import { test } from "node:test";
import assert from "node:assert/strict";
import type { InputEvent, InputOutcome, TraitFields } from "../../lib/editor/ports/mod.ts";
import { type Playing, withScene } from "./playing.ts";
import { guid, type Sketch } from "./scenes.ts";

/** A box of the UI layer at a place of the viewport, in pixels. */
function box(left: number, top: number, side: number, more: TraitFields = {}): TraitFields {
  return {
    position: "absolute",
    pinX: "left",
    pinY: "top",
    left,
    top,
    width: side,
    widthUnit: "px",
    height: side,
    heightUnit: "px",
    ...more,
  };
}

/** Counts how often an action was done: `value` is added each time. */
function counter(on: string, { held = false }: { readonly held?: boolean } = {}): Sketch {
  return {
    traits: {
      Transform: {},
      ScriptAction: { on, effect: "add", field: "Transform.x", value: 1, held },
    },
  };
}

async function send({ editor }: Playing, event: InputEvent): Promise<InputOutcome> {
  const sent = await editor.play.input(event, "agent");
  if (!sent.ok) throw new Error(sent.error.detail);
  return sent.value;
}

/** What the n-th entity has counted. */
async function counted({ trait }: Playing, n: number): Promise<number> {
  return Number((await trait(n, "Transform"))["x"]);
}

const SCENE: readonly Sketch[] = [
  counter("boost", { held: true }),
  counter("boost"),
  counter("right", { held: true }),
  {
    layer: "ui",
    traits: { UIElement: box(0, 0, 50), Button: { action: "boost", held: true } },
  },
  {
    layer: "ui",
    traits: {
      UIElement: box(100, 100, 100),
      Stick: { left: "left", right: "right", up: "up", down: "down", radius: 50, knob: guid(6) },
    },
  },
  { layer: "ui", parentId: 5, traits: { UIElement: box(30, 30, 40) } },
  {
    traits: {
      InputAction: { action: "boost", keys: "Gamepad0, WheelUp, GamepadRightStickDown, KeyB" },
    },
  },
];

test("a held button gives its action from the press to the release, wherever the pointer goes", () =>
  withScene(SCENE, async (playing) => {
    await playing.step();
    const down = await send(playing, { kind: "pointer", phase: "down", x: 10, y: 10 });
    assert.deepEqual(down, { target: 4, actions: ["boost"], occludedBy: null });
    await playing.step(10);
    await send(playing, { kind: "pointer", phase: "move", x: 300, y: 300 });
    await playing.step(10);
    const up = await send(playing, { kind: "pointer", phase: "up", x: 10, y: 10 });
    assert.deepEqual(up.actions, [], "its action has ended");
    await playing.step(10);
    assert.equal(await counted(playing, 1), 21, "and goes on for one step, as keys do");
    assert.equal(await counted(playing, 2), 1, "what does not hold answers once");
  }));

test("a tap on a held button is one step of it", () =>
  withScene(SCENE, async (playing) => {
    await playing.step();
    const tap = await send(playing, { kind: "tap", x: 10, y: 10 });
    assert.deepEqual(tap.actions, ["boost"]);
    await playing.step(10);
    assert.equal(await counted(playing, 1), 1);
    assert.equal(await counted(playing, 2), 1);
  }));

test("a cancelled pointer ends what it held, and presses nothing", () =>
  withScene([
    ...SCENE,
    { layer: "ui", traits: { UIElement: box(60, 0, 30), Button: { action: "boost" } } },
  ], async (playing) => {
    await playing.step();
    await send(playing, { kind: "pointer", phase: "down", x: 70, y: 10 });
    const cancelled = await send(playing, { kind: "pointer", phase: "cancel", x: 70, y: 10 });
    assert.deepEqual(cancelled, { target: 8, actions: [], occludedBy: null });
    await send(playing, { kind: "pointer", phase: "up", x: 70, y: 10 });
    await playing.step(5);
    assert.equal(await counted(playing, 2), 0);
  }));

test("a stick gives its actions as strongly as it is pushed, and moves its knob", () =>
  withScene(SCENE, async (playing) => {
    const { step, trait } = playing;
    await step();
    const handles = await playing.editor.play.handles();
    const stick = handles.find(({ kind }) => kind === "stick");
    assert.deepEqual([stick?.entity, stick?.x, stick?.y, stick?.occludedBy], [
      5,
      150,
      150,
      undefined,
    ]);
    const down = await send(playing, { kind: "pointer", phase: "down", x: 150, y: 150 });
    assert.deepEqual([down.target, down.actions], [5, []], "the middle is no push");
    const half = await send(playing, { kind: "pointer", phase: "move", x: 180, y: 150 });
    assert.deepEqual(half, { target: 5, actions: ["right"], occludedBy: null });
    await step(4);
    assert.ok(Math.abs(await counted(playing, 3) - 4 * (0.6 - 0.2) / 0.8) < 1e-9);
    assert.deepEqual([(await trait(5, "Stick"))["x"], (await trait(5, "Stick"))["y"]], [0.6, 0]);
    assert.deepEqual((await trait(6, "UIElement"))["left"], 60);
    await send(playing, { kind: "pointer", phase: "move", x: 150, y: 900 });
    await step(1);
    const { left, top } = await trait(6, "UIElement");
    assert.deepEqual([left, top], [30, 80], "no further than its radius");
    const before = await counted(playing, 3);
    await send(playing, { kind: "pointer", phase: "up", x: 150, y: 900 });
    await step(3);
    assert.equal(await counted(playing, 3), before);
    const rest = await trait(6, "UIElement");
    assert.deepEqual([rest["left"], rest["top"], (await trait(5, "Stick"))["y"]], [30, 30, 0]);
  }));

test("two pointers hold a button and a stick at the same time", () =>
  withScene(SCENE, async (playing) => {
    await playing.step();
    await send(playing, { kind: "pointer", phase: "down", x: 10, y: 10, id: 3 });
    await send(playing, { kind: "pointer", phase: "down", x: 200 - 1, y: 150, id: 1 });
    await playing.step(5);
    await send(playing, { kind: "pointer", phase: "up", x: 10, y: 10, id: 3 });
    await playing.step(5);
    assert.equal(await counted(playing, 1), 6);
    assert.ok(await counted(playing, 3) > 9.5, String(await counted(playing, 3)));
  }));

test("a gamepad gives what an InputAction names of it, as long as its state says so", () =>
  withScene(SCENE, async (playing) => {
    await playing.step();
    const pad = (buttons: readonly number[], axes: readonly number[] = []) =>
      send(playing, { kind: "gamepad", buttons, axes });
    assert.deepEqual((await pad([0, 3])).actions, ["boost"]);
    await playing.step(5);
    assert.deepEqual((await pad([0])).actions, ["boost"]);
    await playing.step(5);
    assert.deepEqual((await pad([])).actions, []);
    await playing.step(5);
    assert.equal(await counted(playing, 1), 11);
    assert.equal(await counted(playing, 2), 1, "it went down once");
    assert.deepEqual((await pad([], [0, 0, 0, 0.1])).actions, [], "within the dead zone");
    assert.deepEqual((await pad([], [0, 0, 0, 1])).actions, ["boost"]);
    await playing.step(2);
    assert.equal(await counted(playing, 1), 13);
  }));

test("the wheel gives an action for one step", () =>
  withScene(SCENE, async (playing) => {
    await playing.step();
    const wheel = (dy: number) => send(playing, { kind: "wheel", x: 5, y: 5, dy });
    assert.deepEqual((await wheel(-40)).actions, ["boost"]);
    assert.deepEqual((await wheel(40)).actions, []);
    await playing.step(5);
    assert.equal(await counted(playing, 1), 1);
  }));

const OPENER: Sketch = {
  traits: {
    InputAction: { action: "go", keys: "Enter" },
    ScriptAction: { on: "go", effect: "openScene", text: "assets/scenes/next.scene.json" },
  },
};
const NEXT = {
  "assets/scenes/next.scene.json": {
    schema: 1,
    name: "Next",
    entities: [{
      guid: guid(20),
      name: "Counter",
      layer: "3d",
      traits: {
        Transform: {},
        InputAction: { action: "fly", keys: "KeyF" },
        ScriptAction: {
          on: "fly",
          effect: "add",
          field: "Transform.x",
          value: 1,
          held: true,
        },
      },
    }],
  },
};

test("a key that is held is held in the next scene, what a pointer held is not", () =>
  withScene([
    OPENER,
    { layer: "ui", traits: { UIElement: box(0, 0, 50), Button: { action: "fly", held: true } } },
  ], async (playing) => {
    await playing.step();
    await send(playing, { kind: "key", code: "KeyF", phase: "down" });
    await send(playing, { kind: "pointer", phase: "down", x: 10, y: 10 });
    await send(playing, { kind: "key", code: "Enter", phase: "press" });
    await playing.step();
    await playing.step(10);
    const counts = async () => {
      const { entities } = await playing.editor.sceneState();
      return Number(entities.find(({ guid: at }) => at === guid(20))?.traits["Transform"]?.["x"]);
    };
    assert.equal(await counts(), 10);
    await send(playing, { kind: "key", code: "KeyF", phase: "up" });
    await playing.step(10);
    assert.equal(await counts(), 11);
  }, { files: NEXT }));
