import { decodeUtf8 } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import { parseJson } from "../../core/json-text.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Comparison, Rect, RenderReport, Viewport } from "../../editor/ports/mod.ts";
import { wholePngSize } from "../../core/png.ts";

/** Bytes of an answer, its pictures included. */
export const MAX_ANSWER_BYTES: number = 96 * 1024 * 1024;
const MAX_HEAD_BYTES = 64 * 1024;
const MAX_PICTURES = 2;
const MAX_BOXES = 20;
const MAX_SENTENCE = 1_000;
const MAX_WARNINGS = 10;

/** A picture that was drawn. */
export interface DrawnPicture extends Viewport {
  /** A PNG file. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Answer of a page that has drawn. */
export interface RenderAnswer {
  readonly report: RenderReport;
  /** The picture, and a smaller one if it was requested. */
  readonly pictures: readonly DrawnPicture[];
}

/**
 * Reads a page's answer: a line of JSON `{sizes, report}`, then the PNG files of these sizes
 * (CAP-6).
 *
 * @returns 400 `bad-render-answer`.
 */
export function readRenderAnswer(bytes: Uint8Array<ArrayBuffer>): Result<RenderAnswer, Problem> {
  const end = bytes.subarray(0, MAX_HEAD_BYTES).indexOf(0x0a);
  const text = end < 0 ? null : decodeUtf8(bytes.subarray(0, end));
  const head = text === null ? undefined : parseJson(text);
  const listed: unknown = isRecord(head) ? head["sizes"] : undefined;
  const sizes = Array.isArray(listed) ? listed.filter((size) => Number.isSafeInteger(size)) : [];
  const report = isRecord(head) ? reportOf(head["report"]) : null;
  if (!Array.isArray(listed) || sizes.length !== listed.length || report === null) {
    return wrong("a head that does not parse");
  }
  if (sizes.length > MAX_PICTURES) return wrong(`${sizes.length} pictures`);
  const pictures: DrawnPicture[] = [];
  let at = end + 1;
  for (const size of sizes) {
    const file = bytes.subarray(at, at + Math.max(0, size));
    const found = file.length === size ? wholePngSize(file) : null;
    if (found === null) return wrong("other bytes than a whole PNG file of at most 16 megapixels");
    pictures.push({ ...found, bytes: file });
    at += size;
  }
  if (at !== bytes.length) return wrong(`${bytes.length - at} bytes more than the head says`);
  return ok({ report, pictures });
}

function wrong(found: string): Result<never, Problem> {
  const detail = `Cannot use what the page drew: found ${found}, expected a head and PNG files`;
  return refuse(400, "bad-render-answer", detail, "Reload the page that draws");
}

function reportOf(value: unknown): RenderReport | null {
  if (!isRecord(value)) return null;
  const { error, warnings, comparison } = value;
  const sentences = Array.isArray(warnings)
    ? warnings.filter((one) => typeof one === "string").slice(0, MAX_WARNINGS)
    : [];
  const compared = comparison === undefined ? null : comparisonOf(comparison);
  if (comparison !== undefined && compared === null) return null;
  return {
    ...(typeof error === "string" && { error: error.slice(0, MAX_SENTENCE) }),
    ...(sentences.length > 0 && { warnings: sentences.map((one) => one.slice(0, MAX_SENTENCE)) }),
    ...(compared !== null && { comparison: compared }),
  };
}

function comparisonOf(value: unknown): Comparison | null {
  const [width, height, different] = wholes(value, ["width", "height", "different"]);
  const listed: unknown = isRecord(value) ? value["boxes"] : undefined;
  if (width === undefined || height === undefined || different === undefined) return null;
  if (!Array.isArray(listed) || listed.length > MAX_BOXES) return null;
  const boxes: Rect[] = [];
  for (const one of listed) {
    const [x, y, w, h] = wholes(one, ["x", "y", "w", "h"]);
    if (x === undefined || y === undefined || w === undefined || h === undefined) return null;
    boxes.push({ x, y, w, h });
  }
  return { width, height, different, boxes };
}

/** Reads members that must be whole numbers of at least 0; empty if one is not. */
function wholes(value: unknown, names: readonly string[]): readonly number[] {
  const found = names.flatMap((name) => {
    const number: unknown = isRecord(value) ? value[name] : undefined;
    return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : [];
  });
  return found.length === names.length ? found : [];
}
