import type { SceneView } from "../../game-web/mod.ts";
import { textIn } from "../../game/traits/mod.ts";
import type { Entity, TraitFields } from "../../editor/ports/mod.ts";
import { edit } from "../model/actions.ts";
import { isStopped } from "../model/editor.ts";
import { endPreview, settle, tryEach } from "../model/previews.ts";
import { byGuid, byId } from "../model/scene.ts";
import { changedTransform, dragged, type GizmoChange, snapped } from "./gizmo.ts";
import type { EyeRay } from "./orbit.ts";

// The ways that walk entities (`Patrol`): from point to point, each an entity of its own.

/** Points of a way that are drawn. */
const MOST_POINTS = 200;

/**
 * Returns the route of an entity, from itself on. A circular route ends with the point to which it
 * returns.
 */
function wayOf(
  walker: Entity,
  named: (guid: string) => Entity | undefined,
): readonly Entity[] {
  const way = [walker];
  const met = new Set([walker]);
  let last: Entity | undefined = walker;
  while (last !== undefined && way.length < MOST_POINTS) {
    last = named(textIn(last.traits["Patrol"], "target"));
    if (last === undefined) break;
    way.push(last);
    if (met.has(last)) break;
    met.add(last);
  }
  return way;
}

/** Returns the current route of a 3D entity; empty if it does not patrol. */
export function wayNow(id: number): readonly Entity[] {
  const walker = byId.value.get(id);
  if (walker?.layer !== "3d" || walker.traits["Patrol"] === undefined) return [];
  return wayOf(walker, (guid) => byGuid.value.get(guid)).filter(({ layer }) => layer === "3d");
}

/** Drags a point of a route along the ground; `null` if it has no position. */
export function wayGesture(view: SceneView, id: number): {
  /** @returns The resulting change; `null` if the rays do not determine it. */
  move(from: EyeRay, to: EyeRay, options: { readonly isSnapped: boolean }): GizmoChange | null;
  end(isDone: boolean): void;
} | null {
  const [point, places] = [byId.value.get(id), view.measures.places(id)];
  const before = point?.traits["Transform"];
  if (before === undefined || places === null || !isStopped.value) return null;
  const { own, parent } = places;
  let fields: TraitFields | null = null;
  return {
    move(from, to, { isSnapped }) {
      const rays = { from, to, pixels: 0 };
      const found = dragged(
        { kind: "move", along: [0, 1, 0], shape: "plane" },
        own.affine.offset,
        rays,
      );
      if (found === null) return null;
      const change = isSnapped ? snapped(found) : found;
      fields = changedTransform(before, change, parent ?? undefined);
      tryEach(new Map([[id, { Transform: fields }]]));
      return change;
    },
    end(isDone) {
      if (!isDone || fields === null) return endPreview();
      void settle(edit([{ op: "set", id, trait: "Transform", fields }]));
    },
  };
}
