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
  /** How far each character moves the pen. */
  readonly advances: ReadonlyMap<string, number>;
  /** The advance of characters that the font has not. */
  readonly fallback: number;
}

/** Where no font is given: every character as wide as that of a usual sans serif on average. */
export const BUILT_IN_FONT: FontMetrics = {
  size: 10,
  lineHeight: 12,
  advances: new Map(),
  fallback: 6,
};

const MEMBERS = ["schema", "texture", "size", "lineHeight", "fallback", "advances", "cell"];

/** Reads a `*.font.json` asset. @returns Its metrics, or a sentence saying what is wrong with it. */
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
  if (complaints.total === 0) return ok({ size, lineHeight, fallback, advances });
  return err(`Cannot use font "${path}": ${complaints.sentences().join("; ")}`);
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

/** The size of a text in pixels. No text at all has no width and no height. */
export function measureText(block: TextBlock): { width: number; height: number } {
  if (block.text === "") return { width: 0, height: 0 };
  const scale = block.size / block.font.size;
  const space = advanceOf(" ", block.font) * scale;
  let widest = 0;
  let lines = 0;
  for (const line of block.text.split("\n")) {
    lines++;
    let pen = 0;
    let atStart = true;
    for (const word of line.split(" ")) {
      const width = advanceOf(word, block.font) * scale;
      if (!atStart && pen + space + width > block.maxWidth) {
        lines++;
        pen = width;
      } else pen += (atStart ? 0 : space) + width;
      atStart = false;
      widest = Math.max(widest, pen);
    }
  }
  return { width: widest, height: lines * block.font.lineHeight * scale };
}

function advanceOf(word: string, { advances, fallback }: FontMetrics): number {
  let sum = 0;
  for (const character of word) sum += advances.get(character) ?? fallback;
  return sum;
}
