import type { Claims } from "./claims.ts";
import { type Clause, clause, type With } from "./clause.ts";
import { create, run, unchanged } from "./editing.ts";

const SOURCE = "agent";

/** Selection and view. */
export const VIEW_CLAUSES: readonly Clause[] = [
  clause("view.change() changes what is named, and nothing else", ["view"], changesNamed),
  clause("view.change() refuses an entity that is not there", ["view"], refusesStranger),
  clause("view is not part of the scene", ["view", "editing"], apart),
  clause("view.state() leaves out what is no longer there", ["view", "editing"], leavesOut),
];

async function changesNamed(editor: With<"view">, claims: Claims): Promise<void> {
  const { view } = editor;
  const before = view.state();
  const [first] = (await editor.sceneState()).entities;
  const selection = first === undefined ? [] : [first.id];
  const gizmoMode = before.gizmo.mode === "rotate" ? "scale" : "rotate";
  const viewport = { width: before.viewport.width + 1, height: before.viewport.height };
  const changed = view.change({ selection, gizmoMode, viewport, focus: null }, SOURCE);
  const gizmo = { ...before.gizmo, mode: gizmoMode };
  const expected = { ...before, selection, gizmo, viewport, focus: null };
  claims.same("change()", claims.done("change()", changed), expected);
  claims.same("state()", view.state(), expected);
  const layout = await editor.layoutBounds();
  claims.same("layoutBounds().viewport", layout.viewport, viewport);
}

function refusesStranger({ view }: With<"view">, claims: Claims): Promise<void> {
  const before = view.state();
  const refused = view.change({ mode: "ui", selection: [2 ** 50] }, SOURCE);
  claims.refused("change()", refused, { status: 404, code: "no-such-entity" });
  claims.same("state() afterwards", view.state(), before);
  return Promise.resolve();
}

async function apart(editor: With<"view" | "editing">, claims: Claims): Promise<void> {
  const [first] = (await editor.sceneState()).entities;
  await unchanged(editor, claims, () => {
    const selection = first === undefined ? [] : [first.id];
    claims.done("change()", editor.view.change({ selection, mode: "2d" }, SOURCE));
    return Promise.resolve();
  });
}

async function leavesOut(editor: With<"view" | "editing">, claims: Claims): Promise<void> {
  const made = await run(editor, claims, [create("One")]);
  const id = made?.created[0]?.id;
  if (id === undefined) return;
  claims.done("change()", editor.view.change({ selection: [id], focus: id }, SOURCE));
  await run(editor, claims, [{ op: "delete", id }]);
  const { selection, focus } = editor.view.state();
  claims.same("state()", { selection, focus }, { selection: [], focus: null });
}
