import assert from "node:assert/strict";
import { test } from "node:test";
import { PAYLOAD_CAP } from "../../lib/agent/answer/budget.ts";
import { type Answer, callTool } from "../../lib/agent/declaration/call.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import type { EditOp } from "../../lib/editor/ports/mod.ts";
import { type Playing, withScene } from "./playing.ts";
import type { Sketch } from "./scenes.ts";

// Entities nested so deep that whatever recurses over them runs out of stack.

const DEPTH = 10_000;

/** Every entity below the one before it; every 50th is drawn and every 100th is a body. */
const CHAIN: readonly Sketch[] = Array.from({ length: DEPTH }, (_, i) => ({
  ...(i > 0 && { parentId: i }),
  traits: {
    Transform: { y: 0.001 },
    ...(i % 50 === 0 && { Renderable3D: {} }),
    ...(i % 100 === 0 && { Collider: {} }),
    ...(i === 0 && { Camera: {} }),
  },
}));

/** Calls a tool that answers from the scene alone. @returns Its status; 200 for an answer. */
async function call({ editor }: Playing, name: string, args: object): Promise<number> {
  const tool = TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`No tool ${name}`);
  const answer = await callTool(tool, { ...args }, { editor }, { cap: PAYLOAD_CAP });
  return answer.ok ? 200 : answer.status;
}

test("a chain of 10,000 entities can be read by every tool, edited, undone, saved and played", () =>
  withScene(CHAIN, async (playing) => {
    const { editor } = playing;
    const readers = TOOLS.filter(({ annotations }) => annotations.readOnlyHint === true);
    for (const { name } of readers) {
      for (const args of [{}, { id: DEPTH }]) {
        assert.notEqual(await call(playing, name, args), 500, `${name} ${JSON.stringify(args)}`);
      }
    }
    for (const args of [{ full: 1, bounds: 1, world: 1 }, { compact: 1, limit: DEPTH }]) {
      assert.equal(await call(playing, "svc_get_scene_state", args), 200, JSON.stringify(args));
    }
    assert.equal(await call(playing, "svc_get_layout_bounds", { overlaps: 1 }), 200);

    const edit = async (...ops: EditOp[]) => {
      const done = await editor.editing.edit({ ops, source: "agent" });
      assert.ok(done.ok && done.value.ok, JSON.stringify(done));
      return done.value.value;
    };
    const size = () => editor.document.size;
    assert.equal((await edit({ op: "duplicate", id: 1 })).created.length, DEPTH);
    await edit({ op: "reparent", id: DEPTH / 2, parentId: null, keepWorld: true });
    await edit({ op: "delete", id: DEPTH / 2 });
    assert.equal(size(), DEPTH * 1.5 - 1);
    await edit({ op: "delete", id: 1 });
    for (const way of ["undo", "redo", "undo"] as const) {
      assert.ok((await editor.editing[way](4, "agent")).ok, way);
    }
    assert.equal(size(), DEPTH);
    const loop = await editor.editing.edit({
      ops: [{ op: "reparent", id: 1, parentId: DEPTH }],
      source: "agent",
    });
    assert.deepEqual(loop.ok && !loop.value.ok && loop.value.error.errors.map(({ code }) => code), [
      "loop",
    ]);

    const path = "assets/deep.prefab.json";
    const complete = await editor.prefabs.create({ entity: { id: 1 }, path, source: "agent" });
    assert.equal(!complete.ok && complete.error.code, "prefab-too-deep");
    const deepest = DEPTH - 255; // itself and 255 below it are the 256 levels of a prefab
    const made = await editor.prefabs.create({ entity: { id: deepest }, path, source: "agent" });
    assert.ok(made.ok, JSON.stringify(made));
    const instance = await editor.prefabs.instantiate({ prefab: path, source: "agent" });
    assert.equal(instance.ok && instance.value.created.length, 256);

    assert.ok((await editor.editing.save({ source: "agent" })).ok);
    assert.deepEqual(await editor.editing.validate(), { ok: true, value: [] });
    const { scenePath } = editor.identity();
    assert.ok((await editor.editing.openScene(scenePath, { source: "agent" })).ok);
    assert.equal(size(), DEPTH + 256);
    await playing.step(2);
    assert.equal((await editor.worldTransforms()).size, DEPTH + 256);
  }));

