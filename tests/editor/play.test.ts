import { test } from "node:test";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../lib/ports/clock.ts";
import { MAX_STEPS } from "../../lib/editor/play/play.ts";
import { withSampleService } from "../support/project-service.ts";
import { until } from "../support/until.ts";
import { type Playing, withScene } from "./playing.ts";
import { guid, type Sketch } from "./scenes.ts";

/** A clock that only its sleepers move, and that counts them. */
function steppedClock(): Clock & { readonly naps: () => number } {
  let [now, naps] = [0, 0];
  return {
    naps: () => naps,
    now: () => 1_700_000_000_000 + now,
    monotonic: () => now,
    sleep(ms, signal) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      now += ms;
      naps++;
      return turn();
    },
  };
}

/** Waits for a turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Waits until the game has made that many steps. */
async function reached({ editor }: Playing, ticks: number): Promise<void> {
  await until(`the game is at tick ${ticks}`, () => editor.play.state().tick >= ticks);
}

const SPINNER: Sketch = { traits: { Transform: {}, Rotate: { y: 90 } } };
const KEYS: readonly Sketch[] = [
  { traits: { Transform: {}, RigidBody: { gravityScale: 0 }, Collider: {} } },
  { traits: { InputAction: { action: "up", keys: "ArrowUp, KeyW" } } },
  {
    traits: { ScriptAction: { on: "up", effect: "impulse", target: guid(1), y: 1, held: true } },
  },
  {
    layer: "ui",
    traits: {
      UIElement: { width: 100, widthUnit: "px", height: 50, heightUnit: "px" },
      Button: { action: "fire" },
    },
  },
  { layer: "ui", traits: { ScriptAction: { on: "fire", effect: "emit", text: "shot" } } },
];

function worldHash(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}

test("a scene is not loaded again in the middle of a game's start", async () => {
  let at = 0; // whatever yields has a turn of the event loop
  const clock: Clock = { now: () => at, monotonic: () => at += 25, sleep: turn };
  const many = Array.from({ length: 20_000 }, (): Sketch => ({}));
  await withScene(many, async ({ editor, step }) => {
    const { editing, play } = editor;
    await step(); // what games need is loaded once
    await play.stop("agent");
    const { root, scenePath } = editor.identity();
    writeFileSync(join(root, scenePath), JSON.stringify({ schema: 1, name: "Main", entities: [] }));
    const stepped = step();
    assert.equal(await editing.pickUpChanges(), "unchanged");
    await stepped;
    const round = play.round();
    assert.ok(round.ok);
    assert.equal(round.value.entities.length, many.length, "those that the game began with");
    assert.equal((await editor.sceneState()).entities.length, many.length);
    await play.stop("agent");
    assert.equal(await editing.pickUpChanges(), "reloaded");
  }, { clock });
});

/** The sample after 600 steps with the same input. */
async function playedSample(): Promise<string> {
  let hash = "";
  await withSampleService(async ({ editor }) => {
    const source = "agent";
    assert.ok((await editor.play.step(100, { source })).ok);
    await editor.play.input({ kind: "key", code: "ArrowUp", phase: "down" }, source);
    assert.ok((await editor.play.step(300, { source })).ok);
    await editor.play.input({ kind: "key", code: "ArrowUp", phase: "up" }, source);
    assert.ok((await editor.play.step(200, { source })).ok);
    const events = editor.journals.game().map(({ tick, type, payload }) => [tick, type, payload]);
    hash = worldHash([(await editor.sceneState()).entities, events]);
  });
  return hash;
}

test("step: the same start and input give the same world, in every run and runtime", async () => {
  const hash = await playedSample();
  assert.equal(await playedSample(), hash);
  const committed = readFileSync("tests/editor/play-hash.txt", "utf8").trim();
  assert.equal(hash, committed, "the played sample has changed: put the new hash into the file");
});

test("stop: the edited scene is back exactly, with its revision", async () => {
  await withSampleService(async ({ editor }) => {
    const before = await editor.sceneState();
    const copy = structuredClone(before);
    assert.ok((await editor.play.step(60, { source: "agent" })).ok);
    assert.notDeepEqual((await editor.sceneState()).entities, copy.entities);
    const stopped = await editor.play.stop("agent");
    assert.equal(stopped.ok && stopped.value.state, "stopped");
    assert.deepEqual(await editor.sceneState(), copy);
    assert.equal(editor.editing.unsaved, false);
  });
});

