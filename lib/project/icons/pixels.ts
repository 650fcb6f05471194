/** A picture whose sides are equal: rows from the top, four bytes a pixel, red, green, blue, opacity. */
export interface Square {
  /** Pixels of a side. */
  readonly side: number;
  /** sRGB, not multiplied by opacity; `side × side × 4` bytes. */
  readonly rgba: Uint8Array<ArrayBuffer>;
}

/** A colour, each channel 0 to 255. */
export type Rgb = readonly [number, number, number];

/** A square of one colour. */
export function filled(side: number, [red, green, blue]: Rgb): Square {
  const rgba = new Uint8Array(side * side * 4);
  for (let at = 0; at < rgba.length; at += 4) rgba.set([red, green, blue, 255], at);
  return { side, rgba };
}

/** Enlarges a square by repeating its outermost pixels. */
export function extended({ side, rgba }: Square, larger: number): Square {
  const made = new Uint8Array(larger * larger * 4);
  const first = (larger - side) >> 1;
  const nearest = (at: number) => Math.min(side - 1, Math.max(0, at - first));
  for (let y = 0; y < larger; y++) {
    for (let x = 0; x < larger; x++) {
      const from = (nearest(y) * side + nearest(x)) * 4;
      made.set(rgba.subarray(from, from + 4), (y * larger + x) * 4);
    }
  }
  return { side: larger, rgba: made };
}

/** Lays a square in the middle of a ground; `square` is not larger. The ground is changed. */
export function laidOn(ground: Square, { side, rgba }: Square): Square {
  const first = (ground.side - side) >> 1;
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const from = (y * side + x) * 4;
      const to = ((y + first) * ground.side + x + first) * 4;
      const opacity = rgba[from + 3] ?? 0;
      for (let channel = 0; channel < 3; channel++) {
        const [over = 0, under = 0] = [rgba[from + channel], ground.rgba[to + channel]];
        ground.rgba[to + channel] = Math.round((over * opacity + under * (255 - opacity)) / 255);
      }
    }
  }
  return ground;
}
