import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";

/** Pixels, or units of a screen. */
export interface ScreenSize {
  /** Across. */
  readonly width: number;
  /** Down. */
  readonly height: number;
}

/** A position from the top left. */
export interface Point {
  /** Distance from the left. */
  readonly x: number;
  /** From the top. */
  readonly y: number;
}

/** The current screen, in whose units touches are reported. */
export interface Screen extends ScreenSize {
  /** Degrees that the device is turned by: 0, 90, 180 or 270. */
  readonly rotation: number;
  /** Units of this screen per point: 1 if they are CSS pixels. */
  readonly unitsPerPoint: number;
}

/** A screen as callers see it. */
export interface ScreenInfo extends ScreenSize {
  /** Pixels of the picture for one of these points. */
  readonly scale: number;
  /** Its current orientation. */
  readonly orientation: "portrait" | "landscape";
}

/** A picture that was shown, and the screen that it shows. */
export interface ShownScreen {
  /** The picture's size in pixels, in which touches are given. */
  readonly image: ScreenSize;
  /** The screen then. */
  readonly screen: Screen;
}

/** The screen of a picture in points: its width times `scale` is the width of the picture. */
export function screenInfo({ image, screen }: ShownScreen): ScreenInfo {
  const { width, height, unitsPerPoint } = screen;
  const points = { width: width / unitsPerPoint, height: height / unitsPerPoint };
  return {
    ...points,
    scale: image.width / points.width,
    orientation: width > height ? "landscape" : "portrait",
  };
}

/**
 * Converts a pixel of a picture to its position on the screen (DEV-43): the pixel's centre, so that
 * pictures of any size address the same place.
 *
 * @returns 400 `off-picture`.
 */
export function onScreen({ x, y }: Point, { image, screen }: ShownScreen): Result<Point, Problem> {
  if (!(x >= 0 && y >= 0 && x < image.width && y < image.height)) {
    return refuse(
      400,
      "off-picture",
      `(${x}, ${y}) is outside the last screenshot of ${image.width} × ${image.height} pixels`,
      "Give pixels of that picture, from its top left",
    );
  }
  return ok({
    x: (Math.floor(x) + 0.5) * screen.width / image.width,
    y: (Math.floor(y) + 0.5) * screen.height / image.height,
  });
}

/** Returns whether a picture has the screen's aspect ratio, up to rounding to pixels. */
export function hasShapeOf({ width, height }: ScreenSize, screen: ScreenSize): boolean {
  const [across, down] = [width / screen.width, height / screen.height];
  const isOneOff = Math.max(
    Math.abs(width - screen.width * down),
    Math.abs(height - screen.height * across),
  );
  return isOneOff <= 2 || Math.abs(across - down) <= 0.01 * across;
}

/** Returns whether positions in a picture of `before` are still valid. */
export function sameScreen(before: Screen, now: Screen): boolean {
  return before.width === now.width && before.height === now.height &&
    before.rotation === now.rotation;
}

/** Refuses a touch that was meant for another screen. */
export function screenChanged(found: string): Result<never, Problem> {
  return refuse(
    409,
    "screen-changed",
    `The screen has turned or changed its size since the last screenshot: ${found}`,
    "Call device_screenshot, and give pixels of the new picture",
  );
}
