import { type Signal, signal } from "@preact/signals";
import type { EditOp, ViewState } from "../../editor/ports/mod.ts";
import { type Answered, call } from "../wire/service.ts";
import { changeView, view } from "./editor.ts";
import { say } from "./notices.ts";
import { byId, sceneHas } from "./scene.ts";

// What a person does: each is a call of a tool that agents have too. What is refused is said.

/** Calls a tool, and says why not. @returns Whether it was done. */
export async function act(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<
  boolean
> {
  return said(await call(name, args)).ok;
}

/** Says why something was refused. */
export function said(answer: Answered): Answered {
  if (!answer.ok) say("error", answer.error.detail, answer.error.hint);
  return answer;
}

/**
 * Changes the scene: one step of undo; ends once the page shows it.
 *
 * @returns The answer of the edit; `null` when refused.
 */
export async function edit(
  ops: readonly EditOp[],
): Promise<Readonly<Record<string, unknown>> | null> {
  if (ops.length === 0) return null;
  const done = said(await call("svc_scene_edit", { ops }));
  if (!done.ok) return null;
  await sceneHas(Number(done.value["rev"]));
  return done.value;
}

/** Selects entities, the primary one first; seen at once. */
export function select(ids: readonly number[]): void {
  const { selection } = view.value;
  if (ids.length === selection.length && ids.every((id, n) => id === selection[n])) return;
  const now = { ...view.value, selection: ids, asset: null };
  changeSelection(now, { ids });
}

/** Number of selections that were made here. */
let selections = 0;

/** Sends a selection, unless a later one was made before its turn came: each is whole. */
function changeSelection(now: ViewState, args: Readonly<Record<string, unknown>>): void {
  const own = ++selections;
  void changeView(now, async () => own !== selections || await act("set_selection", args));
}

/** The selection that was left as one was taken out of it: nobody has asked to see its primary one. */
export const takenOutTo: Signal<readonly number[] | null> = signal(null);

/** Selects an entity beside the others, as the primary one, or takes it out of the selection. */
export function toggleSelected(id: number): void {
  const { selection } = view.value;
  const isIn = selection.includes(id);
  const ids = isIn ? selection.filter((one) => one !== id) : [id, ...selection];
  takenOutTo.value = isIn ? ids : null;
  select(ids);
}

/** Selects an asset by its path. */
export function selectAsset(path: string | null): void {
  const now = { ...view.value, selection: [], asset: path };
  changeSelection(now, path === null ? {} : { asset: path });
}

/** Changes the layer that is shown, or the gizmo. */
export function setView(change: {
  readonly mode?: ViewState["mode"];
  readonly gizmo?: ViewState["gizmo"]["mode"];
  readonly space?: ViewState["gizmo"]["space"];
}): void {
  const { mode = view.value.mode, gizmo = view.value.gizmo.mode } = change;
  const { space = view.value.gizmo.space } = change;
  const now = { ...view.value, mode, gizmo: { mode: gizmo, space } };
  void changeView(now, () => act("set_view", change));
}

/** Removes the selected entities. */
export async function removeSelected(): Promise<void> {
  await edit(topmost(view.value.selection).map((id) => ({ op: "delete", id })));
}

/** Duplicates the selected entities, and selects the copies. */
export async function duplicateSelected(): Promise<void> {
  const done = await edit(topmost(view.value.selection).map((id) => ({ op: "duplicate", id })));
  const created = Array.isArray(done?.["created"]) ? done["created"] : [];
  const ids = created.map((one) => Number(Object(one).id)).filter(Number.isInteger);
  if (ids.length > 0) select(ids.slice(0, topmost(view.value.selection).length));
}

/** Of these entities those whose ancestors are not among them: what is done to these is done to all. */
export function topmost(ids: readonly number[]): readonly number[] {
  const all = new Set(ids);
  return ids.filter((id) => {
    let parent = byId.value.get(id)?.parentId ?? null;
    while (parent !== null) {
      if (all.has(parent)) return false;
      parent = byId.value.get(parent)?.parentId ?? null;
    }
    return true;
  });
}

/** Undoes or redoes; where there is nothing to, nothing happens. */
export function undo(steps = 1): Promise<boolean> {
  return stepThrough("undo", steps);
}

/** Redoes what was undone. */
export function redo(steps = 1): Promise<boolean> {
  return stepThrough("redo", steps);
}

async function stepThrough(way: "undo" | "redo", steps: number): Promise<boolean> {
  const done = await call(way, { steps });
  return (done.ok || done.error.code === `nothing-to-${way}` ? done : said(done)).ok;
}
