import { ok } from "../../core/result.ts";
import { mergeEntities } from "../../game/scene/mod.ts";
import type { EditorChange, Entity } from "../ports/mod.ts";
import type { Claims } from "./claims.ts";
import { type Clause, clause, type With } from "./clause.ts";
import { create, run } from "./editing.ts";

const SOURCE = "agent";

/** Reporting changes as they happen. */
export const CHANGE_CLAUSES: readonly Clause[] = [
  clause(
    "changes.subscribe() tells of edits what leads from one scene to the next",
    ["changes", "editing"],
    leadsOn,
  ),
  clause("changes.subscribe() tells nothing once it is ended", ["changes", "editing"], ends),
  clause(
    "changes.subscribe() tells work that has the editor alone when it has ended, once",
    ["changes", "editing", "exclusive"],
    tellsWhole,
  ),
  clause("changes.subscribe() tells the view", ["changes", "view"], tellsView),
  clause("changes.subscribe() tells how a game goes", ["changes", "play"], tellsPlay),
];

async function leadsOn(editor: With<"changes" | "editing">, claims: Claims): Promise<void> {
  const { changes, editing } = editor;
  let { entities, rev } = await editor.sceneState();
  let asked = 0;
  const seen: EditorChange[] = [];
  const end = changes.subscribe((change) => seen.push(change));
  const follow = async (what: string) => {
    const scenes = seen.filter((change) => change.kind === "scene");
    claims.same(`scenes told of ${what}`, scenes.length, 1);
    const state = await editor.sceneState();
    for (const scene of scenes) {
      asked += scene.entities === null ? 1 : 0;
      entities = scene.entities === null
        ? state.entities
        : mergeEntities(entities, scene.entities, scene.removed);
      rev = scene.rev;
    }
    claims.same(`the scene after ${what}`, { rev, entities }, {
      rev: state.rev,
      entities: state.entities,
    });
    seen.length = 0;
  };
  const made = await run(editor, claims, [create("One"), { ...create("Two"), parentId: -1 }]);
  await follow("two that are made");
  const [one = 0, two = 0] = made?.created.map(({ id }) => id) ?? [];
  await run(editor, claims, [{ op: "rename", id: two, name: "Renamed" }]);
  await follow("one that is changed");
  claims.same("whole scenes that were asked for", asked, 0);
  await run(editor, claims, [{ op: "reparent", id: two, parentId: null }]);
  await follow("one that is moved");
  await run(editor, claims, [{ op: "delete", id: one }]);
  await follow("one that is removed");
  claims.done("undo()", await editing.undo(1, SOURCE));
  await follow("a step that is undone");
  end();
}

async function ends(editor: With<"changes" | "editing">, claims: Claims): Promise<void> {
  const seen: EditorChange[] = [];
  const end = editor.changes.subscribe((change) => seen.push(change));
  end();
  end();
  await run(editor, claims, [create("One")]);
  claims.same("changes after the end", seen, []);
}

async function tellsWhole(
  editor: With<"changes" | "editing" | "exclusive">,
  claims: Claims,
): Promise<void> {
  const scenes: (readonly Entity[] | null)[] = [];
  const end = editor.changes.subscribe((change) => {
    if (change.kind === "scene") scenes.push(change.entities);
  });
  await editor.exclusive("work", async ({ editing }) => {
    if (editing === undefined) return ok(null);
    await run({ editing }, claims, [create("One")]);
    await run({ editing }, claims, [create("Two")]);
    claims.same("scenes told before the end", scenes.length, 0);
    return ok(null);
  });
  end();
  claims.same("scenes told", scenes.length, 1);
}

function tellsView({ changes, view }: With<"changes" | "view">, claims: Claims): Promise<void> {
  const views: EditorChange[] = [];
  const end = changes.subscribe((change) => {
    if (change.kind === "view") views.push(change);
  });
  claims.done("change()", view.change({ mode: "ui" }, SOURCE));
  end();
  claims.same("views told", views, [{ kind: "view", ...view.state() }]);
  return Promise.resolve();
}

async function tellsPlay(
  { changes, play }: With<"changes" | "play">,
  claims: Claims,
): Promise<void> {
  const states: string[] = [];
  let resyncs = 0;
  const end = changes.subscribe((change) => {
    if (change.kind === "play") states.push(`${change.state} ${change.tick}`);
    else if (change.kind === "scene" && change.entities === null) resyncs++;
  });
  claims.done("step()", await play.step(3, { source: SOURCE }));
  claims.same("what was told last of a step", states.at(-1), "paused 3");
  claims.same("scenes told when a game begins to be shown", resyncs, 1);
  claims.done("stop()", await play.stop(SOURCE));
  claims.same("what was told last of the stop", states.at(-1), "stopped 0");
  claims.same("scenes told when it ended", resyncs, 2);
  end();
}
