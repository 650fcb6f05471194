import type { AssetDetails } from "../../game/assets/mod.ts";
import type { Affine } from "../../game/geometry/mod.ts";
import {
  activeCamera,
  layoutView,
  spriteSize,
  textSize,
  toViewport,
  type View2D,
} from "../../game/layout/mod.ts";
import type { Entity, LayoutEntry, Rect, ScreenLayout, Viewport } from "../../game/types/mod.ts";
import { isOn, numberIn } from "../../game/traits/mod.ts";
import type { LiveEntity, LiveWorld } from "../../game/world/mod.ts";
import type { SeenMoment } from "../content/mod.ts";
import { type Frame, leadOf, type Paint, pictureOf, shiftBetween, wordsOf } from "./paint.ts";

/** The paints of an entity, with the state in which they were made. */
interface Painted {
  readonly entity: LiveEntity;
  /** Value of its move counter. */
  readonly moves: number;
  /** Its depth, larger in front. */
  readonly depth: number;
  readonly frame: Frame;
  /** Empty if it is off the screen. */
  readonly paints: readonly Paint[];
}

const POINT: Rect = { x: 0, y: 0, w: 0, h: 0 };

/** The view of the 2D layer. */
interface Looked {
  readonly view: View2D;
  readonly camera: LiveEntity | undefined;
  /** Value of the camera's move counter. */
  readonly moves: number;
}

/** The paints of the 2D layer. Unchanged ones are the same values again. */
export class Paints2d {
  readonly #details: AssetDetails;
  /** By layout entry: a new entry replaces it whenever its appearance may have changed. */
  readonly #known = new WeakMap<LayoutEntry, Painted>();
  #looked: Looked | null = null;
  #painted: readonly Painted[] = [];

  constructor(details: AssetDetails) {
    this.#details = details;
  }

  /** Under its camera, by `Transform.z` in the world, then in document order. */
  of({ world }: SeenMoment["game"], { entries, viewport }: ScreenLayout): readonly Paint[] {
    const { view } = this.#looked = lookedThrough(world, viewport);
    const painted: Painted[] = [];
    for (const entry of entries) {
      if (entry.layer !== "2d") continue;
      const known = this.#known.get(entry) ?? this.#paint(world, entry, view);
      if (known === null) continue;
      this.#known.set(entry, known);
      painted.push(known);
    }
    this.#painted = painted;
    return [...painted].sort((a, b) => a.depth - b.depth).flatMap(({ paints }) => paints);
  }

  /**
   * Returns whether everything is within a distance, in CSS pixels, of where it was last painted.
   * Only considers movement, no other changes.
   */
  isWithin(world: LiveWorld, most: number): boolean {
    const looked = this.#looked;
    if (looked === null) return false;
    const { view, camera } = looked;
    if (camera !== undefined && world.placeVersion(camera) !== looked.moves) return false;
    return this.#painted.every((painted) => {
      if (world.placeVersion(painted.entity) === painted.moves) return true;
      const { affine } = world.placeOf(painted.entity);
      return affine.offset[2] === painted.depth && shiftTo(frameOf(affine, view), painted) <= most;
    });
  }

  #paint(world: LiveWorld, { id, onScreen }: LayoutEntry, view: View2D): Painted | null {
    const entity = world.get(id);
    if (entity === undefined) return null;
    const { affine } = world.placeOf(entity);
    const frame = frameOf(affine, view);
    const details = this.#details;
    const paints = onScreen
      ? [...picture(entity, frame, details), ...words(entity, frame, details)]
      : [];
    return { entity, moves: world.placeVersion(entity), depth: affine.offset[2], frame, paints };
  }
}

function lookedThrough(world: LiveWorld, viewport: Viewport): Looked {
  const id = activeCamera(world.withTrait("Camera"), "2d")?.id ?? 0;
  const camera = world.get(id);
  const fields = camera?.traits["Camera"];
  if (camera === undefined || fields === undefined) {
    return { view: layoutView(viewport), camera: undefined, moves: 0 };
  }
  const view = layoutView(viewport, { fields, at: world.placeOf(camera) });
  return { view, camera, moves: world.placeVersion(camera) };
}

/** Returns the distance between paints and their place in another frame, in CSS pixels. */
function shiftTo(is: Frame, { frame: was, paints }: Painted): number {
  if (paints.length > 0) return Math.max(...paints.map(({ box }) => shiftBetween(was, is, box)));
  // The extent of an off-screen entity is unknown: a small rotation may bring it onto the screen.
  const isTurned = is[0] !== was[0] || is[1] !== was[1] || is[2] !== was[2] || is[3] !== was[3];
  return isTurned ? Infinity : shiftBetween(was, is, POINT);
}

/** Returns the frame of a place in the view: its axes and its origin. */
function frameOf({ linear: [xx, yx, , xy, yy], offset: [x, y] }: Affine, view: View2D): Frame {
  const { zoom, turned: [sine, cosine] } = view;
  const [e, f] = toViewport(x, y, view);
  return [
    zoom * (cosine * xx + sine * xy),
    zoom * (cosine * xy - sine * xx),
    zoom * (cosine * yx + sine * yy),
    zoom * (cosine * yy - sine * yx),
    e,
    f,
  ];
}

function picture(entity: Entity, frame: Frame, details: AssetDetails): readonly Paint[] {
  const sprite = entity.traits["Sprite"];
  const size = isOn(sprite, "visible") ? spriteSize(entity, details) : null;
  if (sprite === undefined || size === null) return [];
  const { width: w, height: h } = size;
  const x = -numberIn(sprite, "pivotX", 0.5) * w;
  const y = -numberIn(sprite, "pivotY", 0.5) * h;
  return [pictureOf(sprite, { frame, alpha: 1, box: { x, y, w, h } })];
}

function words(entity: Entity, frame: Frame, details: AssetDetails): readonly Paint[] {
  const text = entity.traits["Text"];
  const maxWidth = numberIn(text, "maxWidth") || Infinity;
  const size = isOn(text, "visible") ? textSize(entity, details, maxWidth) : null;
  if (text === undefined || size === null) return [];
  const { width: w, height: h } = size;
  return [wordsOf(text, { frame, alpha: 1, box: { x: -leadOf(text) * w, y: 0, w, h } }, maxWidth)];
}
