import { test } from "node:test";
import assert from "node:assert/strict";
import { TOOLS } from "../../lib/agent/tools.ts";
import { eventLoopTurn } from "../../lib/core/cooperative.ts";
import { ok } from "../../lib/core/result.ts";
import type { Editor, EditorChange } from "../../lib/editor/ports/mod.ts";
import { WHOLE_PRODUCERS } from "../../lib/http/whole-producers.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";

// Whoever does not hold the editor's lock sees the last whole state (TOOL-10): every tool that reads,
// every producer and every part of the editor is asked while somebody else's work waits in its middle.

/** Logs tell what happens while it happens; the others look at more than the editor. */
const TELLS = ["get_console_logs", "editor_journal", "console", "editor-journal"];

/** Questions that need arguments, and the state from before is the only right answer to them. */
type Ask = readonly [what: string, ask: (others: Others) => unknown];

/** The editor as it is outside, and what the work inside makes and removes. */
interface Others {
  readonly editor: ProjectService["editor"];
  /** The revision before it. */
  readonly rev: number;
  /** An entity that is there before, and is removed. */
  readonly removed: number;
  readonly removedGuid: string;
  /** An asset that only that entity uses. */
  readonly asset: string;
}

/** The id and the guid that the next new entity gets. */
const NEW_GUID = "0d8f1a52-3f0e-4c11-9d2b-7c1f60a1b001";

const ASKS: readonly Ask[] = [
  ["identity()", ({ editor }) => editor.identity()],
  ["sceneState()", ({ editor }) => editor.sceneState()],
  ["worldTransforms()", async ({ editor }) => [...await editor.worldTransforms()]],
  ["worldBounds()", async ({ editor }) => [...await editor.worldBounds()]],
  ["layoutBounds()", ({ editor }) => editor.layoutBounds()],
  ["diagnose()", async ({ editor }) => (await editor.diagnose()).findings],
  ["editing.unsaved", ({ editor }) => editor.editing.unsaved],
  ["editing.history()", ({ editor }) => editor.editing.history()],
  [
    "editing.changedSince()",
    ({ editor, rev }) => [rev - 2, rev - 1, rev].map((since) => editor.editing.changedSince(since)),
  ],
  ["editing.scenes()", ({ editor }) => editor.editing.scenes()],
  ["editing.validate()", ({ editor }) => editor.editing.validate()],
  [
    "editing.validate(scene)",
    ({ editor }) => editor.editing.validate("assets/scenes/harbor.scene.json"),
  ],
  ["editing.pickUpChanges()", ({ editor }) => editor.editing.pickUpChanges()],
  ["authoring.uses()", ({ editor, asset }) => editor.authoring.uses(asset)],
  ["authoring.unused()", ({ editor }) => editor.authoring.unused()],
  ["view.state()", ({ editor }) => editor.view.state()],
  [
    "view.change() to what is there",
    ({ editor, removed }) => editor.view.change({ selection: [removed], focus: removed }, "human"),
  ],
  ["view.change() to what is not", async ({ editor }) => {
    const { entities } = await editor.sceneState();
    const next = Math.max(...entities.map(({ id }) => id)) + 1;
    return editor.view.change({ selection: [next] }, "human");
  }],
  ["play.actions()", ({ editor }) => editor.play.actions()],
  ["play.handles()", ({ editor }) => editor.play.handles()],
  ["play.state()", ({ editor }) => editor.play.state()],
  [
    "poses.at()",
    ({ editor, removed }) => editor.poses.at({ entity: removed, clip: "nothing", time: 0 }),
  ],
  ["watches.start() of what is there", ({ editor, removedGuid }) => {
    const started = editor.watches.start({ fields: ["Transform.x"], guids: [removedGuid] });
    if (started.ok) editor.watches.stop(started.value.id, { forget: true });
    return started.ok;
  }],
  [
    "watches.start() of what is not",
    ({ editor }) => editor.watches.start({ fields: ["Transform.x"], guids: [NEW_GUID] }).ok,
  ],
];

