import { numberIn, textIn } from "../game/traits/mod.ts";
import type { Layer, LayoutEntry, ScreenLayout } from "../game/types/mod.ts";
import type { LiveEntity, LiveWorld } from "../game/world/mod.ts";

/** A point of the screen, in the game's pixels. */
export interface FlatPoint {
  readonly x: number;
  readonly y: number;
}

/**
 * Returns the topmost entity of a 2D layer at a point, by its rectangle, or `null`. Painted
 * entities win over boxes that only group others.
 */
export function pickFlat(
  layer: Exclude<Layer, "3d">,
  { x, y }: FlatPoint,
  { world, layout, seenOnly }: {
    readonly world: LiveWorld;
    readonly layout: ScreenLayout;
    /** Ignores boxes that only group others. */
    readonly seenOnly: boolean;
  },
): number | null {
  const hit = layout.entries.filter((entry) => entry.layer === layer && isAt(entry, { x, y }))
    .flatMap(({ id }) => world.get(id) ?? []);
  // In drawing order: the last one is on top.
  if (layer === "2d") hit.sort((a, b) => depthOf(world, a) - depthOf(world, b));
  const top = hit.findLast(isPainted) ?? (seenOnly ? undefined : hit.at(-1));
  return top?.id ?? null;
}

function isAt({ rect, onScreen }: LayoutEntry, { x, y }: FlatPoint): boolean {
  return rect !== null && onScreen && x >= rect.x && y >= rect.y && x < rect.x + rect.w &&
    y < rect.y + rect.h;
}

function depthOf(world: LiveWorld, entity: LiveEntity): number {
  return world.placeOf(entity).affine.offset[2];
}

function isPainted({ traits }: LiveEntity): boolean {
  const { UIElement: element, Sprite: sprite, Text: text } = traits;
  if (numberIn(element, "opacity", 1) <= 0) return false;
  const background = textIn(element, "background");
  return (background !== "" && !/^#.{6}00$/.test(background)) ||
    textIn(sprite, "image") !== "" || textIn(text, "text") !== "";
}
