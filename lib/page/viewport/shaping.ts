import type { SceneView } from "../../game-web/mod.ts";
import { edit } from "../model/actions.ts";
import { isStopped } from "../model/editor.ts";
import { endPreview, preview, settle, tryEach, withTried } from "../model/previews.ts";
import { byId } from "../model/scene.ts";
import { dragged } from "./gizmo.ts";
import type { EyeRay } from "./orbit.ts";
import { type OverlayShape, shapesOf } from "./shapes.ts";

// Drags the sizes of invisible parts: one field of a trait, previewed and then set.

/** Returns the outlines of an entity with its previewed values. */
export function shapesNow(view: SceneView, id: number): readonly OverlayShape[] {
  const [entity, places] = [byId.value.get(id), view.measures.places(id)];
  if (entity?.layer !== "3d" || places === null) return [];
  return shapesOf(withTried(entity, preview.value), places.own);
}

/** Starts to drag the handle of that name, `<id> <Trait>.<field>`; `null` if there is none. */
export function shapeGesture(view: SceneView, name: string): {
  /** @returns The field's new value; `null` if the rays do not determine it. */
  move(from: EyeRay, to: EyeRay): number | null;
  end(isDone: boolean): void;
} | null {
  const [id, field] = [Number(name.split(" ")[0]), name.split(" ")[1]];
  const handle = shapesNow(view, id).flatMap(({ handles }) => handles)
    .find((one) => `${one.trait}.${one.field}` === field);
  if (handle === undefined || !isStopped.value) return null;
  const { trait, at, along, perMetre } = handle;
  let fields: Readonly<Record<string, number>> | null = null;
  return {
    move(from, to) {
      const found = dragged({ kind: "move", along, shape: "arrow" }, at, { from, to, pixels: 0 });
      if (found?.kind !== "move") return null;
      const [x, y, z] = found.by;
      const by = x * along[0] + y * along[1] + z * along[2];
      const value = Math.max(0, Math.round((handle.value + by * perMetre) * 1e3) / 1e3);
      fields = { [handle.field]: value };
      tryEach(new Map([[id, { [trait]: fields }]]));
      return value;
    },
    end(isDone) {
      if (!isDone || fields === null) return endPreview();
      void settle(edit([{ op: "set", id, trait, fields }]));
    },
  };
}
