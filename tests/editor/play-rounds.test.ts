import { test } from "node:test";
import assert from "node:assert/strict";
import type { Sketch } from "./scenes.ts";
import { guid } from "./scenes.ts";
import { type Playing, withScene } from "./playing.ts";
import { openSavedValues } from "../../lib/game/world/mod.ts";

// What a round of a game is made of: its events as actions, pausing, going on elsewhere, what is kept.

const SETTINGS = { traits: { GameSettings: { timeLimit: 0 } } };

/** An entity of the UI layer that does something on an action. */
function onUi(action: Readonly<Record<string, string | number | boolean>>): Sketch {
  return { layer: "ui", traits: { UIElement: {}, ScriptAction: action } };
}

/** Keeps a text up to date. */
function shown(source: string, more: Readonly<Record<string, number>> = {}): Sketch {
  return { layer: "ui", traits: { UIElement: {}, Text: {}, Binding: { source, ...more } } };
}

async function dispatch({ editor }: Playing, action: string): Promise<void> {
  assert.ok((await editor.play.dispatch({ action, source: "agent" })).ok);
}

test("what happens in a round is an action: who waits for it acts in the next step", async () => {
  const player = { Transform: {}, Collider: {}, Velocity: { x: 6 }, Player: {} };
  const marks = ["@start", "@collect", "@checkpoint", "@lap", "@win"];
  const scene = [
    { traits: { ...player, Health: { hp: 1, max: 1 } } },
    { traits: { Transform: { x: 3 }, Renderable3D: {}, Collectible: {} } },
    { traits: { Transform: { x: 6 }, Collider: { sensor: true }, Checkpoint: {} } },
    SETTINGS,
    ...marks.map((on) => onUi({ on, effect: "set", field: "UIElement.gap", value: 1 })),
  ];
  await withScene(scene, async ({ step, trait, events }) => {
    await step(120);
    for (const [i, on] of marks.entries()) {
      assert.equal((await trait(5 + i, "UIElement"))["gap"], 1, on);
    }
    assert.equal(events("@action").length, 0); // the journal has them under their own names
  });
});

test("being hurt, coming back and losing are actions as well", async () => {
  const marks = ["@hurt", "@respawn", "@lose"];
  const scene = [
    { traits: { Transform: {}, Collider: {}, Health: { hp: 1, max: 1 }, Player: {} } },
    { traits: { Transform: {}, Collider: {}, Hazard: {} } },
    { traits: { GameSettings: { lives: 2, timeLimit: 0 } } },
    ...marks.map((on) => onUi({ on, effect: "add", field: "UIElement.gap", value: 1 })),
  ];
  await withScene(scene, async ({ step, trait }) => {
    await step(200);
    const gaps = [4, 5, 6].map(async (n) => (await trait(n, "UIElement"))["gap"]);
    assert.deepEqual(await Promise.all(gaps), [4, 1, 1]);
  });
});

test("what time is left is worth something at a win", async () => {
  const scene = [
    { traits: { Transform: {}, Collider: {}, Player: {} } },
    { traits: { Transform: {}, Renderable3D: {}, Collectible: { value: 5 } } },
    { traits: { GameSettings: { timeLimit: 10, secondValue: 3 } } },
  ];
  await withScene(scene, async ({ step, events }) => {
    await step(2);
    assert.deepEqual(events("win")[0]?.payload, { why: "all collected", score: 5 + 9 * 3 });
  });
});

test("a paused world stands, and its UI goes on", async () => {
  const scene = [
    { traits: { Transform: {}, Velocity: { x: 6 } } },
    SETTINGS,
    onUi({ on: "pause", effect: "toggle", target: guid(2), field: "GameSettings.paused" }),
    onUi({ on: "tap", effect: "add", field: "UIElement.gap", value: 2 }),
    {
      traits: {
        Transform: {},
        ScriptAction: { on: "tap", effect: "add", field: "Transform.y", value: 1 },
      },
    },
    shown("Game.time"),
  ];
  await withScene(scene, async (playing) => {
    const { step, trait } = playing;
    const x = async () => Math.round(Number((await trait(1, "Transform"))["x"]) * 10);
    await step(60);
    assert.equal(await x(), 60);
    await dispatch(playing, "pause");
    await step();
    assert.equal((await trait(2, "GameSettings"))["paused"], true);
    const there = await x();
    await dispatch(playing, "tap");
    await step(300);
    assert.equal(await x(), there);
    assert.equal((await trait(4, "UIElement"))["gap"], 2);
    assert.equal((await trait(5, "Transform"))["y"], 0);
    assert.equal((await trait(6, "Text"))["text"], "0:02"); // 1.02 s, and no second of the pause
    await dispatch(playing, "pause");
    await step(61);
    assert.ok(await x() > there + 50);
    assert.equal((await trait(6, "Text"))["text"], "0:03");
  });
});

