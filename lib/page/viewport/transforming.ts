import { subtract } from "../../game/geometry/mod.ts";
import type { SceneView } from "../../game-web/mod.ts";
import type { EditOp, Entity, TraitFields, Vec3 } from "../../editor/ports/mod.ts";
import { edit, topmost } from "../model/actions.ts";
import { view as editorView } from "../model/editor.ts";
import { endPreview, settle, tryEach } from "../model/previews.ts";
import { byId } from "../model/scene.ts";
import { changedTransform, changesAbout, type GizmoChange } from "./gizmo.ts";

// Transforms the selection by a gesture: previewed while it lasts, one edit at its end.

/** The transformed entities, in their state at the start of the gesture. */
export interface Transformed {
  /** Centre of rotation and scaling. */
  readonly middle: Vec3;
  readonly parts: readonly {
    readonly entity: Entity;
    readonly places: NonNullable<ReturnType<SceneView["measures"]["places"]>>;
  }[];
}

/** Starts to transform the selected 3D entities that have a Transform; `null` if there are none. */
export function beginTransform(view: SceneView): Transformed | null {
  const parts = topmost(editorView.value.selection).flatMap((id) => {
    const [entity, places] = [byId.value.get(id), view.measures.places(id)];
    const isMovable = entity?.layer === "3d" && entity.traits["Transform"] !== undefined;
    return entity !== undefined && isMovable && places !== null ? [{ entity, places }] : [];
  });
  const [first] = parts;
  return first === undefined ? null : { middle: first.places.own.affine.offset, parts };
}

/** Previews a change of them. */
export function tryTransform(what: Transformed, change: GizmoChange): void {
  tryEach(
    new Map(
      fieldsAfter(what, change).map(([{ id }, Transform]) => [id, { Transform }]),
    ),
  );
}

/** Makes the change an edit: one step of undo. */
export async function endTransform(what: Transformed, change: GizmoChange | null): Promise<void> {
  if (change === null) return endPreview();
  const ops = fieldsAfter(what, change).map(([{ id }, fields]): EditOp => ({
    op: "set",
    id,
    trait: "Transform",
    fields,
  }));
  await settle(edit(ops));
}

function fieldsAfter(
  { middle, parts }: Transformed,
  change: GizmoChange,
): readonly (readonly [Entity, TraitFields])[] {
  return parts.map(({ entity, places: { own, parent } }) => {
    const from = subtract(own.affine.offset, middle);
    const before = entity.traits["Transform"];
    const fields = changesAbout(change, from).map((one) =>
      changedTransform(before, one, parent ?? undefined, own.rotation)
    );
    return [entity, Object.assign({}, ...fields)] as const;
  });
}
