import assert from "node:assert/strict";
import { test } from "node:test";
import type { Handle } from "../../lib/editor/ports/mod.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { type Playing, withScene } from "./playing.ts";
import { guid, type Sketch } from "./scenes.ts";

const OPPOSITE = {
  "resize-nw": "resize-se",
  "resize-ne": "resize-sw",
  "resize-sw": "resize-ne",
  "resize-se": "resize-nw",
} as const;

/** They follow the pointer across, and stay on their side along. */
const ACROSS_EDGE = {
  "resize-n": "resize-s",
  "resize-e": "resize-w",
  "resize-s": "resize-n",
  "resize-w": "resize-e",
} as const;

async function handle({ editor }: Playing, id: string): Promise<Handle> {
  const all = await editor.play.handles();
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new Error(`No ${id} among ${all.map((one) => one.id)}`);
  return found;
}

async function drag({ editor }: Playing, id: string, dx: number, dy: number): Promise<void> {
  const dragged = await editor.play.dragHandle({ id, dx, dy, source: "agent" });
  if (!dragged.ok) throw new Error(dragged.error.detail);
}

function near(found: Handle, [x, y]: readonly [number, number], label: string): void {
  const isNear = Math.abs(found.x - x) < 0.01 && Math.abs(found.y - y) < 0.01;
  assert.ok(isNear, `${label}: ${found.x}, ${found.y}, expected ${x}, ${y}`);
}

/** Selects the n-th entity, drags each of its handles, and looks where all of them are. */
async function tryRectHandles(playing: Playing, n: number, random: Random, label: string) {
  playing.editor.view.change({ selection: [n] }, "agent");
  for (const kind of ["move", ...Object.keys(OPPOSITE)]) {
    const id = `${kind}:${guid(n)}`;
    const [dx, dy] = [random.below(41) - 20, random.below(41) - 20];
    const before = await handle(playing, id);
    const across = Object.entries(OPPOSITE).find(([one]) => one === kind)?.[1];
    const opposite = across === undefined ? null : await handle(playing, `${across}:${guid(n)}`);
    await drag(playing, id, dx, dy);
    near(await handle(playing, id), [before.x + dx, before.y + dy], `${label} ${kind}`);
    if (opposite === null) continue;
    near(await handle(playing, opposite.id), [opposite.x, opposite.y], `${label} across ${kind}`);
  }
  for (const [kind, across] of Object.entries(ACROSS_EDGE)) {
    const opposite = await handle(playing, `${across}:${guid(n)}`);
    const before = await handle(playing, `${kind}:${guid(n)}`);
    const out = [before.x - opposite.x, before.y - opposite.y] as const;
    const length = Math.hypot(...out);
    await drag(playing, before.id, out[0] / length * 15, out[1] / length * 15);
    near(await handle(playing, opposite.id), [opposite.x, opposite.y], `${label} across ${kind}`);
    const pulled = [before.x + out[0] / length * 15, before.y + out[1] / length * 15] as const;
    near(await handle(playing, before.id), pulled, `${label} ${kind}`);
  }
}

test("dragHandle: a sprite turns about its pivot, as the grip above it goes around", () =>
  withScene([
    { layer: "2d", traits: { Transform: { x: 100, y: 100 }, Camera: { zoom: 2 } } },
    {
      layer: "2d",
      traits: {
        Transform: { x: 110, y: 120, rz: 30 },
        Sprite: { width: 50, height: 40, pivotX: 0.5, pivotY: 0.5 },
      },
    },
  ], async (playing) => {
    playing.editor.view.change({ selection: [2] }, "agent");
    const [grip, middle] = [
      await handle(playing, `rotate:${guid(2)}`),
      await handle(playing, `move:${guid(2)}`),
    ];
    const [x, y] = [grip.x - middle.x, grip.y - middle.y];
    await drag(playing, grip.id, -y - x, x - y); // a quarter, clockwise
    const { traits } = await playing.entity(2);
    assert.ok(Math.abs(Number(traits["Transform"]?.["rz"]) - 120) < 1e-6);
    near(await handle(playing, grip.id), [middle.x - y, middle.y + x], "the grip");
  }));