/** The members that are asked above, through tools, or are no matter of the open scene, by part. */
const NO_SCENE: Readonly<Record<string, readonly string[]>> = {
  editing: ["conflict", "reloadIfChanged"], // of its file
  view: [],
  // The running game's.
  play: ["isStepping", "round", "play", "pause", "stop", "step", "saveRound", "replay", "close"]
    .concat(["setTimeScale", "dispatch", "input", "playClip"]),
  poses: [],
  watches: ["list", "read", "stop", "sample"], // of the game's worlds
  authoring: ["schemas", "read"], // of files
};

/** Wait for their turn (`inTurn()`): of them nobody sees anything. */
const CHANGE: Readonly<Record<string, readonly string[]>> = {
  editing: ["edit", "editNow", "undo", "redo", "takeBackSteps", "joinSteps", "openScene"]
    .concat(["newScene", "save"]),
  play: ["dragHandle"],
  authoring: ["create", "write", "writeMeta", "move", "remove", "importFile"],
};

async function seen(
  { call, send }: ProjectService,
  others: Others,
): Promise<ReadonlyMap<string, unknown>> {
  const all = new Map<string, unknown>();
  for (const [what, ask] of ASKS) all.set(what, await ask(others));
  for (const { name, annotations } of TOOLS) {
    if (annotations.readOnlyHint !== true || TELLS.includes(name)) continue;
    all.set(name, (await call(name)).text);
  }
  const since = others.rev - 1;
  all.set("changes of the scene", (await call("svc_get_scene_state", { since })).text);
  for (const [name, { query }] of Object.entries(WHOLE_PRODUCERS)) {
    if (TELLS.includes(name) || query.length > 0 && !query.includes("since")) continue;
    all.set(`/api/whole/${name}`, (await send(`/api/whole/${name}`)).text);
  }
  return all;
}

function assertSame(
  before: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
  when: string,
): void {
  const other = [...before.keys()].filter((what) =>
    JSON.stringify(before.get(what)) !== JSON.stringify(now.get(what))
  );
  const first = other[0] ?? "";
  assert.deepEqual(
    other,
    [],
    `${when}, ${first}: ${JSON.stringify(now.get(first))?.slice(0, 600)}`,
  );
}

/** The sample's harbour, edited twice, with an entity selected that carries an action and an asset. */
async function begin({ editor, call }: ProjectService): Promise<Others> {
  const spare = await call("create_asset", { path: "assets/spare.material.json" });
  assert.equal(spare.status, 200, spare.text);
  const asset = (await editor.assets()).find(({ path }) => path === "assets/spare.material.json");
  const fields = { mesh: "box", material: asset?.guid ?? "" };
  const made = await editor.editing.edit({
    ops: [{
      op: "create",
      name: "Whole",
      layer: "3d",
      traits: { Transform: { x: 3 }, Renderable3D: fields },
    }],
    source: "human",
  });
  assert.ok(made.ok && made.value.ok, JSON.stringify(made));
  const removed = made.value.value.after[0]?.id ?? 0;
  const ops = [{ op: "rename" as const, id: removed, name: "Still whole" }];
  assert.ok((await editor.editing.edit({ ops, source: "human" })).ok);
  assert.ok(editor.view.change({ selection: [removed], focus: removed }, "human").ok);
  const { rev, entities } = await editor.sceneState();
  const removedGuid = entities.find(({ id }) => id === removed)?.guid ?? "";
  return { editor, rev, removed, removedGuid, asset: asset?.guid ?? "" };
}

