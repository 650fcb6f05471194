import { fontAtlas } from "./font.ts";
import type { Picture } from "./png.ts";

// The images of the sample game, drawn by formula. Integers only: equal bytes from every runtime.

/** A fixed, even spread of 0 to `below` - 1 over the pixels. */
function grain(x: number, y: number, below: number): number {
  const mixed = Math.imul(x * 374761393 + y * 668265263, 1274126177);
  return ((mixed >>> 13) ^ (mixed >>> 21)) % below;
}

type Paint = (x: number, y: number) => number;

function texture(size: number, palette: readonly string[], at: Paint): Picture {
  return { width: size, height: size, palette, at };
}

/**
 * Draws a shape by its own outline on a transparent background: 0 outside, 1 outline, 2 and 3
 * inside.
 */
function badge(
  size: number,
  [dark, plain, bright]: readonly [string, string, string],
  inside: (
    dx: number,
    dy: number,
  ) => number,
): Picture {
  return texture(size, ["#00000000", dark, plain, bright], (x, y) => {
    const depth = inside(2 * x + 1 - size, 2 * y + 1 - size); // twice the distance from the middle
    if (depth < 0) return 0;
    if (depth < 4) return 1;
    return x + y < size ? 3 : 2;
  });
}

const disc = (size: number) => (dx: number, dy: number) =>
  depthOf(size * size - dx * dx - dy * dy, size);
const diamond = (size: number) => (dx: number, dy: number) => size - Math.abs(dx) - Math.abs(dy);
const square = (size: number) => (dx: number, dy: number) =>
  size - Math.max(Math.abs(dx), Math.abs(dy));
const arrow = (size: number) => (dx: number, dy: number) =>
  Math.min(size - Math.abs(dy), (dy + size) / 2 - Math.abs(dx));
const heart = (size: number) => (dx: number, dy: number) => {
  const lobe = size / 2;
  const side = Math.abs(dx) - lobe;
  const top = depthOf(lobe * lobe - side * side - (dy + lobe / 2) * (dy + lobe / 2), lobe);
  const tip = dy < -lobe / 2 ? -1 : size - Math.abs(dx) - dy - lobe / 2;
  return Math.max(top, Math.min(tip, size - Math.abs(dx)));
};

/** Returns how deep a point is inside a circle, from the rest of its squared radius. */
function depthOf(left: number, size: number): number {
  return left < 0 ? -1 : Math.floor(left / size);
}

const GOLD = ["#7a4b00", "#f2b632", "#ffe08a"] as const;
const STEEL = ["#1d2733", "#8494a3", "#c4d0da"] as const;
const RED = ["#5e1018", "#d63b3b", "#ff8a7a"] as const;
const GREEN = ["#0f4a2c", "#2fa765", "#8be3ac"] as const;

/** The pictures by path below `assets/`. */
export const PICTURES: Readonly<Record<string, Picture>> = {
  "textures/water.png": texture(64, ["#1b5e82", "#23708f", "#2f86a3", "#5fb3c4"], (x, y) => {
    const wave = (x + (y >> 2) * 5 + grain(x >> 3, y >> 2, 7)) % 16;
    return wave === 0 ? 3 : wave < 4 ? 2 : grain(x, y, 2);
  }),
  "textures/planks.png": texture(32, ["#5a4028", "#7b5a38", "#8c6a45", "#3d2a19"], (x, y) => {
    return y % 8 === 0 || (x + (y >> 3) * 11) % 32 === 0 ? 3 : grain(x >> 2, y, 3);
  }),
  "textures/sand.png": texture(32, ["#d9c48f", "#cdb67d", "#e5d3a4"], (x, y) => grain(x, y, 3)),
  "textures/crate.png": texture(32, ["#8a6234", "#a67a45", "#5c3f20"], (x, y) => {
    const edge = Math.min(x, y, 31 - x, 31 - y);
    return edge < 3 || Math.abs(x - y) < 2 ? 2 : y % 6 === 0 ? 0 : 1;
  }),
  "textures/stone.png": texture(32, ["#77797c", "#8b8e92", "#5c5e61"], (x, y) => {
    const shift = (y >> 3) % 2 * 8;
    return y % 8 === 0 || (x + shift) % 16 === 0 ? 2 : grain(x >> 1, y >> 1, 2);
  }),
  "textures/hull.png": texture(32, ["#b3262e", "#c9353c", "#f1e8da"], (x, y) => {
    return y > 20 && y < 24 ? 2 : grain(x >> 2, y >> 1, 2);
  }),
  "textures/barrel.png": texture(32, ["#6d4a2b", "#84603b", "#3a3f45"], (x, y) => {
    return y % 12 < 2 ? 2 : (x >> 2) % 2;
  }),
  "fonts/dots.png": fontAtlas(),
  "sprites/coin.png": badge(24, GOLD, disc(24)),
  "sprites/gem.png": badge(24, GREEN, diamond(24)),
  "sprites/fuel.png": badge(24, RED, square(18)),
  "sprites/heart.png": badge(24, RED, heart(22)),
  "sprites/pause.png": texture(24, ["#00000000", "#ffffff"], (x, y) => {
    const bar = (x > 5 && x < 10) || (x > 13 && x < 18);
    return bar && y > 3 && y < 20 ? 1 : 0;
  }),
  "sprites/map-frame.png": texture(160, ["#0b2233c0", "#c9a24b", "#12364d"], (x, y) => {
    const edge = Math.min(x, y, 159 - x, 159 - y);
    return edge < 4 ? 1 : x % 32 === 0 || y % 32 === 0 ? 2 : 0;
  }),
  "sprites/map-boat.png": badge(16, GREEN, arrow(16)),
  "sprites/map-patrol.png": badge(12, RED, arrow(12)),
  "sprites/map-buoy.png": badge(8, GOLD, disc(8)),
  "sprites/compass.png": badge(64, STEEL, disc(64)),
  "sprites/needle.png": badge(32, RED, arrow(32)),
  "sprites/stick-base.png": badge(128, STEEL, disc(128)),
  "sprites/stick-knob.png": badge(56, STEEL, disc(56)),
  "sprites/banner.png": texture(128, ["#00000000", "#b3262e", "#f1e8da"], (x, y) => {
    if (y < 40 || y > 88) return 0;
    return y < 46 || y > 82 ? 2 : (x >> 4) % 8 === 7 ? 0 : 1;
  }),
  "sprites/spray.png": badge(16, ["#9fd3e6", "#d8f1f8", "#ffffff"], disc(14)),
};
