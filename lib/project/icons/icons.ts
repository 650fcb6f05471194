import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { readProjectFile } from "../../editor/files/mod.ts";
import type { Files } from "../../ports/files.ts";
import { decodePng } from "./decode-png.ts";
import { encodePng } from "./encode-png.ts";
import { letterSquare, letterSvg } from "./letter-icon.ts";
import { extended, filled, isOpaque, laidOn, type Rgb, type Square } from "./pixels.ts";
import { scaled } from "./scale.ts";

/** What a PNG icon's side may be, in pixels: stores ask for the least. */
const SIDE = { least: 512, most: 4_096 };
const MAX_ICON_BYTES = 32 * 1024 * 1024;
/** What every launcher shows of an icon that it cuts to a shape of its own: the middle (W3C). */
const SEEN_OF_MASKABLE = 0.8;
/** Where an icon lies on that is not opaque: the ground of the page while it loads. */
const GROUND: Rgb = [0x0b, 0x16, 0x22];
/** Characters in which an SVG document's first element begins. */
const MAX_PROLOG = 4_096;
const SVG = "icons/icon.svg";

/** A file that a page or a phone's home screen shows the game with. */
export interface Icon {
  /** Relative to the built game. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: "image/png" | "image/svg+xml";
  /** `192x192`; `any` for what has no size. */
  readonly sizes: string;
  /**
   * Of what it is the icon: of the page, of a web app, of one that is cut to a launcher's shape, of
   * iOS' home screen.
   */
  readonly uses: readonly ("page" | "any" | "maskable" | "apple")[];
}

/** Whose icons are made. */
export interface IconSource {
  readonly files: Files;
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: { readonly name: string; readonly icon?: string };
}

/**
 * The icons of a game in the sizes that browsers and phones take: of the project's own, or of the first
 * letter of its name. An SVG stays as it is: drawing one takes a browser.
 *
 * @returns 422 `icon-invalid` that names the file and what is wrong with it.
 */
export async function makeIcons(
  { files, root, config: { name, icon } }: IconSource,
): Promise<Result<readonly Icon[], Problem>> {
  if (icon === undefined) return ok(letterIcons(name));
  const read = await readProjectFile(files, root, { path: icon, maxBytes: MAX_ICON_BYTES });
  if (!read.ok) return read;
  if (read.value === null) return invalid(icon, "no such file");
  if (icon.toLowerCase().endsWith(".svg")) {
    return isSvg(read.value)
      ? ok([svgIcon(read.value, ["page", "any"])])
      : invalid(icon, "something else than an SVG document");
  }
  const decoded = await decodePng(read.value, SIDE);
  return decoded.ok ? ok(iconsOf(scaled(decoded.value, 512))) : invalid(icon, decoded.error);
}

function letterIcons(name: string): readonly Icon[] {
  const of = (side: number, uses: Icon["uses"]) =>
    pngIcon(`icon-${side}`, letterSquare(name, side), uses);
  return [
    svgIcon(encodeUtf8(letterSvg(name)), ["page"]),
    of(180, ["apple"]),
    of(192, ["any"]),
    of(512, ["any", "maskable"]),
  ];
}

function iconsOf(whole: Square): readonly Icon[] {
  const of = (side: number, uses: Icon["uses"]) =>
    pngIcon(`icon-${side}`, scaled(whole, side), uses);
  const isWhole = isOpaque(whole);
  const apple = scaled(whole, 180);
  const seen = scaled(whole, Math.round(512 * SEEN_OF_MASKABLE));
  return [
    of(48, ["page"]),
    // iOS shows black where an icon is not opaque.
    pngIcon("icon-180", isWhole ? apple : laidOn(filled(180, GROUND), apple), ["apple"]),
    of(192, ["any"]),
    of(512, ["any"]),
    pngIcon(
      "icon-maskable-512",
      isWhole ? extended(seen, 512) : laidOn(filled(512, GROUND), seen),
      ["maskable"],
    ),
  ];
}

function pngIcon(name: string, square: Square, uses: Icon["uses"]): Icon {
  const { side } = square;
  const path = `icons/${name}.png`;
  return { path, bytes: encodePng(square), type: "image/png", sizes: `${side}x${side}`, uses };
}

function svgIcon(bytes: Uint8Array<ArrayBuffer>, uses: Icon["uses"]): Icon {
  return { path: SVG, bytes, type: "image/svg+xml", sizes: "any", uses };
}

/** Whether the first element of a document is `svg`. */
function isSvg(bytes: Uint8Array): boolean {
  const text = decodeUtf8(bytes)?.slice(0, MAX_PROLOG) ?? "";
  // A comment ends at its first end: were it let go on, many of them could be read in too many ways.
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