/** What somebody does alone, a step at a time: each leaves the scene in the middle of a change. */
const STEPS:
  readonly (readonly [what: string, step: (inside: Editor, others: Others) => unknown])[] = [
    ["an entity is made", async ({ editing, view }, { editor, removed }) => {
      const made = await editing?.edit({
        ops: [{
          op: "create",
          guid: NEW_GUID,
          name: "Half",
          layer: "ui",
          traits: { UIElement: {}, Button: { action: "half" } },
        }],
        source: "human",
      });
      assert.ok(made?.ok && made.value.ok, JSON.stringify(made));
      // Inside it is there, and can be selected.
      const id = made.value.value.after[0]?.id ?? 0;
      const selected = view?.change({ selection: [id] }, "human");
      assert.deepEqual(selected?.ok === true && selected.value.selection, [id]);
      assert.deepEqual(editor.view.state().selection, []);
      editor.view.change({ selection: [removed] }, "human");
    }],
    ["one is removed", async ({ editing, view }, { removed }) => {
      assert.ok(view?.change({ selection: [removed] }, "human").ok);
      const ops = [{ op: "delete" as const, id: removed }];
      const done = await editing?.edit({ ops, source: "human" });
      assert.ok(done?.ok && done.value.ok, JSON.stringify(done));
      assert.deepEqual(view?.state().selection, []);
    }],
    ["steps are undone", async ({ editing }) => {
      assert.ok((await editing?.undo(1, "human"))?.ok);
    }],
    ["another scene is open", async ({ editing }) => {
      const menu = "assets/scenes/menu.scene.json";
      assert.ok((await editing?.openScene(menu, { discard: true, source: "human" }))?.ok);
    }],
  ];

test("who reads beside somebody's work sees the last whole scene, through every part and tool", () =>
  withSampleService(async (service) => {
    const { editor } = service;
    const others = await begin(service);
    const reported: EditorChange[] = [];
    const before = await seen(service, others);
    assertSame(before, await seen(service, others), "before it");
    editor.changes.subscribe((change) => reported.push(change));
    const done = await editor.exclusive("test", async (inside) => {
      for (const [what, step] of STEPS) {
        await step(inside, others);
        assertSame(before, await seen(service, others), what);
      }
      return ok(null);
    });
    assert.ok(done.ok);
    const after = await seen(service, others);
    for (const what of ["sceneState()", "play.actions()", "view.state()", "authoring.unused()"]) {
      assert.notDeepEqual(after.get(what), before.get(what), what);
    }
    assert.equal(reported.filter(({ kind }) => kind === "scene").length, 1);
  }));

test("undo of several steps at once is whole to others as well", () =>
  withSampleService(async (service) => {
    const { editor } = service;
    const others = await begin(service);
    assert.equal(
      (await service.call("create_asset", { path: "assets/b.material.json" })).status,
      200,
    );
    const ops = [{ op: "rename" as const, id: others.removed, name: "Later" }];
    await editor.editing.edit({ ops, source: "human" });
    const nameOf = async () =>
      (await editor.sceneState()).entities.find(({ id }) => id === others.removed)?.name;
    const seenNames = new Set<string | undefined>();
    let undone = false;
    const undoing = editor.editing.undo(3, "human").finally(() => undone = true);
    // The step between is of a file, which takes many turns.
    while (!undone) {
      seenNames.add(await nameOf());
      await eventLoopTurn();
    }
    assert.ok((await undoing).ok);
    seenNames.delete(await nameOf());
    assert.deepEqual([...seenNames], ["Later"]);
  }));

test("every member of the editor's parts is asked beside somebody's work, or named with its reason", () =>
  withSampleService(({ editor }) => {
    const asked = ASKS.map(([what]) => what);
    for (const part of ["editing", "view", "play", "poses", "watches", "authoring"] as const) {
      const names = Object.getOwnPropertyNames(Object.getPrototypeOf(editor[part]))
        .filter((name) => name !== "constructor");
      assert.ok(names.length > 0, part);
      const known = [...NO_SCENE[part] ?? [], ...CHANGE[part] ?? []];
      const left = names.filter((name) =>
        !known.includes(name) &&
        !asked.some((what) => what === `${part}.${name}` || what.startsWith(`${part}.${name}(`))
      );
      assert.deepEqual(left, [], part);
    }
    return Promise.resolve();
  }));