test("producers let others have their turn, are about one revision, and end with their signal", async () => {
  let now = 0;
  // Every reading is 20 ms later, so that every piece of work uses its slice up.
  const clock = {
    now: () => now,
    monotonic: () => now += 20,
    sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
  };
  const row = Array.from({ length: 1_000 }, () => ({
    traits: { Transform: { x: 1, z: -5 }, Renderable3D: {} },
  }));
  await withScene([{ traits: { Transform: {}, Camera: {} } }, ...row], async ({ editor }) => {
    const producers = [
      (signal?: AbortSignal) => editor.layoutBounds({ ...(signal && { signal }) }),
      (signal?: AbortSignal) => editor.worldBounds({ ...(signal && { signal }) }),
      (signal?: AbortSignal) => editor.diagnose({ ...(signal && { signal }) }),
    ];
    for (const [index, produce] of producers.entries()) {
      const move = (x: number) => {
        const ops = row.map((_, n) =>
          ({ op: "set", id: n + 2, trait: "Transform", fields: { x } }) as const
        );
        return editor.editing.edit({ ops, source: "human" });
      };
      await move(index);
      const alone = await produce();
      const interrupted = produce();
      await Promise.resolve();
      assert.ok((await move(50 + index)).ok); // others are not kept waiting
      if (index < 2) assert.deepEqual(await interrupted, alone);
      await interrupted;
      const abort = new AbortController();
      await move(90 + index);
      const ended = produce(abort.signal);
      abort.abort("nobody waits");
      await assert.rejects(ended, (reason) => reason === "nobody waits");
    }
  }, { clock });
});

const SEARCHES = [
  { compact: 1 },
  { compact: 1, limit: 1_000 },
  { full: 1 },
  { world: 1, limit: 1_000 },
  { trait: "Transform" },
  { name: "entity 7" },
  { where: "Transform.x >= 0" },
];

test("svc_get_scene_state lets others have their turn, and ends with its signal", () =>
  withScene(
    Array.from({ length: 1_000 }, () => ({ traits: { Transform: { x: 1 } } })),
    async ({ editor }) => {
      const tool = TOOLS.find(({ name }) => name === "svc_get_scene_state");
      assert.ok(tool);
      for (const args of SEARCHES) {
        const title = JSON.stringify(args);
        const asked = (now: () => number, signal?: AbortSignal): Promise<Answer> =>
          callTool(tool, args, { editor }, { cap: PAYLOAD_CAP, now, signal });
        const alone = await asked(() => 0);
        let [turns, looks, done] = [0, 0, false];
        const tick = () => {
          turns++;
          if (!done) setTimeout(tick, 0);
        };
        setTimeout(tick, 0);
        const shared = await asked(() => looks++ * 20); // each look is a slice later
        done = true;
        assert.deepEqual(shared, alone, title);
        assert.ok(looks >= 4 && turns >= 2, `${title}: ${turns} turns in ${looks} looks`);

        const abort = new AbortController();
        looks = 0;
        const ended = await asked(() => {
          if (++looks === 2) abort.abort();
          return 0;
        }, abort.signal);
        assert.equal(!ended.ok && ended.status, 409, title);
        assert.equal(looks, 2, title);
      }
    },
  ));

test("prefab work lets others have their turn, and ends with its signal before it changes anything", async () => {
  let looks = 0;
  let onLook = (_look: number) => {};
  const clock = {
    now: () => 0,
    monotonic: () => {
      onLook(++looks);
      return looks * 20; // each look is a slice later
    },
    sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 0)),
  };
  const below = Array.from({ length: 1_000 }, () => ({ parentId: 1, traits: { Transform: {} } }));
  await withScene([{ traits: { Transform: {} } }, ...below], async ({ editor }) => {
    const [path, source] = ["assets/many.prefab.json", "agent"] as const;
    const made = { entity: { id: 1 }, path, source };
    const works:
      readonly (readonly [string, (signal?: AbortSignal) => Promise<{ ok: boolean }>])[] = [
        ["create", (signal) => editor.prefabs.create({ ...made, ...(signal && { signal }) })],
        [
          "create, overwriting",
          (signal) =>
            editor.prefabs.create({ ...made, overwrite: true, ...(signal && { signal }) }),
        ],
        [
          "instantiate",
          (signal) =>
            editor.prefabs.instantiate({ prefab: path, source, ...(signal && { signal }) }),
        ],
      ];
    for (const [title, work] of works) {
      const before = await editor.sceneState();
      const assets = await editor.assets();
      for (const at of [5, 10]) {
        const abort = new AbortController();
        const last = looks + at;
        onLook = (look) => {
          if (look === last) abort.abort("nobody waits");
        };
        await assert.rejects(work(abort.signal), (reason) => reason === "nobody waits", title);
        onLook = () => {};
      }
      assert.deepEqual(await editor.sceneState(), before, title);
      assert.deepEqual(await editor.assets(), assets, title);
      const from = looks;
      assert.ok((await work()).ok, title);
      assert.ok(looks - from > 12, `${title}: ${looks - from} looks`);
    }
  }, { clock });
});
