import { runAtOnce, type Work } from "../../core/cooperative.ts";
import type { Square } from "./pixels.ts";

/** {@linkcode scaling} without a pause: for small squares. */
export function scaled(square: Square, side: number): Square {
  return runAtOnce(scaling(square, side));
}

/**
 * Makes a square smaller: each new pixel is the mean of the light of the pixels that it covers,
 * weighted by covered area. All sums are whole numbers: every engine produces the same bytes, in
 * any order. Apart from the two squares it holds only the sums of the new one.
 *
 * @param side At most that of the square.
 */
export function* scaling(square: Square, side: number): Work<Square> {
  const { side: from, rgba } = square;
  if (side === from) return square;
  const linear = linearLight();
  const sums = new Float64Array(side * side * 4); // light times opacity, times the covered area
  for (let row = 0; row < from; row++) {
    const narrow = shrunkRow(rgba.subarray(row * from * 4, (row + 1) * from * 4), side, linear);
    const [top, bottom] = [row * side, (row + 1) * side];
    for (let y = Math.floor(top / from); y < side && y * from < bottom; y++) {
      const covered = Math.min(bottom, (y + 1) * from) - Math.max(top, y * from);
      const to = y * side * 4;
      for (let at = 0; at < narrow.length; at++) {
        sums[to + at] = (sums[to + at] ?? 0) + (narrow[at] ?? 0) * covered;
      }
    }
    yield;
  }
  const encoded = encodedLight(linear);
  const made = new Uint8Array(side * side * 4);
  for (let at = 0; at < made.length; at += 4) {
    const opacity = sums[at + 3] ?? 0;
    if (opacity === 0) continue;
    for (let channel = 0; channel < 3; channel++) {
      made[at + channel] = encoded[Math.round((sums[at + channel] ?? 0) / opacity)] ?? 0;
    }
    made[at + 3] = Math.round(opacity / (from * from));
  }
  return { side, rgba: made };
}

/** Sums of the light that each new pixel of a row covers, in units of `1 / side` of an old pixel. */
function shrunkRow(row: Uint8Array, side: number, linear: Uint16Array): Float64Array {
  const from = row.length / 4;
  const made = new Float64Array(side * 4);
  for (let x = 0; x < side; x++) {
    const start = x * from;
    const end = start + from;
    let [red, green, blue, opacity] = [0, 0, 0, 0];
    for (let old = Math.floor(start / side); old * side < end; old++) {
      const at = old * 4;
      const covered = Math.min(end, (old + 1) * side) - Math.max(start, old * side);
      const weight = (row[at + 3] ?? 0) * covered;
      red += (linear[row[at] ?? 0] ?? 0) * weight;
      green += (linear[row[at + 1] ?? 0] ?? 0) * weight;
      blue += (linear[row[at + 2] ?? 0] ?? 0) * weight;
      opacity += weight;
    }
    const to = x * 4;
    made[to] = red;
    made[to + 1] = green;
    made[to + 2] = blue;
    made[to + 3] = opacity;
  }
  return made;
}

/** The light of each value of sRGB (IEC 61966-2-1), of 65,535. */
function linearLight(): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, value) => {
    const share = value / 255;
    const light = share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    return Math.round(light * 65_535);
  });
}

/** The nearest value of sRGB for each light. */
function encodedLight(linear: Uint16Array): Uint8Array {
  let value = 0;
  return Uint8Array.from({ length: 65_536 }, (_, light) => {
    while (value < 255 && light * 2 > (linear[value] ?? 0) + (linear[value + 1] ?? 0)) value++;
    return value;
  });
}