test("a revision read while a game played never comes to mean an edited scene", async () => {
  await withSampleService(async ({ editor }) => {
    const edited = (await editor.sceneState()).rev;
    const seen: number[] = [];
    for (let round = 0; round < 2; round++) {
      await editor.play.step(5, { source: "agent" });
      seen.push((await editor.sceneState()).rev);
      await editor.play.stop("agent");
      assert.equal((await editor.sceneState()).rev, edited, "nothing was edited");
    }
    const [first = 0, second = 0] = seen;
    assert.ok(second > first && first > 2 ** 40, String(seen));
    const stale = await editor.editing.edit({
      ops: [{ op: "rename", id: 1, name: "Other" }],
      source: "agent",
      ifRev: first,
    });
    assert.ok(!stale.ok && stale.error.code === "rev-moved");
  });
});

test("step: ids and guids of the document stay; edits are refused until stop", async () => {
  await withScene([SPINNER], async ({ editor, entity, step }) => {
    await step();
    assert.equal((await entity(1)).id, 1);
    const ops = [{ op: "delete", id: 1 }] as const;
    const refused = await editor.editing.edit({ ops, source: "agent" });
    assert.equal(refused.ok ? "" : refused.error.code, "playing");
    await editor.play.stop("agent");
    const edited = await editor.editing.edit({ ops, source: "agent" });
    assert.ok(edited.ok && edited.value.ok);
  });
});

test("step: counts outside its bounds are refused; an aborted one ends early", async () => {
  await withScene([SPINNER], async ({ editor }) => {
    for (const ticks of [0, -1, 1.5, NaN, MAX_STEPS + 1]) {
      const refused = await editor.play.step(ticks, { source: "agent" });
      assert.equal(refused.ok ? "" : refused.error.code, "bad-ticks");
    }
    assert.equal(editor.play.state().state, "stopped");
    const signal = AbortSignal.abort();
    const ended = await editor.play.step(100, { source: "agent", signal });
    assert.equal(ended.ok ? "" : ended.error.code, "interrupted");
    assert.equal(editor.play.state().tick, 0);
  });
});

test("step: until is asked after every step, and ends it", async () => {
  await withScene([SPINNER], async ({ editor }) => {
    let asked = 0;
    const stepped = await editor.play.step(100, { source: "agent", until: () => ++asked === 7 });
    assert.equal(stepped.ok && stepped.value.tick, 7);
  });
});

test("play: runs by the clock, faster by the time scale; pause stands still", async () => {
  const clock = steppedClock();
  await withScene([SPINNER], async (playing) => {
    const { editor } = playing;
    assert.equal((await editor.play.play("human")).ok, true);
    await reached(playing, 30);
    assert.equal(editor.play.state().state, "playing");
    const paused = await editor.play.pause("human");
    const tick = paused.ok ? paused.value.tick : 0;
    const naps = clock.naps();
    await turn(); // a game that runs would sleep again
    assert.deepEqual([editor.play.state().state, editor.play.state().tick], ["paused", tick]);
    assert.equal(clock.naps(), naps);

    assert.ok(editor.play.setTimeScale(4, "human").ok);
    await editor.play.play("human");
    await reached(playing, tick + 40);
    await editor.play.pause("human");
    const types = editor.journals.editor().map(({ type }) => type);
    assert.deepEqual(types, ["play", "pause", "time-scale", "play", "pause"]);
    const scale = editor.play.setTimeScale(0, "human");
    assert.equal(scale.ok ? "" : scale.error.code, "bad-time-scale");
  }, { clock });
});

test("play: a clock that stands still blocks nothing, and close ends the game", async () => {
  await withScene([SPINNER], async ({ editor }) => {
    await editor.play.play("human");
    await turn();
    assert.equal(editor.play.state().tick, 0);
    await editor.close();
    assert.equal(editor.play.state().state, "stopped");
  });
});

test("stop: interrupts a long step", async () => {
  let looks = 0;
  const busy: Clock = { ...steppedClock(), monotonic: () => ++looks };
  await withScene([SPINNER], async ({ editor }) => {
    const long = editor.play.step(MAX_STEPS, { source: "agent" });
    await until("the long step has begun", () => editor.play.state().tick > 0);
    const [stepped, stopped] = await Promise.all([long, editor.play.stop("human")]);
    assert.equal(stepped.ok ? "" : stepped.error.code, "interrupted");
    assert.equal(stopped.ok && stopped.value.state, "stopped");
  }, { clock: busy });
});