test("dragHandle: corners of sprites follow the pointer, turned, scaled, below parents", async () => {
  const seed = runSeed();
  for (let round = 0; round < rounds(15, 300); round++) {
    const label = `SLIPWAY_SEED=${seed} round ${round}`;
    const random = seededRandom(seed + round);
    const some = (low: number, high: number) => low + random.next() * (high - low);
    const turn = () => ({ x: some(-99, 99), y: some(-99, 99), rz: some(-180, 180) });
    // Even scales above: a turned child in an unevenly scaled parent is no rectangle any more.
    const above = some(0.5, 2);
    const scene: readonly Sketch[] = [
      { layer: "2d", traits: { Transform: turn(), Camera: { zoom: some(0.5, 2) } } },
      { layer: "2d", traits: { Transform: { ...turn(), sx: above, sy: above } } },
      {
        layer: "2d",
        parentId: 2,
        traits: {
          Transform: { ...turn(), sx: some(0.5, 2), sy: some(0.5, 2) },
          Sprite: {
            width: some(900, 999),
            height: some(900, 999),
            pivotX: some(0, 1),
            pivotY: some(0, 1),
          },
        },
      },
    ];
    await withScene(scene, (playing) => tryRectHandles(playing, 3, random, label));
  }
});

test("dragHandle: corners of UI boxes follow the pointer, however they are held", async () => {
  const seed = runSeed();
  for (let round = 0; round < rounds(15, 300); round++) {
    const label = `SLIPWAY_SEED=${seed} round ${round}`;
    const random = seededRandom(seed + round);
    const position = random.below(2) === 0 ? "absolute" : "relative";
    const pinX = ["none", "left", "right", "both"][random.below(4)] ?? "";
    const pinY = ["none", "top", "bottom", "both"][random.below(4)] ?? "";
    const [left, right, top, bottom] = [0, 1, 2, 3].map(() => random.below(200));
    const size = { width: 150 + random.below(99), height: 150 + random.below(99) };
    const units = { widthUnit: "px", heightUnit: "px" };
    const scene: readonly Sketch[] = [
      {
        layer: "ui",
        traits: { UIElement: { ...units, width: 900, height: 600, padding: random.below(20) } },
      },
      {
        layer: "ui",
        parentId: 1,
        traits: {
          UIElement: {
            ...units,
            ...size,
            ...{ position, pinX, pinY, margin: random.below(20) },
            ...{ left: left ?? 0, right: right ?? 0, top: top ?? 0, bottom: bottom ?? 0 },
          },
        },
      },
    ];
    const about = `${label} ${position} ${pinX} ${pinY}`;
    await withScene(scene, (playing) => tryRectHandles(playing, 2, random, about));
  }
});

test("dragHandle: a sprite's drag is one step of undo, and none of it is left after", () =>
  withScene([
    { layer: "2d", traits: { Transform: { x: 100, y: 100 }, Sprite: { width: 50, height: 50 } } },
    { layer: "2d", traits: { Transform: { x: 300, y: 300 }, Text: { text: "Hello" } } },
  ], async (playing) => {
    const { editor, entity } = playing;
    const before = await entity(1);
    editor.view.change({ selection: [1, 2] }, "agent");
    const kinds = (await editor.play.handles()).map(({ entity, kind }) => `${entity} ${kind}`);
    const sides = [...Object.keys(OPPOSITE), ...Object.keys(ACROSS_EDGE)].map((kind) =>
      `1 ${kind}`
    );
    assert.deepEqual(
      kinds,
      ["1 move", ...sides, "1 rotate", "2 move"],
      "a text has no size of its own",
    );
    await drag(playing, `resize-se:${guid(1)}`, 10, 20);
    const { traits } = await entity(1);
    assert.deepEqual([traits["Sprite"]?.["width"], traits["Sprite"]?.["height"]], [60, 70]);
    assert.equal(editor.editing.history().undo.length, 1);
    await editor.editing.undo(1, "agent");
    assert.deepEqual((await entity(1)).traits, before.traits);
    await drag(playing, `resize-nw:${guid(1)}`, 500, 500);
    assert.equal((await entity(1)).traits["Sprite"]?.["width"], 1, "it does not turn inside out");
  }));

const TIMELINE = guid(90);
const SCORE: readonly Sketch[] = [{ traits: { Transform: {}, Timeline: { timeline: TIMELINE } } }];
const FILES = {
  "assets/t.timeline.json": {
    schema: 1,
    length: 10,
    tracks: [
      { type: "signal", items: [{ t: 5, signal: "late" }, { t: 1, signal: "early" }] },
      { type: "activation", items: [{ t: 2, duration: 4, active: true }] },
    ],
  },
  "assets/t.timeline.json.meta.json": { guid: TIMELINE },
};

