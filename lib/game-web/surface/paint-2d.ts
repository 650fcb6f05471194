import type { AssetDetails } from "../../game/assets/mod.ts";
import { place } from "../../game/geometry/mod.ts";
import { activeCamera, spriteSize, textSize, toViewport, viewOf } from "../../game/layout/mod.ts";
import type { Entity, ScreenLayout } from "../../game/types/mod.ts";
import { isOn, numberIn } from "../../game/traits/mod.ts";
import type { Game } from "../../game/world/mod.ts";
import { type Frame, leadOf, type Paint, pictureOf, wordsOf } from "./paint.ts";

/**
 * What the 2D layer shows: under its camera, by `Transform.z` in the world, then in document order.
 */
export function paint2d(
  { world }: Game,
  { entries, viewport }: ScreenLayout,
  details: AssetDetails,
): readonly Paint[] {
  const camera = activeCamera(world.having("Camera"), "2d");
  const live = world.get(camera?.id ?? 0);
  const fields = live?.traits["Camera"];
  const view = live === undefined || fields === undefined
    ? viewOf(viewport)
    : viewOf(viewport, { fields, at: world.placeOf(live) });
  const seen = entries.flatMap(({ id, layer, onScreen }) => {
    const entity = layer === "2d" && onScreen ? world.get(id) : undefined;
    if (entity === undefined) return [];
    const { affine } = world.placeOf(entity);
    return [{ entity, affine, depth: affine.offset[2] }];
  });
  seen.sort((a, b) => a.depth - b.depth);
  return seen.flatMap(({ entity, affine }) => {
    const frame = frameOf((x, y) => {
      const [across, down] = place(affine, [x, y, 0]);
      return toViewport(across, down, view);
    });
    return [...picture(entity, frame, details), ...words(entity, frame, details)];
  });
}

/** The frame that takes points to where a function takes them. */
function frameOf(at: (x: number, y: number) => readonly [number, number]): Frame {
  const [e, f] = at(0, 0);
  const [rightX, rightY] = at(1, 0);
  const [downX, downY] = at(0, 1);
  return [rightX - e, rightY - f, downX - e, downY - f, e, f];
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