test("stop, pause and close: a step that was asked for before them does not run first", async () => {
  for (const way of ["stop", "pause", "close"] as const) {
    await withScene([SPINNER], async ({ editor }) => {
      if (way === "pause") assert.ok((await editor.play.play("human")).ok);
      const long = editor.play.step(MAX_STEPS, { source: "agent" });
      const [stepped] = await Promise.all([
        long,
        way === "close" ? editor.play.close() : editor.play[way]("human"),
      ]);
      assert.equal(stepped.ok ? "" : stepped.error.code, "interrupted", way);
      assert.equal(editor.play.state().state, way === "pause" ? "paused" : "stopped");
    });
  }
});

test("pause, dispatch, input: refused when no game plays", async () => {
  await withScene(KEYS, async ({ editor: { play } }) => {
    for (
      const answer of [
        await play.pause("agent"),
        await play.dispatch({ action: "up", source: "agent" }),
        await play.input({ kind: "tap", x: 1, y: 1 }, "agent"),
        await play.playClip({ entity: 1, clip: "x", source: "agent" }),
      ]
    ) assert.equal(answer.ok ? "" : answer.error.code, "not-playing");
  });
});

test("step: 500 bodies stay finite and come to rest on the floor", async () => {
  const bodies = Array.from({ length: 500 }, (_, i): Sketch => ({
    traits: {
      Transform: {
        x: (i % 25) * 1.5 - 18,
        y: 1 + Math.floor(i / 100) * 1.2,
        z: Math.floor(i / 25) % 4 * 2,
      },
      RigidBody: {},
      Collider: {},
    },
  }));
  const floor: Sketch = { traits: { Transform: { sx: 100, sz: 100 }, Collider: {} } };
  await withScene([floor, ...bodies], async ({ editor, step }) => {
    await step(120);
    const { entities } = await editor.sceneState();
    const heights = entities.slice(1).map(({ traits }) => Number(traits["Transform"]?.["y"]));
    assert.ok(heights.every((y) => y > 0.9 && y < 6), String(heights.find((y) => !(y > 0.9))));
  });
});

test("input: a held key acts in every step; a pressed one is never too short", async () => {
  await withScene(KEYS, async ({ editor, step, trait }) => {
    await step();
    const height = async () => Number((await trait(1, "Transform"))["y"]);
    const key = (phase: "down" | "up" | "press") =>
      editor.play.input({ kind: "key", code: "KeyW", phase }, "agent");
    const pressed = await key("press");
    assert.deepEqual(pressed.ok && pressed.value.actions, ["up"]);
    await step(2);
    const slow = await height();
    assert.ok(slow > 0);
    await key("down");
    await step(10);
    await key("up");
    assert.ok(await height() > slow * 5);
  });
});

test("input: a tap presses the button under it, not one that is covered", async () => {
  const cover: Sketch = {
    layer: "ui",
    traits: {
      UIElement: {
        position: "absolute",
        pinX: "left",
        pinY: "top",
        width: 60,
        widthUnit: "px",
        height: 60,
        heightUnit: "px",
        background: "#000000ff",
      },
    },
  };
  await withScene([...KEYS, cover], async ({ editor, step, events }) => {
    await step();
    const tap = (x: number, y: number) => editor.play.input({ kind: "tap", x, y }, "agent");
    assert.deepEqual(await tap(80, 25), {
      ok: true,
      value: { target: 4, actions: ["fire"], occludedBy: null },
    });
    assert.deepEqual(await tap(20, 25), {
      ok: true,
      value: { target: null, actions: [], occludedBy: 6 },
    });
    assert.deepEqual(await tap(500, 500), {
      ok: true,
      value: { target: null, actions: [], occludedBy: null },
    });
    await step();
    assert.equal(events("shot").length, 1);
    const [button] = await editor.play.handles();
    assert.deepEqual([button?.id, button?.occludedBy], [`button:${guid(4)}`, 6]);
  });
});

test("input: a pointer presses where it goes down and up on one button", async () => {
  await withScene(KEYS, async ({ editor, step, events }) => {
    await step();
    const point = (phase: "down" | "move" | "up", x: number) =>
      editor.play.input({ kind: "pointer", phase, x, y: 10 }, "agent");
    await point("down", 10);
    await point("move", 300);
    assert.deepEqual((await point("up", 300)).ok, true);
    await point("down", 10);
    const up = await point("up", 20);
    assert.deepEqual(up.ok && up.value.actions, ["fire"]);
    await step();
    assert.equal(events("shot").length, 1);
  });
});

