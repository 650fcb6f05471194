import type { AssetDetails } from "../../game/assets/mod.ts";
import type { Affine } from "../../game/geometry/mod.ts";
import {
  activeCamera,
  spriteSize,
  textSize,
  toViewport,
  type View2D,
  viewOf,
} from "../../game/layout/mod.ts";
import type { Entity, LayoutEntry, Rect, ScreenLayout, Viewport } from "../../game/types/mod.ts";
import { isOn, numberIn } from "../../game/traits/mod.ts";
import type { LiveEntity, LiveWorld } from "../../game/world/mod.ts";
import type { SeenMoment } from "../content/mod.ts";
import { type Frame, leadOf, type Paint, pictureOf, shiftBetween, wordsOf } from "./paint.ts";

/** What is painted of an entity, and where it was then. */
interface Painted {
  readonly entity: LiveEntity;
  /** How often it had moved. */
  readonly moves: number;
  /** How far in front. */
  readonly depth: number;
  readonly frame: Frame;
  /** Nothing where it is not on the screen. */
  readonly paints: readonly Paint[];
}

const POINT: Rect = { x: 0, y: 0, w: 0, h: 0 };

/** What the 2D layer is seen through. */
interface Looked {
  readonly view: View2D;
  readonly camera: LiveEntity | undefined;
  /** How often the camera had moved. */
  readonly moves: number;
}

/** What the 2D layer shows. What has not changed is the same value again. */
export class Paints2d {
  readonly #details: AssetDetails;
  /** By what the layout has measured: that is another value once anything has changed that it is seen by. */
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
   * Whether everything is where it was painted last, or at most so many CSS pixels beside: as far as
   * things have moved, whatever else has changed.
   */
  isWithin(world: LiveWorld, most: number): boolean {
    const looked = this.#looked;
    if (looked === null) return false;
    const { view, camera } = looked;
    if (camera !== undefined && world.movesOf(camera) !== looked.moves) return false;
    return this.#painted.every((painted) => {
      if (world.movesOf(painted.entity) === painted.moves) return true;
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
    return { entity, moves: world.movesOf(entity), depth: affine.offset[2], frame, paints };
  }
}

function lookedThrough(world: LiveWorld, viewport: Viewport): Looked {
  const id = activeCamera(world.having("Camera"), "2d")?.id ?? 0;
  const camera = world.get(id);
  const fields = camera?.traits["Camera"];
  if (camera === undefined || fields === undefined) {
    return { view: viewOf(viewport), camera: undefined, moves: 0 };
  }
  const view = viewOf(viewport, { fields, at: world.placeOf(camera) });
  return { view, camera, moves: world.movesOf(camera) };
}

/** How far what was painted is from where it lies in another frame, in CSS pixels. */
function shiftTo(is: Frame, { frame: was, paints }: Painted): number {
  if (paints.length > 0) return Math.max(...paints.map(({ box }) => shiftBetween(was, is, box)));
  // Of what is not on the screen nobody knows how far it reaches: turned a little, it may come there.
  const isTurned = is[0] !== was[0] || is[1] !== was[1] || is[2] !== was[2] || is[3] !== was[3];
  return isTurned ? Infinity : shiftBetween(was, is, POINT);
}

/** Where the view takes what a place has taken there: its axes, and its origin. */
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