test("handles: items of a selected timeline start and end where they are dragged to", () =>
  withScene(SCORE, async (playing) => {
    const { editor } = playing;
    assert.deepEqual(await editor.play.handles(), [], "nothing is selected");
    editor.view.change({ selection: [1] }, "agent");
    const { width } = editor.view.state().viewport;
    const all = await editor.play.handles();
    const items = all.filter(({ editor }) => editor === "timeline");
    assert.deepEqual(items.map(({ id, x, y }) => [id, x / width * 10, y]), [
      [`start:${guid(1)}:0:0`, 5, 30],
      [`start:${guid(1)}:0:1`, 1, 30],
      [`start:${guid(1)}:1:0`, 2, 50],
      [`end:${guid(1)}:1:0`, 6, 50],
    ]);
    const content = async () => {
      const read = await editor.authoring.read(TIMELINE);
      // deno-lint-ignore no-explicit-any
      return (read.ok ? read.value.content : null) as any;
    };
    await drag(playing, `start:${guid(1)}:0:1`, width / 4, 0);
    await drag(playing, `start:${guid(1)}:1:0`, -width, 0);
    await drag(playing, `end:${guid(1)}:1:0`, width / 10, 0);
    const { tracks } = await content();
    assert.deepEqual(tracks[0].items, [{ t: 5, signal: "late" }, { t: 3.5, signal: "early" }]);
    assert.deepEqual(tracks[1].items, [{ t: 0, duration: 7, active: true }]);
    await drag(playing, `end:${guid(1)}:1:0`, -2 * width, 0);
    assert.deepEqual((await content()).tracks[1].items[0], { t: 0, duration: 0, active: true });
  }, { files: FILES }));

test("handles: the playhead of a running timeline seeks, and no item can be dragged meanwhile", () =>
  withScene(SCORE, async (playing) => {
    const { editor, step, events } = playing;
    editor.view.change({ selection: [1] }, "agent");
    const { width } = editor.view.state().viewport;
    await step(30);
    const head = await handle(playing, `playhead:${guid(1)}`);
    assert.equal(head.kind, "playhead");
    assert.ok(Math.abs(head.x - width / 20) < 1, `${head.x}`);
    await drag(playing, head.id, width * 0.44, 0);
    await step(6);
    assert.deepEqual(events("@action"), [], "what lies between does not happen");
    await step(2);
    assert.deepEqual(events("@action").map(({ payload }) => payload), [{ action: "late" }]);
    const id = `start:${guid(1)}:0:0`;
    const refused = await editor.play.dragHandle({ id, dx: 5, dy: 0, source: "agent" });
    assert.equal(refused.ok ? "" : refused.error.code, "playing");
    const { x } = await handle(playing, head.id);
    assert.ok(x > width / 2, "it goes on");
  }, { files: FILES }));

test("handles: a button is tapped where it is to be seen, and nowhere beyond the screen", () => {
  const box = { widthUnit: "px", heightUnit: "px", height: 40 };
  const wide = { ...box, width: 5_000 };
  const button = (fields: object): Sketch => ({
    layer: "ui",
    traits: { UIElement: { ...fields }, Button: { action: "go" } },
  });
  const scene: readonly Sketch[] = [
    button({ ...wide, position: "absolute", pinX: "left", left: -100, pinY: "top", top: -10 }),
    button({
      ...box,
      width: 100,
      position: "absolute",
      pinX: "left",
      left: 10,
      pinY: "top",
      top: 60,
    }),
  ];
  return withScene(scene, async (playing) => {
    const { editor, step } = playing;
    await step();
    near(await handle(playing, `button:${guid(1)}`), [640, 15], "what is seen of a wide one");
    near(await handle(playing, `button:${guid(2)}`), [60, 80], "a whole one");
    const tap = async (x: number, y: number) => {
      const hit = await editor.play.input({ kind: "tap", x, y }, "agent");
      return hit.ok ? hit.value.target : hit;
    };
    assert.deepEqual([await tap(640, 15), await tap(2_400, 15), await tap(640, -5)], [
      1,
      null,
      null,
    ]);
  });
});
