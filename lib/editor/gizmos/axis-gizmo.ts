import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import {
  activeCamera,
  projectBounds,
  type Projection,
  projectionOf,
} from "../../game/layout/mod.ts";
import type { Entity, Handle, TraitFields, Vec3, Viewport, ViewState } from "../ports/mod.ts";
import { add, IDENTITY, invert, ORIGIN, rotate } from "../../game/geometry/mod.ts";
import { numberIn } from "../../game/traits/mod.ts";
import { type WorldPlace, worldPlaces } from "../../game/scene/mod.ts";

/** Distance of a handle from its entity's centre, in pixels. */
const ARM = 80;
/** Degrees that one pixel of a drag turns. */
const DEGREES_PER_PIXEL = 0.5;

const KINDS = { translate: "move", rotate: "rotate", scale: "scale" } as const;
const AXES = ["x", "y", "z"] as const;
type Axis = (typeof AXES)[number];

/** Everything from which the scene editor's handles are derived. */
export interface GizmoScene {
  readonly entities: readonly Entity[];
  readonly viewport: Viewport;
  readonly view: ViewState;
}

/** A drag of a handle, in pixels to the right and down. */
export interface HandleDrag {
  readonly id: string;
  readonly dx: number;
  readonly dy: number;
}

/** The fields of an entity that a drag changes. */
export interface DragEdit {
  readonly entity: Entity;
  /** Fields that are set, by trait. */
  readonly traits: Readonly<Record<string, TraitFields>>;
}

interface Arm {
  readonly entity: Entity;
  readonly axis: Axis;
  readonly kind: "move" | "rotate" | "scale";
  /** The axis in the world, of length 1. */
  readonly along: Vec3;
  /** Pixels. */
  readonly middle: readonly [number, number];
  /** Pixels that one metre along the axis takes on the screen. */
  readonly perMetre: readonly [number, number];
  readonly parent: WorldPlace | undefined;
}

/** Returns the handles of selected 3D entities, as the game's camera sees them. */
export function gizmoHandles(scene: GizmoScene): readonly Handle[] {
  return armsOf(scene).map((arm) => {
    const { entity, axis, kind, middle, perMetre } = arm;
    const length = sizeOf(perMetre);
    const reach = length === 0 ? 0 : ARM / length;
    const [x, y] = [middle[0] + perMetre[0] * reach, middle[1] + perMetre[1] * reach];
    return {
      id: `${kind}-${axis}:${entity.guid}`,
      editor: "scene",
      kind: `${kind}-${axis}`,
      x,
      y,
      label: entity.name,
      entity: entity.id,
      onScreen: x >= 0 && y >= 0 && x < scene.viewport.width && y < scene.viewport.height,
    };
  });
}

/**
 * Returns the fields that dragging a handle by that many pixels sets; `null` if the handle is not
 * one of these.
 */
export function dragOf(
  scene: GizmoScene,
  { id, dx, dy }: HandleDrag,
): Result<DragEdit, Problem> | null {
  const arm = armsOf(scene).find(({ kind, axis, entity }) =>
    `${kind}-${axis}:${entity.guid}` === id
  );
  if (arm === undefined) return null;
  const { entity, axis, kind, perMetre } = arm;
  const length = sizeOf(perMetre);
  if (length < 1e-6 && kind !== "rotate") {
    const detail = `Cannot drag along ${axis}: the axis points at the camera`;
    return refuse(422, "axis-hidden", detail, "Drag another axis, or use set_transform");
  }
  const pixels = length === 0 ? dx : (dx * perMetre[0] + dy * perMetre[1]) / length;
  return ok({ entity, traits: { Transform: fieldsOf(arm, pixels, { dx, dy, length }) } });
}

function fieldsOf(
  { entity, axis, kind, along, parent }: Arm,
  pixels: number,
  { dx, dy, length }: { readonly dx: number; readonly dy: number; readonly length: number },
): TraitFields {
  const at = entity.traits["Transform"];
  if (kind === "rotate") {
    const name = `r${axis}`;
    return { [name]: numberIn(at, name) + (dx - dy) * DEGREES_PER_PIXEL };
  }
  if (kind === "scale") {
    const name = `s${axis}`;
    return { [name]: numberIn(at, name, 1) * (1 + pixels / ARM) };
  }
  const metres = pixels / length;
  const way: Vec3 = [along[0] * metres, along[1] * metres, along[2] * metres];
  const inverse = invert((parent?.affine ?? ORIGIN).linear) ?? IDENTITY;
  const [x, y, z] = add(
    [numberIn(at, "x"), numberIn(at, "y"), numberIn(at, "z")],
    rotate(inverse, way),
  );
  return { x, y, z };
}

function armsOf({ entities, viewport, view }: GizmoScene): readonly Arm[] {
  const camera = activeCamera(entities, "3d");
  const fields = camera?.traits["Camera"];
  const places = worldPlaces(entities);
  const seenFrom = places.get(camera?.id ?? 0);
  if (fields === undefined || seenFrom === undefined) return [];
  const projection = projectionOf(fields, seenFrom);
  const kind = KINDS[view.gizmo.mode];
  const selected = entities.filter(({ id, layer, traits }) =>
    layer === "3d" && traits["Transform"] !== undefined && view.selection.includes(id)
  );
  return selected.flatMap((entity) => {
    const place = places.get(entity.id);
    const middle = place && pixelOf(place.affine.offset, projection, viewport);
    if (place === undefined || middle === undefined) return [];
    const local = view.gizmo.space === "local" || kind !== "move";
    const above = entities.find(({ id }) => id === entity.parentId);
    const parent = above?.layer === "3d" ? places.get(above.id) : undefined;
    return AXES.map((axis) => {
      const unit: Vec3 = [Number(axis === "x"), Number(axis === "y"), Number(axis === "z")];
      const along = local ? rotate(place.rotation, unit) : unit;
      const step = 1e-3;
      const beside = add(place.affine.offset, [along[0] * step, along[1] * step, along[2] * step]);
      const end = pixelOf(beside, projection, viewport) ?? middle;
      const perMetre = [(end[0] - middle[0]) / step, (end[1] - middle[1]) / step] as const;
      return { entity, axis, kind, along, middle, perMetre, parent };
    });
  });
}

function pixelOf(
  point: Vec3,
  projection: Projection,
  viewport: Viewport,
): readonly [number, number] | undefined {
  const box = { bounds: { min: point, max: point }, affine: ORIGIN };
  const rect = projectBounds(box, projection, viewport);
  return rect === null ? undefined : [rect.x, rect.y];
}

function sizeOf([x, y]: readonly [number, number]): number {
  return Math.sqrt(x * x + y * y);
}