test("dispatch: unknown actions are answered with real ones", async () => {
  await withScene(KEYS, async ({ editor, step }) => {
    await step();
    const refused = await editor.play.dispatch({ action: "frie", source: "agent" });
    assert.match(refused.ok ? "" : refused.error.hint, /fire/);
    const wrong = await editor.play.dispatch({ action: "fire", target: 1, source: "agent" });
    assert.match(wrong.ok ? "" : wrong.error.hint, /5/);
    assert.deepEqual(editor.play.actions(), [
      { name: "up", keys: ["ArrowUp", "KeyW"], targets: [3] },
      { name: "fire", keys: [], targets: [5] },
    ]);
  });
});

const CAMERA: Sketch = { traits: { Transform: { z: 10 }, Camera: {} } };

for (
  const [mode, kind, field, more] of [
    ["translate", "move-x", "x", 0.5],
    ["rotate", "rotate-y", "ry", 20],
    ["scale", "scale-x", "sx", 1.3],
  ] as const
) {
  test(`dragHandle: ${kind} changes Transform.${field} as one step of undo`, async () => {
    await withScene([CAMERA, { traits: { Transform: {} } }], async ({ editor, trait }) => {
      editor.view.change({ selection: [2], gizmoMode: mode }, "agent");
      const handle = (await editor.play.handles()).find((one) => one.kind === kind);
      assert.equal(handle?.id, `${kind}:${guid(2)}`);
      const dragged = await editor.play.dragHandle({
        id: `${kind}:${guid(2)}`,
        dx: 50,
        dy: 0,
        source: "agent",
      });
      assert.deepEqual(dragged, { ok: true, value: { entity: 2, rev: 1 } });
      assert.ok(Number((await trait(2, "Transform"))[field]) > more);
      assert.equal(editor.editing.history().undo.length, 1);
      await editor.editing.undo(1, "agent");
      assert.deepEqual((await trait(2, "Transform"))["x"], 0);
    });
  });
}

test("dragHandle: a handle follows the pointer by as many pixels, also below a parent", async () => {
  const scene = [CAMERA, { traits: { Transform: { ry: 30, sx: 2, sy: 2, sz: 2 } } }, {
    parentId: 2,
    traits: { Transform: { x: 0.5 } },
  }];
  await withScene(scene, async ({ editor }) => {
    editor.view.change({ selection: [3] }, "agent");
    const middle = async () => {
      const handle = (await editor.play.handles()).find(({ kind }) => kind === "move-y");
      return handle?.y ?? NaN;
    };
    const before = await middle();
    const id = `move-y:${guid(3)}`;
    assert.ok((await editor.play.dragHandle({ id, dx: 0, dy: -40, source: "agent" })).ok);
    assert.ok(Math.abs(before - 40 - await middle()) < 1, `${before} ${await middle()}`);
    const refused = await editor.play.dragHandle({ id: "move-q:x", dx: 1, dy: 1, source: "agent" });
    assert.equal(refused.ok ? "" : refused.error.code, "no-such-handle");
  });
});

test("the sample can be played: the boat steers, passes its gate and takes coins", async () => {
  await withSampleService(async ({ editor }) => {
    const source = "agent";
    const find = async (name: string) => {
      const { entities } = await editor.sceneState();
      return entities.find((one) => one.name === name);
    };
    const hold = async (code: string, ticks: number) => {
      await editor.play.input({ kind: "key", code, phase: "down" }, source);
      assert.ok((await editor.play.step(ticks, { source })).ok);
      await editor.play.input({ kind: "key", code, phase: "up" }, source);
    };
    assert.ok((await editor.play.step(1, { source })).ok);
    await hold("ArrowUp", 60);
    const { x, z } = (await find("Runner"))?.traits["Transform"] ?? {};
    assert.ok(Math.abs(Number(x)) < 0.5 && Number(z) < 7, `${x} ${z}`);
    await hold("ArrowRight", 40);
    await hold("ArrowUp", 180);
    const east = (await find("Runner"))?.traits["Transform"] ?? {};
    assert.ok(Number(east["x"]) > 10, `${east["x"]}`);
    const counts = new Map<string, number>();
    for (const { type } of editor.journals.game()) counts.set(type, (counts.get(type) ?? 0) + 1);
    for (const type of ["checkpoint", "collect", "@contact", "@sound-start"]) {
      assert.ok(counts.has(type), `${type}: ${JSON.stringify([...counts])}`);
    }
    assert.equal((await find("Coin Count"))?.traits["Text"]?.["text"], `${counts.get("collect")}`);
    assert.equal((await find("Clock"))?.traits["Text"]?.["text"], "1:26");
  });
});
