import type { EditOp, EditOutcome, EditRefusal, Entity, SceneState } from "../ports/mod.ts";
import type { Claims } from "./claims.ts";
import { type Clause, clause, type With } from "./clause.ts";

type Editing = With<"editing">;
const SOURCE = "agent";
/** Values that no editor has. */
const STRANGE_ID = 2 ** 50;
const STRANGE_NAME = "ContractUnknown";

/** Changing the open scene. */
export const EDITING_CLAUSES: readonly Clause[] = [
  clause("editing.edit() makes one step of undo, and a later revision", ["editing"], makesStep),
  clause("editing.edit() changes nothing when it is a dry run", ["editing"], dryRun),
  clause("editing.edit() happens whole or not at all", ["editing"], wholeOrAbsent),
  clause("editing.edit() names each operation that it refuses", ["editing"], refusals),
  clause("editing.edit() is refused at another revision", ["editing"], otherRevision),
  clause("editing.undo() restores the scene exactly, redo() the edit", ["editing"], restores),
  clause("editing.undo() of nothing undoes nothing", ["editing"], undoOfNothing),
  clause("editing never gives an id to another entity", ["editing"], freshIds),
  clause("editing.changedSince() names what was changed since a revision", ["editing"], changed),
  clause("editing.joinSteps() makes several steps one", ["editing"], joinSteps),
  clause("editing.takeBackSteps() undoes steps and forgets them", ["editing"], takeBackSteps),
  clause("editing.save() writes what is open, and nothing is unsaved then", ["editing"], saves),
  clause("editing.scenes() is ordered by path, and tells which one is open", ["editing"], scenes),
  clause("editing.openScene() keeps unsaved changes unless told", ["editing"], keepsUnsaved),
  clause("editing.newScene() begins an empty scene", ["editing"], beginsEmpty),
  clause("editing.pickUpChanges() finds nothing where nobody wrote", ["editing"], nothingNew),
  clause("editing.edit() is noted in the editor's journal", ["editing", "journals"], noted),
];

async function makesStep(editor: Editing, claims: Claims): Promise<void> {
  const before = await editor.sceneState();
  const done = await run(editor, claims, [create("One"), { ...create("Two"), parentId: -1 }]);
  if (done === null) return;
  const after = await editor.sceneState();
  claims.expect(after.rev > before.rev, "rev", after.rev, `more than ${before.rev}`);
  claims.same("rev of the outcome", done.rev, after.rev);
  claims.same("changed", done.changed, 2);
  claims.same("before", done.before, []);
  claims.same("after", ids(done.after), ids(done.created));
  const made = done.created.map(({ id }) => after.entities.find((one) => one.id === id));
  claims.same("names of what was made", made.map((one) => one?.name), ["One", "Two"]);
  claims.same("parent of the second", made[1]?.parentId, made[0]?.id);
  const step = editor.editing.history().undo.at(-1);
  claims.same("the last step of undo", step?.id, done.undo);
  claims.same("its source", step?.source, SOURCE);
}

async function dryRun(editor: Editing, claims: Claims): Promise<void> {
  await unchanged(editor, claims, async () => {
    const ops = [create("One")];
    const tried = await editor.editing.edit({ ops, source: SOURCE, dryRun: true });
    const outcome = claims.done("a dry run", tried);
    claims.expect(outcome?.ok === true, "a dry run", outcome, "what it would change");
  });
}

async function wholeOrAbsent(editor: Editing, claims: Claims): Promise<void> {
  await unchanged(editor, claims, async () => {
    const refusal = await refused(editor, claims, [
      create("One"),
      { op: "rename", id: STRANGE_ID, name: "Two" },
    ]);
    claims.same("operations that were refused", refusal?.errors.map(({ op }) => op), [1]);
  });
}

async function refusals(editor: Editing, claims: Claims): Promise<void> {
  const made = await run(editor, claims, [create("One")]);
  const id = made?.created[0]?.id ?? STRANGE_ID;
  await unchanged(editor, claims, async () => {
    const refusal = await refused(editor, claims, [
      { op: "delete", id: STRANGE_ID },
      { op: "addTrait", id, trait: STRANGE_NAME },
    ]);
    const codes = refusal?.errors.map(({ op, code }) => `${op} ${code}`);
    claims.same("errors", codes, ["0 no-such-entity", "1 no-such-trait"]);
    for (const { op, message } of refusal?.errors ?? []) {
      claims.expect(message !== "", `message of ${op}`, message, "what was found and expected");
    }
  });
}

async function otherRevision(editor: Editing, claims: Claims): Promise<void> {
  const { rev } = await editor.sceneState();
  const ops = [create("One")];
  await unchanged(editor, claims, async () => {
    const late = await editor.editing.edit({ ops, source: SOURCE, ifRev: rev + 1 });
    claims.refused("an edit of another revision", late, { status: 409, code: "rev-moved" });
  });
  const done = await editor.editing.edit({ ops, source: SOURCE, ifRev: rev });
  claims.expect(done.ok && done.value.ok, "an edit of this revision", done, "success");
}

