import { DOT_LETTERS } from "../../lib/project/icons/mod.ts";
import type { Picture } from "./png.ts";

// A font of dots: small letters look like capitals.
const GLYPHS: Readonly<Record<string, string>> = {
  ...DOT_LETTERS,
  ".": "00000cc",
  ",": "0000c48",
  ":": "0cc0cc0",
  "!": "4444404",
  "?": "eh12404",
  "-": "000e000",
  "+": "044v440",
  "/": "01248g0",
  "(": "2488842",
  ")": "8422248",
  "'": "4480000",
  "%": "op248j3",
  "#": "aavavaa",
  "*": "04lel40",
  "=": "00v0v00",
  "<": "248g842",
  ">": "8421248",
  "_": "000000v",
  "&": "cik8lid",
};
const COLUMNS = 16;
const CELL = { width: 6, height: 8 };

/**
 * Draws the atlas: white dots on a transparent background, one cell of 6×8 per glyph, 16 cells per
 * row.
 */
export function fontAtlas(): Picture {
  const glyphs = Object.values(GLYPHS);
  const rows = Math.ceil(glyphs.length / COLUMNS);
  return {
    width: COLUMNS * CELL.width,
    height: rows * CELL.height,
    palette: ["#ffffff00", "#ffffff"],
    at: (x, y) => {
      const cell = Math.floor(y / CELL.height) * COLUMNS + Math.floor(x / CELL.width);
      const row = Number.parseInt(glyphs[cell]?.charAt(y % CELL.height) || "0", 32);
      return (row << (x % CELL.width)) & 16 ? 1 : 0;
    },
  };
}

/**
 * Returns the `*.font.json` asset: the advance of each character, in dots. All digits are equally
 * wide, so that counters do not shift.
 */
export function fontMetrics(texture: string): unknown {
  const advances: Record<string, number> = { " ": 4 };
  for (const [character, rows] of Object.entries(GLYPHS)) {
    const dots = [...rows].reduce((all, row) => all | Number.parseInt(row, 32), 0);
    const width = /\d/.test(character) ? 5 : 5 - Math.log2(dots & -dots);
    advances[character] = width + 1;
    if (/[A-Z]/.test(character)) advances[character.toLowerCase()] = width + 1;
  }
  return {
    schema: 1,
    texture,
    size: 8,
    lineHeight: 10,
    fallback: 6,
    cell: { ...CELL, columns: COLUMNS, order: Object.keys(GLYPHS).join("") },
    advances,
  };
}
