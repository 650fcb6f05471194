import { test } from "node:test";
import assert from "node:assert/strict";
import { ok } from "../../lib/core/result.ts";
import type { EmbeddedEditor } from "../../lib/editor/embedded-editor.ts";
import type { EditOp, EditorChange, Entity } from "../../lib/editor/ports/mod.ts";
import { MAX_CHANGED_ENTITIES } from "../../lib/editor/ports/mod.ts";
import { mergeEntities } from "../../lib/game/scene/mod.ts";
import { runSeed, seededRandom } from "../support/random.ts";
import { stillClock } from "./project-folder.ts";
import { type Playing, withScene } from "./playing.ts";

/** The changes of an editor, as they come. */
function listenTo(editor: EmbeddedEditor): { readonly seen: EditorChange[]; end(): void } {
  const seen: EditorChange[] = [];
  return { seen, end: editor.changes.subscribe((change) => seen.push(change)) };
}

async function edit({ editor }: Playing, ...ops: EditOp[]): Promise<readonly number[]> {
  const done = await editor.editing.edit({ ops, source: "agent" });
  if (!done.ok || !done.value.ok) throw new Error(JSON.stringify(done));
  return done.value.value.created.map(({ id }) => id);
}

const create = (name: string, parentId: number | null = null): EditOp => ({
  op: "create",
  name,
  parentId,
});

test("ChangeFeed tells of an edit the scene, the history and who did it, in this order", async () => {
  await withScene([{}], async (playing) => {
    const { seen } = listenTo(playing.editor);
    await edit(playing, { op: "rename", id: 1, name: "Renamed" });
    assert.deepEqual(seen.map(({ kind }) => kind), ["scene", "history", "editor-event"]);
    const [scene, , event] = seen;
    assert.ok(scene?.kind === "scene" && event?.kind === "editor-event");
    assert.deepEqual(scene.entities?.map(({ name }) => name), ["Renamed"]);
    assert.deepEqual([scene.rev, scene.removed], [1, []]);
    assert.deepEqual([event.type, event.source], ["edit", "agent"]);
  });
});

for (
  const [title, count, want] of [
    ["as many as are told", MAX_CHANGED_ENTITIES, MAX_CHANGED_ENTITIES],
    ["one more asks for the whole", MAX_CHANGED_ENTITIES + 1, null],
  ] as const
) {
  test(`ChangeFeed tells entities: ${title}`, async () => {
    await withScene([], async (playing) => {
      const { seen } = listenTo(playing.editor);
      await edit(playing, ...Array.from({ length: count }, (_, n) => create(`E${n}`)));
      const [scene] = seen;
      assert.ok(scene?.kind === "scene");
      assert.equal(scene.entities?.length ?? null, want);
    });
  });
}

test("ChangeFeed asks for the whole where a few entities hold too much", async () => {
  const texts = Array.from({ length: 30 }, () => ({ layer: "ui", traits: { Text: {} } }) as const);
  await withScene(texts, async (playing) => {
    const { seen } = listenTo(playing.editor);
    const fields = { text: "x".repeat(10_000) };
    const ops = texts.map((_, n): EditOp => ({ op: "set", id: n + 1, trait: "Text", fields }));
    await edit(playing, ...ops);
    assert.ok(seen[0]?.kind === "scene" && seen[0].entities === null);
  });
});

test("ChangeFeed tells a batch once, after it, and a batch that is taken back not at all", async () => {
  await withScene([{}], async (playing) => {
    const { editor } = playing;
    const { seen } = listenTo(editor);
    await editor.exclusive("batch", async ({ editing }) => {
      await editing?.edit({ ops: [create("One")], source: "agent" });
      await editing?.edit({ ops: [create("Two")], source: "agent" });
      assert.deepEqual(seen, []);
      return ok(null);
    });
    assert.equal(seen.filter(({ kind }) => kind === "scene").length, 1);
    assert.equal(seen.filter(({ kind }) => kind === "editor-event").length, 2);
    seen.length = 0;
    await editor.exclusive("batch", async ({ editing }) => {
      const last = editing?.history().undo.at(-1)?.id ?? null;
      await editing?.edit({ ops: [create("Three")], source: "agent" });
      await editing?.takeBackSteps?.(last);
      return ok(null);
    });
    const [scene] = seen;
    assert.ok(scene?.kind === "scene"); // the revision has moved on, and the entity was never seen
    assert.deepEqual(scene.entities, []);
    assert.ok(!seen.some(({ kind }) => kind === "history"));
  });
});

