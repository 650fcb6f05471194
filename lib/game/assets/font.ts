import { isGuid } from "../../core/guid.ts";
import { isRecord } from "../../core/json.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import { Complaints } from "../../core/shape.ts";

/** The measures of a font, in the units of its own size. */
export interface FontMetrics {
  /** The size that the other numbers are given for, in pixels. */
  readonly size: number;
  /** From one line to the next. */
  readonly lineHeight: number;
  /** How far each character advances the pen. */
  readonly advances: ReadonlyMap<string, number>;
  /** The advance of characters that the font has not. */
  readonly fallback: number;
  /** Its glyphs; absent if the renderer has fitting ones. */
  readonly glyphs?: FontGlyphs;
}

/** Letters in a picture: cells of one size, row by row. */
export interface FontGlyphs {
  /** Guid of the picture: white letters on a transparent background. */
  readonly texture: string;
  /** Pixels of a cell, at the size of the font. */
  readonly width: number;
  readonly height: number;
  /** Cells per row. */
  readonly columns: number;
  /** The number of the cell that shows a character. */
  readonly cells: ReadonlyMap<string, number>;
}

/** Default font metrics: every character as wide as in a common monospaced font. */
export const BUILT_IN_FONT: FontMetrics = {
  size: 10,
  lineHeight: 12,
  advances: new Map(),
  fallback: 6,
};

const MEMBERS = ["schema", "texture", "size", "lineHeight", "fallback", "advances", "cell"];
const CELL_MEMBERS = ["width", "height", "columns", "order"];

/** Parses a `*.font.json` asset. @returns Its metrics, or a sentence describing the fault. */
export function parseFont(path: string, bytes: Uint8Array): Result<FontMetrics, string> {
  const parsed = parseJsonFile(path, bytes);
  if (!parsed.ok) return err(parsed.error.message);
  const complaints = new Complaints();
  const record = complaints.record("", parsed.value, MEMBERS) ?? {};
  const size = positive(record["size"], "size", complaints);
  const lineHeight = positive(record["lineHeight"], "lineHeight", complaints);
  const fallback = positive(record["fallback"], "fallback", complaints);
  const advances = new Map<string, number>();
  const table = record["advances"];
  if (!isRecord(table)) complaints.expected("advances", table, "an object of widths by character");
  else {
    for (const [character, width] of Object.entries(table)) {
      if (typeof width === "number" && width >= 0) advances.set(character, width);
      else complaints.expected(`advances[${JSON.stringify(character)}]`, width, "a number >= 0");
    }
  }
  const glyphs = record["cell"] === undefined ? null : readGlyphs(record, complaints);
  if (complaints.total === 0) {
    return ok({ size, lineHeight, fallback, advances, ...(glyphs !== null && { glyphs }) });
  }
  return err(`Cannot use font "${path}": ${complaints.sentences().join("; ")}`);
}

function readGlyphs(
  { texture, cell }: Readonly<Record<string, unknown>>,
  complaints: Complaints,
): FontGlyphs {
  const record = complaints.record("cell", cell, CELL_MEMBERS) ?? {};
  const order = record["order"];
  if (typeof order !== "string") {
    complaints.expected("cell.order", order, "the characters of the cells, in their order");
  }
  const guid = typeof texture === "string" && isGuid(texture) ? texture : "";
  if (guid === "") complaints.expected("texture", texture, "the guid of a texture");
  const characters = typeof order === "string" ? [...order] : [];
  return {
    texture: guid,
    width: positive(record["width"], "cell.width", complaints),
    height: positive(record["height"], "cell.height", complaints),
    columns: positive(record["columns"], "cell.columns", complaints),
    cells: new Map(characters.map((character, cell) => [character, cell])),
  };
}

function positive(value: unknown, where: string, complaints: Complaints): number {
  if (typeof value === "number" && value > 0) return value;
  complaints.expected(where, value, "a number > 0");
  return 1;
}

/** Words to measure. */
export interface TextBlock {
  readonly text: string;
  readonly font: FontMetrics;
  /** Pixels. */
  readonly size: number;
  /** Lines break at spaces before they get wider than this; `Infinity` for never. */
  readonly maxWidth: number;
}

/** A line of a text. */
export interface TextLine {
  readonly words: string;
  /** Pixels. */
  readonly width: number;
}

/**
 * How much wider than its bound a line may be, in pixels: a box as wide as its text is measured in
 * single precision, and the text must still fit into it.
 */
const SLACK = 0.001;

/** The size of a text in pixels. No text at all has no width and no height. */
export function measureText(block: TextBlock): { width: number; height: number } {
  const lines = textLines(block);
  const width = lines.reduce((widest, line) => Math.max(widest, line.width), 0);
  return { width, height: lines.length * block.font.lineHeight * (block.size / block.font.size) };
}

/** Breaks a text into lines; an empty text has none. */
export function textLines({ text, font, size, maxWidth }: TextBlock): readonly TextLine[] {
  if (text === "") return [];
  const scale = size / font.size;
  const space = advanceOf(" ", font) * scale;
  const lines: TextLine[] = [];
  for (const line of text.split("\n")) {
    let words: string | null = null;
    let pen = 0;
    for (const word of line.split(" ")) {
      const width = advanceOf(word, font) * scale;
      if (words === null) {
        words = word;
        pen = width;
      } else if (pen + space + width > maxWidth + SLACK) {
        lines.push({ words, width: pen });
        words = word;
        pen = width;
      } else {
        words += ` ${word}`;
        pen += space + width;
      }
    }
    lines.push({ words: words ?? "", width: pen });
  }
  return lines;
}

/** Returns how far a text advances the pen, in the units of the font. */
export function advanceOf(word: string, { advances, fallback }: FontMetrics): number {
  let sum = 0;
  for (const character of word) sum += advances.get(character) ?? fallback;
  return sum;
}
