import type { AssetDetails } from "../assets/details.ts";
import { type Affine, place, rectAround } from "../geometry/math.ts";
import type { Entity, Rect, TraitFields, Viewport } from "../types/mod.ts";
import type { WorldPlace } from "../scene/transforms.ts";
import { isOn, numberIn, textIn } from "../traits/value.ts";
import { spriteSize, textSize } from "./measured.ts";

/** Position of the 2D layer on the screen. */
export interface View2D {
  /** The world's pixel in the middle of the viewport. */
  readonly center: readonly [number, number];
  readonly zoom: number;
  /** Clockwise rotation of the camera, as sine and cosine. */
  readonly turned: readonly [number, number];
  readonly viewport: Viewport;
}

/**
 * Returns the view of a camera of the 2D layer, whose position is the centre of the picture.
 * Without a camera, world pixels are viewport pixels from the top left corner.
 */
export function layoutView(
  viewport: Viewport,
  camera?: { readonly fields: TraitFields; readonly at: WorldPlace },
): View2D {
  if (camera === undefined) {
    const center = [viewport.width / 2, viewport.height / 2] as const;
    return { center, zoom: 1, turned: [0, 1], viewport };
  }
  const { affine: { offset }, rotation } = camera.at;
  return {
    center: [offset[0], offset[1]],
    zoom: numberIn(camera.fields, "zoom", 1),
    turned: [rotation[3], rotation[0]],
    viewport,
  };
}

/**
 * The rectangle of an entity's Sprite or Text.
 *
 * @returns `undefined` when it has neither, `null` when it is hidden or its image has no known size.
 */
export function rect2d(
  entity: Entity,
  { affine }: WorldPlace,
  { view, details }: { readonly view: View2D; readonly details: AssetDetails },
): Rect | null | undefined {
  const { Sprite: sprite, Text: text } = entity.traits;
  if (sprite !== undefined) {
    const size = isOn(sprite, "visible") ? spriteSize(entity, details) : null;
    if (size === null) return null;
    const pivot = [numberIn(sprite, "pivotX", 0.5), numberIn(sprite, "pivotY", 0.5)] as const;
    return rectOf({ size, pivot }, affine, view);
  }
  if (text === undefined) return undefined;
  const maxWidth = numberIn(text, "maxWidth") || Infinity;
  const size = isOn(text, "visible") ? textSize(entity, details, maxWidth) : null;
  if (size === null) return null;
  const align = textIn(text, "align");
  const pivot = [align === "center" ? 0.5 : align === "right" ? 1 : 0, 0] as const;
  return rectOf({ size, pivot }, affine, view);
}

interface Box {
  readonly size: { readonly width: number; readonly height: number };
  /** Point of the box at the entity's position, from 0 to 1. */
  readonly pivot: readonly [number, number];
}

function rectOf({ size, pivot }: Box, affine: Affine, view: View2D): Rect | null {
  const left = -pivot[0] * size.width;
  const top = -pivot[1] * size.height;
  const corners = [[0, 0], [1, 0], [0, 1], [1, 1]] as const;
  return rectAround(corners.map(([right, bottom]) => {
    const [x, y] = place(affine, [left + right * size.width, top + bottom * size.height, 0]);
    return toViewport(x, y, view);
  }));
}

/** Converts a point of the 2D layer to the screen. */
export function toViewport(
  x: number,
  y: number,
  { center, zoom, turned: [sine, cosine], viewport }: View2D,
): readonly [number, number] {
  const dx = (x - center[0]) * zoom;
  const dy = (y - center[1]) * zoom;
  return [
    viewport.width / 2 + cosine * dx + sine * dy,
    viewport.height / 2 - sine * dx + cosine * dy,
  ];
}

/** The world's pixel at one of the viewport. */
export function fromViewport(
  x: number,
  y: number,
  { center, zoom, turned: [sine, cosine], viewport }: View2D,
): readonly [number, number] {
  const [dx, dy] = [(x - viewport.width / 2) / zoom, (y - viewport.height / 2) / zoom];
  return [center[0] + cosine * dx - sine * dy, center[1] + sine * dx + cosine * dy];
}