test("ChangeFeed: who begins to listen within a batch hears of all of it", async () => {
  await withScene([{}], async (playing) => {
    const { editor } = playing;
    const seen: EditorChange[] = [];
    await editor.exclusive("batch", async ({ editing }) => {
      await editing?.edit({ ops: [create("One")], source: "agent" });
      editor.changes.subscribe((change) => seen.push(change));
      return ok(null);
    });
    const scene = seen.find((change) => change.kind === "scene");
    assert.deepEqual(scene?.entities?.map(({ name }) => name), ["One"]);
    assert.ok(seen.some(({ kind }) => kind === "history"));
  });
});

test("ChangeFeed leads from any scene to the next: mergeEntities() of what it told", async () => {
  const seed = runSeed();
  const random = seededRandom(seed);
  const pick = (bound: number) => random.below(bound);
  await withScene([{}, { parentId: 1 }, {}], async (playing) => {
    const { editor } = playing;
    let { entities } = await editor.sceneState();
    const { seen } = listenTo(editor);
    let [partly, wholly] = [0, 0];
    for (let round = 0; round < 300; round++) {
      const ids = entities.map(({ id }) => id);
      const id = ids[pick(ids.length)] ?? 0;
      switch (pick(6)) {
        case 0:
        case 1:
          await edit(playing, create(`E${round}`, pick(2) === 0 ? null : id));
          break;
        case 2:
          await edit(playing, { op: "rename", id, name: `R${round}` });
          break;
        case 3:
          if (ids.length - editor.document.withDescendants(id).length > 5) {
            await edit(playing, { op: "delete", id });
          }
          break;
        case 4:
          await edit(playing, { op: "reparent", id, parentId: null });
          break;
        case 5:
          await editor.editing[pick(2) === 0 ? "undo" : "redo"](1 + pick(3), "human");
      }
      const state = await editor.sceneState();
      const scenes = seen.filter((change) => change.kind === "scene");
      assert.ok(scenes.length <= 1, `seed ${seed}`);
      for (const { entities: reported, removed } of scenes) {
        if (reported === null) wholly++;
        else partly++;
        entities = reported === null ? state.entities : mergeEntities(entities, reported, removed);
      }
      assert.deepEqual(entities, state.entities, `seed ${seed}, round ${round}`);
      seen.length = 0;
    }
    assert.ok(partly > 50 && wholly > 10, `seed ${seed}: ${partly}, ${wholly}`);
  });
});

test("ChangeFeed asks for the whole where one comes again to another place", async () => {
  await withScene([{}, {}], async (playing) => {
    const { editor } = playing;
    const { seen } = listenTo(editor);
    await editor.exclusive("batch", async ({ editing }) => {
      await editing?.edit({ ops: [{ op: "delete", id: 2 }], source: "agent" });
      await editing?.undo(1, "agent");
      return ok(null);
    });
    assert.ok(seen[0]?.kind === "scene" && seen[0].entities === null);
  });
});

test("ChangeFeed tells the view, and a selection that an edit ends", async () => {
  await withScene([{}, {}], async (playing) => {
    const { editor } = playing;
    const { seen } = listenTo(editor);
    editor.view.change({ selection: [2] }, "human");
    assert.deepEqual(seen[0], { kind: "view", ...editor.view.state() });
    assert.deepEqual(seen.map(({ kind }) => kind), ["view", "editor-event"]);
    editor.view.change({ selection: [2] }, "human"); // nothing is different
    assert.deepEqual(seen.slice(2).map(({ kind }) => kind), ["editor-event"]);
    seen.length = 0;
    await edit(playing, { op: "delete", id: 2 });
    assert.deepEqual(seen.map(({ kind }) => kind), ["scene", "view", "history", "editor-event"]);
  });
});