test("openScene without a scene begins this one again, with its time and its score", async () => {
  const scene = [
    { traits: { Transform: {}, Velocity: { x: 6 } } },
    { traits: { GameSettings: { timeLimit: 10 } } },
    onUi({ on: "again", effect: "openScene" }),
    shown("Game.time"),
  ];
  await withScene(scene, async (playing) => {
    const { editor, step, trait, events } = playing;
    await step(300);
    await dispatch(playing, "again");
    await step(2);
    assert.ok(Number((await trait(1, "Transform"))["x"]) < 0.2);
    assert.equal((await trait(4, "Text"))["text"], "0:10");
    assert.equal(editor.play.state().tick, 302);
    assert.deepEqual(events("scene").map(({ payload }) => payload), [{ path: null }]);
  });
});

test("Timer: dispatches after its time, again where it repeats, and not while it is off", async () => {
  const count = (on: string) => onUi({ on, effect: "add", field: "UIElement.gap", value: 1 });
  const scene = [
    { traits: { Timer: { action: "once", seconds: 0.5 } } },
    { traits: { Timer: { action: "often", seconds: 0.5, repeat: true } } },
    { traits: { Timer: { action: "never", running: false } } },
    count("once"),
    count("often"),
    count("never"),
  ];
  await withScene(scene, async ({ step, trait }) => {
    const gaps = () =>
      Promise.all([4, 5, 6].map(async (n) => (await trait(n, "UIElement"))["gap"]));
    await step(30);
    assert.deepEqual(await gaps(), [0, 0, 0]);
    await step();
    assert.deepEqual(await gaps(), [1, 1, 0]);
    assert.equal((await trait(1, "Timer"))["running"], false);
    await step(90);
    assert.deepEqual(await gaps(), [1, 4, 0]);
  });
});

test("SavedValue: keeps the highest, the lowest, the last and the sum, from scene to scene", async () => {
  const kept = (keep: string, value: number): Sketch => ({
    traits: { SavedValue: { name: keep, source: "RigidBody.mass", on: "keep", keep, value } },
  });
  const scene = [
    { traits: { Transform: {}, RigidBody: { mass: 5 } } },
    kept("highest", 7),
    kept("lowest", 7),
    kept("last", 7),
    kept("sum", 7),
    onUi({ on: "more", effect: "set", target: guid(1), field: "RigidBody.mass", value: 9 }),
    onUi({ on: "again", effect: "openScene" }),
  ];
  await withScene(scene, async (playing) => {
    const { editor, step, trait } = playing;
    const values = () =>
      Promise.all([2, 3, 4, 5].map(async (n) => (await trait(n, "SavedValue"))["value"]));
    await step();
    assert.deepEqual(await values(), [7, 7, 7, 7]);
    await dispatch(playing, "keep");
    await step();
    assert.deepEqual(await values(), [7, 5, 5, 12]);
    await dispatch(playing, "more");
    await step();
    await dispatch(playing, "keep");
    await step();
    assert.deepEqual(await values(), [9, 5, 9, 21]);
    await dispatch(playing, "again");
    await step(2);
    assert.deepEqual(await values(), [9, 5, 9, 21]);
    await editor.play.stop("agent");
    await step();
    assert.deepEqual(await values(), [7, 7, 7, 7]); // a new game of the editor knows nothing
  });
});

test("SavedValue: without a name it is not kept, and the console says so once", async () => {
  const scene = [SETTINGS, { traits: { SavedValue: { source: "Game.time", on: "" } } }];
  await withScene(scene, async ({ editor, step }) => {
    await step(10);
    const said = (await editor.consoleEntries()).filter(({ level }) => level === "warn");
    assert.deepEqual(said.map(({ text }) => text), [
      'SavedValue of "Entity 2" (id 2) is not kept: it has no name',
    ]);
  });
});