async function restores(editor: Editing, claims: Claims): Promise<void> {
  const states = [await editor.sceneState()];
  const [root] = states[0]?.entities ?? [];
  await run(editor, claims, [create("One"), { ...create("Two"), parentId: -1 }]);
  states.push(await editor.sceneState());
  if (root !== undefined) {
    await run(editor, claims, [
      { op: "rename", id: root.id, name: "Another" },
      { op: "duplicate", id: root.id },
      { op: "delete", id: root.id },
    ]);
    states.push(await editor.sceneState());
  }
  const { editing } = editor;
  for (const expected of states.slice(0, -1).reverse()) {
    const undone = claims.done("undo()", await editing.undo(1, SOURCE));
    claims.same("steps undone", undone?.length, 1);
    await shows(editor, claims, expected, "after undo()");
  }
  for (const expected of states.slice(1)) {
    const redone = claims.done("redo()", await editing.redo(1, SOURCE));
    claims.same("steps redone", redone?.length, 1);
    await shows(editor, claims, expected, "after redo()");
  }
}

async function undoOfNothing(editor: Editing, claims: Claims): Promise<void> {
  const { editing } = editor;
  await editing.undo(editing.history().undo.length, SOURCE);
  await unchanged(editor, claims, async () => {
    claims.same("undone", claims.done("undo()", await editing.undo(1, SOURCE)), []);
  });
}

async function freshIds(editor: Editing, claims: Claims): Promise<void> {
  const given = ids((await editor.sceneState()).entities);
  for (let round = 0; round < 3; round++) {
    const made = await run(editor, claims, [create("One")]);
    const id = made?.created[0]?.id;
    if (id === undefined) return claims.expect(false, "created", undefined, "an id");
    given.push(id);
    if (round === 0) await editor.editing.undo(1, SOURCE);
    else await run(editor, claims, [{ op: "delete", id }]);
  }
  claims.unique("ids that were given", given);
}

async function changed(editor: Editing, claims: Claims): Promise<void> {
  const { rev } = await editor.sceneState();
  const done = await run(editor, claims, [create("One")]);
  if (done === null) return;
  const since = editor.editing.changedSince(rev);
  const missing = done.created.find(({ id }) => !since.ids.includes(id));
  // An editor without the earlier revision reports it: everything may then have changed.
  claims.expect(
    !since.known || missing === undefined,
    "changedSince()",
    since.ids,
    "what was made",
  );
  claims.same("changedSince() now", editor.editing.changedSince(done.rev).ids, []);
}

async function joinSteps(editor: Editing, claims: Claims): Promise<string | null> {
  const { editing } = editor;
  if (editing.joinSteps === undefined) return "editing.joinSteps";
  const before = await editor.sceneState();
  const after = editing.history().undo.at(-1)?.id ?? null;
  await run(editor, claims, [create("One")]);
  await run(editor, claims, [create("Two")]);
  const joined = editing.joinSteps(after, "Both");
  const last = editing.history().undo.at(-1);
  claims.same("the last step", { id: last?.id, label: last?.label }, { id: joined, label: "Both" });
  await editing.undo(1, SOURCE);
  await shows(editor, claims, before, "after undo() of the joined step");
  return null;
}

async function takeBackSteps(editor: Editing, claims: Claims): Promise<string | null> {
  const { editing } = editor;
  if (editing.takeBackSteps === undefined) return "editing.takeBackSteps";
  const before = await editor.sceneState();
  const history = editing.history();
  await run(editor, claims, [create("One")]);
  await run(editor, claims, [create("Two")]);
  claims.done("takeBackSteps()", await editing.takeBackSteps(history.undo.at(-1)?.id ?? null));
  await shows(editor, claims, before, "after takeBackSteps()");
  claims.same("steps of undo", editing.history().undo, history.undo);
  claims.same("steps of redo", editing.history().redo, []);
  return null;
}

async function saves(editor: Editing, claims: Claims): Promise<void> {
  const { editing } = editor;
  await run(editor, claims, [create("One")]);
  claims.same("unsaved after an edit", editing.unsaved, true);
  const before = await editor.sceneState();
  const saved = claims.done("save()", await editing.save({ source: SOURCE }));
  claims.same("path", saved?.path, editor.identity().scenePath);
  claims.same("unsaved after save()", editing.unsaved, false);
  claims.same("sceneState() after save()", await editor.sceneState(), before);
  claims.same("validate()", claims.done("validate()", await editing.validate()), []);
  const opened = await editing.openScene(before.scenePath, { source: SOURCE });
  claims.done("openScene()", opened);
  const again = (await editor.sceneState()).entities;
  claims.same(
    "guids read again",
    again.map(({ guid }) => guid),
    before.entities.map((e) => e.guid),
  );
}