test("ChangeFeed tells assets and settings that are changed, undone and found changed", async () => {
  await withScene([], async ({ editor }) => {
    const { seen } = listenTo(editor);
    const path = "assets/red.material.json";
    const made = await editor.authoring.create({ path, content: {}, source: "agent" });
    assert.ok(made.ok, JSON.stringify(made));
    assert.ok(seen.some(({ kind }) => kind === "assets"));
    seen.length = 0;
    await editor.editing.undo(1, "human");
    assert.deepEqual(seen.map(({ kind }) => kind), ["history", "assets", "editor-event"]);
    seen.length = 0;
    await editor.rescanAssets(); // nothing is different
    assert.deepEqual(seen.filter(({ kind }) => kind !== "console"), []);
    seen.length = 0;
    const step = {
      label: "Settings",
      source: "human",
      type: "settings",
      note: () => ({}),
    } as const;
    const write = async (text: string) => {
      const { root } = editor.identity();
      const { writeFile } = await import("node:fs/promises");
      await writeFile(`${root}/project.config.json`, text);
    };
    await editor.changeFiles(step, async (touch) => {
      await touch(["project.config.json"]);
      await write("{}");
      return ok(null);
    });
    assert.deepEqual(seen.map(({ kind }) => kind), ["history", "settings", "editor-event"]);
    seen.length = 0;
    await editor.editing.undo(1, "human");
    assert.deepEqual(seen.map(({ kind }) => kind), ["history", "settings", "editor-event"]);
  });
});

const FALLING = [
  { traits: { Transform: { z: 10 }, Camera: {} } },
  { traits: { Transform: { y: 5 }, RigidBody: {}, Collider: {} } },
];

test("ChangeFeed tells ten times a second how far a game is, in the time of its clock", async () => {
  let now = 0;
  const clock = { ...stillClock, monotonic: () => now += 1 };
  await withScene(FALLING, async (playing) => {
    const { editor, step } = playing;
    const { seen } = listenTo(editor);
    await step(600);
    const ticks = seen.flatMap((change) => change.kind === "play" ? [change.tick] : []);
    assert.equal(ticks.at(-1), 600);
    assert.ok(ticks.length > 5 && ticks.length < now / 100 + 3, `${ticks.length} of ${now} ms`);
    const scenes = seen.filter(({ kind }) => kind === "scene");
    assert.equal(scenes.length, 1); // it begins to be shown
    await editor.play.stop("human");
    assert.deepEqual(seen.at(-1), { kind: "play", ...editor.play.state() });
    assert.equal(seen.filter(({ kind }) => kind === "scene").length, 2);
  }, { clock });
});

test("ChangeFeed tells of many lines of the console once", async () => {
  await withScene([], async ({ editor }) => {
    const { seen } = listenTo(editor);
    for (let line = 0; line < 100; line++) editor.console.write("log", `line ${line}`);
    assert.deepEqual(seen, []);
    await Promise.resolve();
    const seq = editor.console.entries().at(-1)?.seq ?? 0;
    assert.deepEqual(seen, [{ kind: "console", seq }]);
  });
});

test("ChangeFeed leaves out who throws, and what was changed stays changed", async () => {
  await withScene([{}], async (playing) => {
    const { editor } = playing;
    let called = 0;
    editor.changes.subscribe(() => {
      called++;
      throw new Error("boom");
    });
    const { seen } = listenTo(editor);
    await edit(playing, { op: "rename", id: 1, name: "Renamed" });
    assert.equal(called, 1);
    assert.ok(seen.length >= 3);
    assert.match(editor.console.entries().at(-1)?.text ?? "", /boom/);
  });
});

test("mergeEntities() puts a new one last below its parent, with all that is below it", () => {
  const entity = (id: number, parentId: number | null): Entity => ({
    id,
    guid: `g${id}`,
    name: `E${id}`,
    parentId,
    layer: "3d",
    traits: {},
  });
  const before = [entity(1, null), entity(2, 1), entity(3, null)];
  const after = mergeEntities(before, [entity(4, 1), entity(5, 4), entity(6, null)], [2]);
  assert.deepEqual(after.map(({ id }) => id), [1, 4, 5, 3, 6]);
});
