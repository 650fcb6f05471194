import { decodeUtf8 } from "../../core/bytes.ts";
import { decodePng } from "../../core/decode-png.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { readProjectFile } from "../../editor/files/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Square } from "./pixels.ts";

/** Bounds of a PNG icon's side, in pixels: stores require the minimum. */
const SIDE = { least: 512, most: 4_096 };
const MAX_ICON_BYTES = 32 * 1024 * 1024;
/** Characters within which an SVG document's first element must begin. */
const MAX_PROLOG = 4_096;

/** An icon: the pixels of a PNG, or the bytes of an SVG document. */
type IconContent = Square | Uint8Array<ArrayBuffer>;

/**
 * Reads a project's own icon.
 *
 * @returns 422 `icon-invalid` with the file and its fault.
 */
export async function readIcon(
  files: Files,
  root: string,
  icon: string,
): Promise<Result<IconContent, Problem>> {
  const bytes = await readIconFile(files, root, icon);
  return bytes.ok ? await parseIcon(icon, bytes.value) : bytes;
}

/** Reads the file of an icon. @returns 422 `icon-invalid` if it does not exist. */
export async function readIconFile(
  files: Files,
  root: string,
  icon: string,
): Promise<Result<Uint8Array<ArrayBuffer>, Problem>> {
  const read = await readProjectFile(files, root, { path: icon, maxBytes: MAX_ICON_BYTES });
  if (!read.ok) return read;
  return read.value === null ? invalid(icon, "no such file") : ok(read.value);
}

/** Parses the file of an icon. @param icon Its path. @returns 422 `icon-invalid` with its fault. */
export async function parseIcon(
  icon: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Result<IconContent, Problem>> {
  if (icon.toLowerCase().endsWith(".svg")) {
    return isSvg(bytes) ? ok(bytes) : invalid(icon, "something else than an SVG document");
  }
  const decoded = await decodePng(bytes, {
    fits: ({ width, height }) => width === height && width >= SIDE.least && width <= SIDE.most,
  });
  if (!decoded.ok) return invalid(icon, decoded.error);
  return ok({ side: decoded.value.width, rgba: decoded.value.rgba });
}

/** Whether the first element of a document is `svg`. */
function isSvg(bytes: Uint8Array): boolean {
  const text = decodeUtf8(bytes)?.slice(0, MAX_PROLOG) ?? "";
  // A comment ends at its first `-->`: otherwise many comments could match in too many ways.
  return /^\uFEFF?(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>[]*>)*<svg[\s/>]/s.test(text);
}

function invalid(icon: string, found: string): Result<never, Problem> {
  return refuse(
    422,
    "icon-invalid",
    `Cannot use icon "${icon}": found ${found}, expected a square PNG of ${SIDE.least} to ` +
      `${SIDE.most} pixels a side, or an SVG`,
    "Put such a file there, name another one in icon, or leave icon out of project.config.json",
  );
}
