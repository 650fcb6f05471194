import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { AssetDetails } from "../../game/assets/mod.ts";
import {
  activeCamera,
  layoutView,
  spriteSize,
  toViewport,
  type View2D,
} from "../../game/layout/mod.ts";
import { IDENTITY, invert, place, rotate } from "../../game/geometry/mod.ts";
import type { Entity, Handle, Rect, ScreenLayout, TraitFields, Vec3 } from "../ports/mod.ts";
import { isOn, numberIn, textIn } from "../../game/traits/mod.ts";
import { type WorldPlace, worldPlaces } from "../../game/scene/mod.ts";
import type { DragEdit, GizmoScene, HandleDrag } from "./axis-gizmo.ts";

/** Everything from which the handles of 2D entities are derived. */
export interface HandleScene extends GizmoScene {
  readonly layout: Pick<ScreenLayout, "entries">;
  readonly details: AssetDetails;
}

/**
 * Corners and edges with the sides that they move: −1 left or top, 1 right or bottom, 0 neither.
 */
const SIDES = [
  ["resize-nw", -1, -1],
  ["resize-ne", 1, -1],
  ["resize-sw", -1, 1],
  ["resize-se", 1, 1],
  ["resize-n", 0, -1],
  ["resize-e", 1, 0],
  ["resize-s", 0, 1],
  ["resize-w", -1, 0],
] as const;
/** Distance of the rotation grip from an entity's upper edge, in pixels. */
const TURNING_ARM = 28;

/** A handle, and the fields that a drag of that many pixels sets. */
interface Grip {
  readonly kind: string;
  readonly entity: Entity;
  readonly at: readonly [number, number];
  readonly drag: (dx: number, dy: number) => Readonly<Record<string, TraitFields>>;
}

/**
 * Returns the handles of selected sprites, texts and UI boxes: `move` at the centre; `resize-nw` …
 * `resize-w` at the corners and edges of entities with a size of their own, `rotate` above a
 * sprite. The opposite side stays in place, unless its parent's layout moves a UI box.
 */
export function rectHandles(scene: HandleScene): readonly Handle[] {
  const { width, height } = scene.viewport;
  return gripsOf(scene).map(({ kind, entity, at: [x, y] }) => ({
    id: `${kind}:${entity.guid}`,
    editor: "scene",
    kind,
    x,
    y,
    label: entity.name,
    entity: entity.id,
    onScreen: x >= 0 && y >= 0 && x < width && y < height,
  }));
}

/** The fields that dragging one of them sets; `null` for another handle. */
export function rectDrag(
  scene: HandleScene,
  { id, dx, dy }: HandleDrag,
): Result<DragEdit, Problem> | null {
  const grip = gripsOf(scene).find(({ kind, entity }) => `${kind}:${entity.guid}` === id);
  return grip === undefined ? null : ok({ entity: grip.entity, traits: grip.drag(dx, dy) });
}

function gripsOf(scene: HandleScene): readonly Grip[] {
  const { entities, view, layout } = scene;
  const selected = entities.filter(({ id, layer }) =>
    layer !== "3d" && view.selection.includes(id)
  );
  if (selected.length === 0) return [];
  const rects = new Map(layout.entries.map(({ id, rect }) => [id, rect]));
  const places = worldPlaces(entities);
  const flat = view2d(scene, places);
  return selected.flatMap((entity): readonly Grip[] => {
    const rect = rects.get(entity.id) ?? null;
    if (rect === null) return [];
    if (entity.layer === "ui") {
      return boxGrips(entity, rect, rects.get(entity.parentId ?? 0) ?? null);
    }
    const at = places.get(entity.id);
    if (at === undefined || entity.traits["Transform"] === undefined) return [];
    const above = entities.find(({ id }) => id === entity.parentId);
    const parent = above?.layer === "2d" ? places.get(above.id) : undefined;
    return spriteGrips({ entity, rect, at, parent, flat, details: scene.details });
  });
}

function view2d(
  { entities, viewport }: HandleScene,
  places: ReadonlyMap<number, WorldPlace>,
): View2D {
  const camera = activeCamera(entities, "2d");
  const fields = camera?.traits["Camera"];
  const at = places.get(camera?.id ?? 0);
  return fields === undefined || at === undefined
    ? layoutView(viewport)
    : layoutView(viewport, { fields, at });
}

interface FlatThing {
  readonly entity: Entity;
  readonly rect: Rect;
  readonly at: WorldPlace;
  readonly parent: WorldPlace | undefined;
  readonly flat: View2D;
  readonly details: AssetDetails;
}

