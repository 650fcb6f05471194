import { type Signal, signal } from "@preact/signals";
import type { EditOp, ViewState } from "../../editor/ports/mod.ts";
import { type Answered, callService } from "../wire/service.ts";
import { changeView, view } from "./editor.ts";
import { say } from "./notices.ts";
import { byId, sceneHas } from "./scene.ts";

// Actions of the user: each calls a tool that agents have too. Refusals become notices.

/** Calls a tool, and shows a refusal. @returns Whether it succeeded. */
export async function act(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<
  boolean
> {
  return said(await callService(name, args)).ok;
}

/** Shows the reason of a refusal. */
export function said(answer: Answered): Answered {
  if (!answer.ok) say("error", answer.error.detail, answer.error.hint);
  return answer;
}

/**
 * Edits the scene in one undo step; resolves once the page shows the result.
 *
 * @returns The answer of the edit; `null` if refused.
 */
export async function edit(
  ops: readonly EditOp[],
): Promise<Readonly<Record<string, unknown>> | null> {
  if (ops.length === 0) return null;
  const done = said(await callService("svc_scene_edit", { ops }));
  if (!done.ok) return null;
  await sceneHas(Number(done.value["rev"]));
  return done.value;
}

/** Selects entities, the primary one first; shown immediately. */
export function select(ids: readonly number[]): void {
  const { selection } = view.value;
  if (ids.length === selection.length && ids.every((id, n) => id === selection[n])) return;
  const now = { ...view.value, selection: ids, asset: null };
  changeSelection(now, { ids });
}

/** Number of selections that were made here. */
let selections = 0;

/** Sends a selection, unless it was replaced before its turn: each is complete. */
function changeSelection(now: ViewState, args: Readonly<Record<string, unknown>>): void {
  const own = ++selections;
  void changeView(now, async () => own !== selections || await act("set_selection", args));
}

/** Selection after a deselect; the hierarchy must not scroll to its primary entity. */
export const selectionAfterDeselect: Signal<readonly number[] | null> = signal(null);

/** Adds an entity to the selection as the primary one, or removes it. */
export function toggleSelected(id: number): void {
  const { selection } = view.value;
  const isIn = selection.includes(id);
  const ids = isIn ? selection.filter((one) => one !== id) : [id, ...selection];
  selectionAfterDeselect.value = isIn ? ids : null;
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

/**
 * Returns those entities whose ancestors are not among them: a change of them covers the others.
 */
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

/** Undoes steps; does nothing if there are none. */
export function undo(steps = 1): Promise<boolean> {
  return stepThrough("undo", steps);
}

/** Redoes undone steps. */
export function redo(steps = 1): Promise<boolean> {
  return stepThrough("redo", steps);
}

async function stepThrough(way: "undo" | "redo", steps: number): Promise<boolean> {
  const done = await callService(way, { steps });
  return (done.ok || done.error.code === `nothing-to-${way}` ? done : said(done)).ok;
}
