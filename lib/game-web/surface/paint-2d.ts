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
import type { Entity, LayoutEntry, ScreenLayout } from "../../game/types/mod.ts";
import { isOn, numberIn } from "../../game/traits/mod.ts";
import type { SeenMoment } from "../content/mod.ts";
import { type Frame, leadOf, type Paint, pictureOf, wordsOf } from "./paint.ts";

/** What is painted of an entity, and how far in front. */
interface Painted {
  readonly depth: number;
  readonly paints: readonly Paint[];
}

/** What the 2D layer shows. What has not changed is the same value again. */
export class Paints2d {
  readonly #details: AssetDetails;
  /** By what the layout has measured: that is another value once anything has changed that it is seen by. */
  readonly #known = new WeakMap<LayoutEntry, Painted>();

  constructor(details: AssetDetails) {
    this.#details = details;
  }

  /** Under its camera, by `Transform.z` in the world, then in document order. */
  of({ world }: SeenMoment["game"], { entries, viewport }: ScreenLayout): readonly Paint[] {
    const camera = activeCamera(world.having("Camera"), "2d");
    const live = world.get(camera?.id ?? 0);
    const fields = live?.traits["Camera"];
    const view = live === undefined || fields === undefined
      ? viewOf(viewport)
      : viewOf(viewport, { fields, at: world.placeOf(live) });
    const seen: Painted[] = [];
    for (const entry of entries) {
      if (entry.layer !== "2d" || !entry.onScreen) continue;
      let painted = this.#known.get(entry);
      if (painted === undefined) {
        const entity = world.get(entry.id);
        if (entity === undefined) continue;
        const { affine } = world.placeOf(entity);
        const frame = frameOf(affine, view);
        const details = this.#details;
        const paints = [...picture(entity, frame, details), ...words(entity, frame, details)];
        painted = { depth: affine.offset[2], paints };
        this.#known.set(entry, painted);
      }
      seen.push(painted);
    }
    seen.sort((a, b) => a.depth - b.depth);
    return seen.flatMap(({ paints }) => paints);
  }
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