/** The grips of a sprite or text of the 2D layer, also a turned or scaled one. */
function spriteGrips(thing: FlatThing): readonly Grip[] {
  const { entity, rect, at, parent, flat, details } = thing;
  const transform = entity.traits["Transform"];
  // Converts pixels of the screen to those of the world, the parent and the entity itself.
  const [sine, cosine] = flat.turned;
  const inWorld = (dx: number, dy: number): Vec3 => [
    (cosine * dx - sine * dy) / flat.zoom,
    (sine * dx + cosine * dy) / flat.zoom,
    0,
  ];
  const toParent = invert(parent?.affine.linear ?? IDENTITY) ?? IDENTITY;
  const moved = (world: Vec3): TraitFields => {
    const [x, y] = rotate(toParent, world);
    return { x: numberIn(transform, "x") + x, y: numberIn(transform, "y") + y };
  };
  const move: Grip = {
    kind: "move",
    entity,
    at: [rect.x + rect.w / 2, rect.y + rect.h / 2],
    drag: (dx, dy) => ({ Transform: moved(inWorld(dx, dy)) }),
  };
  const size = spriteSize(entity, details);
  const toOwn = invert(at.affine.linear);
  if (size === null || toOwn === null) return [move];
  const { width, height } = size;
  const sprite = entity.traits["Sprite"];
  const [px, py] = [numberIn(sprite, "pivotX", 0.5), numberIn(sprite, "pivotY", 0.5)];
  /**
   * Returns the screen position of a point of the entity: −1 at its left or upper side, 1 at the
   * opposite one.
   */
  const seenAt = (right: number, bottom: number): readonly [number, number] => {
    const point: Vec3 = [((1 + right) / 2 - px) * width, ((1 + bottom) / 2 - py) * height, 0];
    const [x, y] = place(at.affine, point);
    return toViewport(x, y, flat);
  };
  const sides = SIDES.map(([kind, right, bottom]): Grip => {
    return {
      kind,
      entity,
      at: seenAt(right, bottom),
      drag(dx, dy) {
        const [ox, oy] = rotate(toOwn, inWorld(dx, dy));
        const [w, h] = [Math.max(1, width + right * ox), Math.max(1, height + bottom * oy)];
        // The pivot moves with the dragged side, in proportion to its distance from the fixed side.
        const shift: Vec3 = [
          (right > 0 ? px : px - 1) * (w - width),
          (bottom > 0 ? py : py - 1) * (h - height),
          0,
        ];
        return {
          Sprite: { width: w, height: h },
          Transform: moved(rotate(at.affine.linear, shift)),
        };
      },
    };
  });
  const [x, y] = at.affine.offset;
  const turn = turningGrip(
    entity,
    { pivot: toViewport(x, y, flat), top: seenAt(0, -1) },
    seenAt(0, 0),
  );
  return [move, ...sides, turn];
}

/**
 * Creates the grip that rotates a sprite about its pivot: above its upper edge, rotating with it.
 */
function turningGrip(
  entity: Entity,
  { pivot, top }: Readonly<Record<"pivot" | "top", readonly [number, number]>>,
  middle: readonly [number, number],
): Grip {
  const [ux, uy] = [top[0] - middle[0], top[1] - middle[1]];
  const length = Math.hypot(ux, uy) || 1;
  const x = top[0] + ux / length * TURNING_ARM;
  const y = top[1] + uy / length * TURNING_ARM;
  return {
    kind: "rotate",
    entity,
    at: [x, y],
    drag(dx, dy) {
      const before = Math.atan2(y - pivot[1], x - pivot[0]);
      const after = Math.atan2(y + dy - pivot[1], x + dx - pivot[0]);
      const turned = numberIn(entity.traits["Transform"], "rz") + (after - before) * 180 / Math.PI;
      return { Transform: { rz: ((turned + 180) % 360 + 360) % 360 - 180 } };
    },
  };
}

/** The grips of a box of the UI layer. */
function boxGrips(entity: Entity, rect: Rect, parent: Rect | null): readonly Grip[] {
  const fields = entity.traits["UIElement"];
  if (fields === undefined || !isOn(fields, "visible")) return [];
  const across = { names: ["pinX", "left", "right"], offset: rect.x - (parent?.x ?? 0) } as const;
  const down = { names: ["pinY", "top", "bottom"], offset: rect.y - (parent?.y ?? 0) } as const;
  const move: Grip = {
    kind: "move",
    entity,
    at: [rect.x + rect.w / 2, rect.y + rect.h / 2],
    drag: (dx, dy) => ({
      UIElement: { ...moved(fields, across, dx), ...moved(fields, down, dy) },
    }),
  };
  const sides = SIDES.map(([kind, right, bottom]): Grip => ({
    kind,
    entity,
    at: [rect.x + rect.w * (1 + right) / 2, rect.y + rect.h * (1 + bottom) / 2],
    drag(dx, dy) {
      const [w, h] = [Math.max(0, rect.w + right * dx), Math.max(0, rect.h + bottom * dy)];
      return {
        UIElement: {
          ...(right !== 0 && { width: w, widthUnit: "px" }),
          ...(bottom !== 0 && { height: h, heightUnit: "px" }),
          ...moved(fields, across, held(fields, "pinX", right) * (w - rect.w)),
          ...moved(fields, down, held(fields, "pinY", bottom) * (h - rect.h)),
        },
      };
    },
  }));
  return [move, ...sides];
}

/**
 * Returns how far a box that grows by 1 must move to keep its other side in place. @param side The
 * dragged side.
 */
function held(fields: TraitFields, pin: "pinX" | "pinY", side: 1 | 0 | -1): number {
  const isAbsolute = textIn(fields, "position") === "absolute";
  const isFar = isAbsolute && ["right", "bottom"].includes(textIn(fields, pin)); // grows the other way
  if (isFar) return side > 0 ? 1 : 0;
  return side > 0 ? 0 : -1;
}

interface Axis {
  /** Names of the pin field, which selects the held sides, and of both offsets. */
  readonly names: readonly [pin: string, near: string, far: string];
  /** From the near side of the parent, in pixels. */
  readonly offset: number;
}

/**
 * Moves a box along an axis by the offsets that position it; by its near side if there are none.
 */
function moved(
  fields: TraitFields,
  { names: [pin, near, far], offset }: Axis,
  by: number,
): TraitFields {
  if (by === 0) return {};
  const pinned = textIn(fields, pin);
  const isAbsolute = textIn(fields, "position") === "absolute";
  if (pinned === near) return { [near]: numberIn(fields, near) + by };
  if (pinned === far) return { [far]: numberIn(fields, far) - by };
  if (pinned === "both") {
    return { [near]: numberIn(fields, near) + by, [far]: numberIn(fields, far) - by };
  }
  const from = isAbsolute ? offset - numberIn(fields, "margin") : 0;
  return { [pin]: near, [near]: from + by };
}
