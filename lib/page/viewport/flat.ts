import { type HandleScene, rectDrag, rectHandles } from "../../editor/gizmos/mod.ts";
import type { EditOp, Handle, TraitFields } from "../../editor/ports/mod.ts";
import type { SceneView } from "../../game-web/mod.ts";
import { edit, topmost } from "../model/actions.ts";
import { isStopped, view as editorView } from "../model/editor.ts";
import { endPreview, preview, settle, tryEach, withTried } from "../model/previews.ts";
import { byGuid, byId, scene } from "../model/scene.ts";

// Gestures on selected 2D and UI entities, with the editor's own handles: a drag here sets the same
// values as `drag_handle`.

/** A running gesture on 2D entities, in pixels of the viewport since it started. */
export interface FlatGesture {
  move(dx: number, dy: number): void;
  end(isDone: boolean): void;
}

/** Returns the handles of the selection at their places in the viewport. */
export function flatHandles(view: SceneView): readonly Handle[] {
  if (!isStopped.value || view.mode === "3d") return [];
  const tried = preview.value;
  const now = sceneOf(view);
  const entities = tried.size === 0
    ? now.entities
    : now.entities.map((entity) => withTried(entity, tried));
  const { scale, left, top } = placeOf(view);
  return rectHandles({ ...now, entities })
    .filter(({ entity }) => byId.value.get(entity ?? NaN)?.layer === view.mode)
    .map((handle) => ({ ...handle, x: left + handle.x * scale, y: top + handle.y * scale }));
}

/** Starts to drag a handle, or the selection if none is named; `null` if nothing can be dragged. */
export function flatGesture(view: SceneView, id: string | null): FlatGesture | null {
  if (!isStopped.value) return null;
  const at = sceneOf(view);
  const { scale } = placeOf(view);
  const ids = id === null
    ? topmost(editorView.value.selection).flatMap((one) => {
      const entity = byId.value.get(one);
      return entity?.layer === view.mode ? [`move:${entity.guid}`] : [];
    })
    : [id];
  if (ids.length === 0) return null;
  let values: ReadonlyMap<number, Readonly<Record<string, TraitFields>>> = new Map();
  return {
    move(dx, dy) {
      values = new Map(ids.flatMap((id) => {
        const drag = rectDrag(at, { id, dx: dx / scale, dy: dy / scale });
        const entity = byGuid.value.get(id.slice(id.indexOf(":") + 1));
        if (drag?.ok !== true || entity === undefined) return [];
        const traits = Object.entries(drag.value.traits).map(([name, fields]) =>
          [name, neat(fields)] as const
        );
        return [[entity.id, Object.fromEntries(traits)] as const];
      }));
      tryEach(values);
    },
    end(isDone) {
      if (!isDone) return endPreview();
      const ops = [...values].flatMap(([id, traits]) =>
        Object.entries(traits).map(([trait, fields]): EditOp => ({ op: "set", id, trait, fields }))
      );
      void settle(edit(ops));
    },
  };
}

function sceneOf(view: SceneView): HandleScene {
  return { ...view.measures.flat, entities: scene.value.entities, view: editorView.value };
}

function placeOf(view: SceneView) {
  const { x, y, w } = view.screenRect;
  return { left: x, top: y, scale: w / view.measures.flat.viewport.width };
}

/** Values of a drag as people would type them. */
function neat(fields: TraitFields): TraitFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "number" ? Math.round(value * 100) / 100 : value,
    ]),
  );
}