async function scenes(editor: Editing, claims: Claims): Promise<void> {
  claims.done("save()", await editor.editing.save({ source: SOURCE }));
  const all = await editor.editing.scenes();
  claims.ordered("scenes()", all.map(({ path }) => path), (a, b) => a < b);
  const open = all.filter((scene) => scene.open).map(({ path }) => path);
  claims.same("the open scene", open, [editor.identity().scenePath]);
}

async function keepsUnsaved(editor: Editing, claims: Claims): Promise<void> {
  const { editing } = editor;
  const { scenePath } = editor.identity();
  claims.done("save()", await editing.save({ source: SOURCE }));
  await run(editor, claims, [create("One")]);
  await unchanged(editor, claims, async () => {
    const kept = await editing.openScene(scenePath, { source: SOURCE });
    claims.refused("openScene()", kept, { status: 409, code: "unsaved-changes" });
    const missing = await editing.openScene(`${scenePath}-missing`, {
      source: SOURCE,
      discard: true,
    });
    claims.refused("openScene() of a scene that is missing", missing);
  });
  const left = await editing.openScene(scenePath, { source: SOURCE, discard: true });
  claims.done("openScene() with discard", left);
  claims.same("unsaved", editing.unsaved, false);
}

async function beginsEmpty(editor: Editing, claims: Claims): Promise<void> {
  const { editing } = editor;
  const { scenePath } = editor.identity();
  const path = scenePath.replace(/[^/.]*(?=[^/]*$)/, "contract-new");
  const before = await editor.sceneState();
  const begun = await editing.newScene(path, { source: SOURCE, discard: true });
  if (claims.done("newScene()", begun) === null) return;
  const { entities, rev, ...shown } = await editor.sceneState();
  claims.same("scenePath", shown.scenePath, path);
  claims.same("entities", entities, []);
  claims.expect(rev > before.rev, "rev", rev, `more than ${before.rev}`);
  claims.same("steps of undo", editing.history().undo, []);
}

async function nothingNew(editor: Editing, claims: Claims): Promise<void> {
  claims.same("pickUpChanges()", await editor.editing.pickUpChanges(), "unchanged");
}

async function noted(editor: With<"editing" | "journals">, claims: Claims): Promise<void> {
  const last = editor.journals.editor().at(-1)?.seq ?? -Infinity;
  await run(editor, claims, [create("One")]);
  const events = editor.journals.editor();
  claims.ordered("seq of events", events.map(({ seq }) => seq), (a, b) => a < b);
  const added = events.filter(({ seq }) => seq > last);
  const found = added.some(({ type, source }) => type === "edit" && source === SOURCE);
  claims.expect(found, "the journal", added.map(({ type }) => type).join(), "an edit of the agent");
}

/** An operation that makes an entity at the root. */
export function create(name: string): EditOp & { readonly op: "create" } {
  return { op: "create", name };
}

/** Returns the outcome of a transaction that must succeed; records a failure and returns `null`. */
export async function run(
  editor: Pick<Editing, "editing">,
  claims: Claims,
  ops: readonly EditOp[],
): Promise<EditOutcome | null> {
  const done = claims.done("edit()", await editor.editing.edit({ ops, source: SOURCE }));
  if (done === null || done.ok) return done?.value ?? null;
  const [first] = done.error.errors;
  claims.expect(false, "edit()", `${first?.code}: ${first?.message}`, "success");
  return null;
}

async function refused(
  editor: Editing,
  claims: Claims,
  ops: readonly EditOp[],
): Promise<EditRefusal | null> {
  const done = claims.done("edit()", await editor.editing.edit({ ops, source: SOURCE }));
  if (done?.ok === false) return done.error;
  claims.expect(done === null, "edit()", "success", "a refusal");
  return null;
}

/** Whether `work` leaves the scene, its revision and its history as they are. */
export async function unchanged(
  editor: Editing,
  claims: Claims,
  work: () => Promise<void>,
): Promise<void> {
  const [state, history] = [await editor.sceneState(), editor.editing.history()];
  await work();
  claims.same("sceneState() afterwards", await editor.sceneState(), state);
  claims.same("history() afterwards", editor.editing.history(), history);
}

/** Returns whether the entities equal the given ones; the revision may differ. */
async function shows(
  editor: Editing,
  claims: Claims,
  { entities }: SceneState,
  when: string,
): Promise<void> {
  claims.same(`entities ${when}`, (await editor.sceneState()).entities, entities);
}

function ids(entities: readonly Pick<Entity, "id">[]): number[] {
  return entities.map(({ id }) => id);
}
