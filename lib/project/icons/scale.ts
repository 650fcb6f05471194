import type { Square } from "./pixels.ts";

/**
 * Makes a square smaller: each new pixel is the mean of the light of those that it covers, by the
 * share that it covers. All sums are whole numbers: the same bytes from every engine.
 *
 * @param side At most that of the square.
 */
export function scaled(square: Square, side: number): Square {
  const { side: from, rgba } = square;
  if (side === from) return square;
  const light = new Float64Array(rgba.length); // linear, multiplied by opacity
  const linear = linearLight();
  for (let at = 0; at < rgba.length; at += 4) {
    const opacity = rgba[at + 3] ?? 0;
    light[at] = (linear[rgba[at] ?? 0] ?? 0) * opacity;
    light[at + 1] = (linear[rgba[at + 1] ?? 0] ?? 0) * opacity;
    light[at + 2] = (linear[rgba[at + 2] ?? 0] ?? 0) * opacity;
    light[at + 3] = opacity;
  }
  const narrow = shrunkRows(light, { from, side, rows: from });
  const small = shrunkRows(transposed(narrow, side, from), { from, side, rows: side });
  const upright = transposed(small, side, side);
  const encoded = encodedLight(linear);
  const made = new Uint8Array(side * side * 4);
  for (let at = 0; at < made.length; at += 4) {
    const opacity = upright[at + 3] ?? 0;
    if (opacity === 0) continue;
    for (let channel = 0; channel < 3; channel++) {
      made[at + channel] = encoded[Math.round((upright[at + channel] ?? 0) / opacity)] ?? 0;
    }
    made[at + 3] = Math.round(opacity / (from * from));
  }
  return { side, rgba: made };
}

/** Sums of what each new pixel of a row covers, in units of `1 / side` of an old pixel. */
function shrunkRows(
  pixels: Float64Array,
  { from, side, rows }: { readonly from: number; readonly side: number; readonly rows: number },
): Float64Array {
  const made = new Float64Array(rows * side * 4);
  for (let row = 0; row < rows; row++) {
    for (let x = 0; x < side; x++) {
      const start = x * from;
      const end = start + from;
      let [red, green, blue, opacity] = [0, 0, 0, 0];
      for (let old = Math.floor(start / side); old * side < end; old++) {
        const covered = Math.min(end, (old + 1) * side) - Math.max(start, old * side);
        const at = (row * from + old) * 4;
        red += (pixels[at] ?? 0) * covered;
        green += (pixels[at + 1] ?? 0) * covered;
        blue += (pixels[at + 2] ?? 0) * covered;
        opacity += (pixels[at + 3] ?? 0) * covered;
      }
      const to = (row * side + x) * 4;
      made[to] = red;
      made[to + 1] = green;
      made[to + 2] = blue;
      made[to + 3] = opacity;
    }
  }
  return made;
}

function transposed(pixels: Float64Array, width: number, height: number): Float64Array {
  const made = new Float64Array(pixels.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [at, to] = [(y * width + x) * 4, (x * height + y) * 4];
      for (let channel = 0; channel < 4; channel++) made[to + channel] = pixels[at + channel] ?? 0;
    }
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