test("Binding: a number is shown times its factor", async () => {
  const scene = [
    { traits: { Transform: { x: 0.5 } } },
    shown("Transform.x", { factor: 100 }),
    {
      layer: "ui" as const,
      traits: { UIElement: {}, Binding: { source: "Transform.x", factor: 30 } },
    },
  ];
  await withScene(scene, async ({ step, trait }) => {
    await step();
    assert.equal((await trait(2, "Text"))["text"], "50");
    assert.equal((await trait(3, "UIElement"))["width"], 15);
  });
});

for (const start of [0, 120, -170]) {
  test(`turn: by degrees a second while held, all the way round, from ${start} degrees`, async () => {
    const scene = [
      { traits: { Transform: { ry: start }, RigidBody: { gravityScale: 0 }, Collider: {} } },
      { parentId: 1, traits: { Transform: { z: -10 } } },
      { traits: { InputAction: { action: "port", keys: "KeyA" } } },
      {
        traits: {
          ScriptAction: { on: "port", effect: "turn", target: guid(1), y: 90, held: true },
        },
      },
      onUi({ on: "about", effect: "turn", target: guid(1), y: 180 }),
    ];
    await withScene(scene, async (playing) => {
      const { editor, step } = playing;
      const nose = async () => {
        const { position } = (await editor.worldTransforms()).get(2) ?? { position: [0, 0, 0] };
        return [Math.round(position[0]) + 0, Math.round(position[2]) + 0];
      };
      const at = (degrees: number) => {
        const angle = (start + degrees) * Math.PI / 180;
        return [Math.round(-10 * Math.sin(angle)) + 0, Math.round(-10 * Math.cos(angle)) + 0];
      };
      await step();
      await editor.play.input({ kind: "key", code: "KeyA", phase: "down" }, "agent");
      for (const degrees of [60, 120, 180, 240, 300, 360]) {
        await step(40);
        assert.deepEqual(await nose(), at(degrees));
      }
      await editor.play.input({ kind: "key", code: "KeyA", phase: "up" }, "agent");
      await step();
      await dispatch(playing, "about");
      await step();
      assert.deepEqual(await nose(), at(361.5 + 180));
    });
  });
}

test("Follow: a camera that turns stays behind its target and looks along with it", async () => {
  const scene = [
    { traits: { Transform: {}, Rotate: { y: 45 } } },
    {
      traits: {
        Transform: { y: 3, z: 4, rx: -20 },
        Follow: { target: guid(1), distance: 5, damping: 0, turns: true },
      },
    },
    { parentId: 2, traits: { Transform: { z: -5 } } },
  ];
  await withScene(scene, async ({ editor, step }) => {
    for (const [turns, sign] of [[240, 1], [240, -1]] as const) {
      await step(turns); // half way round each time
      const places = await editor.worldTransforms();
      const [eye, seen] = [places.get(2)?.position, places.get(3)?.position];
      assert.deepEqual(eye?.map(Math.round).map((n) => n + 0), [0, 3, -4 * sign]);
      // As steep as before: 5 m along its view are 1.7 m down.
      assert.ok(Math.abs((seen?.[1] ?? 0) - (3 - 5 * Math.sin(Math.PI / 9))) < 1e-9);
      assert.ok(sign * ((seen?.[2] ?? 0) - (eye?.[2] ?? 0)) > 4);
    }
  });
});

test("Patrol: one that faces its way turns about with it", async () => {
  const scene = [
    { traits: { Transform: {}, Patrol: { target: guid(2), speed: 2, faces: true } } },
    { traits: { Transform: { x: 1 } } },
    { parentId: 1, traits: { Transform: { z: -10 } } },
  ];
  await withScene(scene, async ({ editor, step }) => {
    const nose = async () => Math.round((await editor.worldTransforms()).get(3)?.position[0] ?? 0);
    await step(10);
    assert.equal(await nose(), 10);
    await step(40);
    assert.ok(await nose() < -8);
  });
});

test("ScriptAction: after it acted it rests as long as it says", async () => {
  const scene = [
    onUi({ on: "go", effect: "add", field: "UIElement.gap", value: 1, cooldown: 0.5 }),
    { traits: { Timer: { action: "go", seconds: 0.1, repeat: true } } },
  ];
  await withScene(scene, async ({ step, trait }) => {
    await step(121);
    assert.equal((await trait(1, "UIElement"))["gap"], 4);
  });
});

test("InputAction: the keys of a menu answer while it is open", async () => {
  const scene = [
    { layer: "ui" as const, traits: { UIElement: { visible: false } } },
    {
      layer: "ui" as const,
      parentId: 1,
      traits: { UIElement: {}, InputAction: { action: "go", keys: "Enter" } },
    },
    onUi({ on: "open", effect: "set", target: guid(1), field: "UIElement.visible", value: 1 }),
  ];
  await withScene(scene, async (playing) => {
    const { editor, step } = playing;
    const press = async () => {
      const sent = await editor.play.input({ kind: "key", code: "Enter", phase: "press" }, "agent");
      return sent.ok ? sent.value.actions : sent.error.code;
    };
    await step();
    assert.deepEqual(await press(), []);
    await step(3);
    await dispatch(playing, "open");
    await step();
    assert.deepEqual(await press(), ["go"]);
  });
});

test("Binding: true and false show and hide; Checkpoint.next is true of the one to reach", async () => {
  const mark = (n: number): Sketch => ({
    traits: {
      Transform: { y: 9 },
      Renderable3D: {},
      Binding: { source: `Entity ${n}.Checkpoint.next` },
    },
  });
  const gate = (order: number): Sketch => ({
    traits: { Transform: { x: 3 + 3 * order }, Collider: { sensor: true }, Checkpoint: { order } },
  });
  const scene = [
    { traits: { Transform: {}, Collider: {}, Velocity: { x: 3 }, Player: {} } },
    gate(0),
    gate(1),
    mark(2),
    mark(3),
    SETTINGS,
  ];
  await withScene(scene, async ({ step, trait }) => {
    const seen = () =>
      Promise.all([4, 5].map(async (n) => (await trait(n, "Renderable3D"))["visible"]));
    await step(5);
    assert.deepEqual(await seen(), [true, false]);
    await step(60);
    assert.deepEqual(await seen(), [false, true]);
  });
});

test("MapMarker: shows on the 2D layer where one of the 3D layer is and looks", async () => {
  const scene = [
    { traits: { Transform: { x: 8, y: 5, z: -6, ry: -90 } } },
    { layer: "2d" as const, traits: { Transform: { x: 100, y: 100 } } },
    {
      layer: "2d" as const,
      parentId: 2,
      traits: { Transform: { z: 1 }, MapMarker: { target: guid(1), scale: 2 } },
    },
  ];
  await withScene(scene, async ({ step, trait }) => {
    await step();
    const { x, y, z, rz } = await trait(3, "Transform");
    assert.deepEqual([x, y, z, Math.round(Number(rz))], [16, -12, 1, 90]);
  });
});

test("openSavedValues(): what is kept is there the next time", () => {
  const texts = new Map<string, string>();
  const storage = {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
  };
  const said: string[] = [];
  const open = () => openSavedValues(storage, "game", (text) => said.push(text));
  open().set("best", 120.5);
  open().set("__proto__", 3);
  assert.deepEqual([open().get("best"), open().get("__proto__"), open().size], [120.5, 3, 2]);
  assert.equal(open().get("toString"), undefined);
  for (
    const text of ["", "[1]", "no JSON", '{"best":"120"}', '{"":1}', `{"${"n".repeat(101)}":1}`]
  ) {
    texts.set("game", text);
    assert.equal(open().size, 0, text);
  }
  texts.set(
    "game",
    JSON.stringify(Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`n${i}`, i]))),
  );
  assert.equal(open().size, 1000);
  assert.deepEqual(said, []);
});

test("openSavedValues(): a storage that refuses is said once, and the game goes on", () => {
  const refuse = () => {
    throw new Error("The operation is insecure");
  };
  const said: string[] = [];
  const values = openSavedValues(
    { getItem: refuse, setItem: refuse },
    "game",
    (text) => said.push(text),
  );
  values.set("best", 1);
  values.set("best", 2);
  assert.deepEqual([values.get("best"), said.length], [2, 1]);
});
