import { encodeUtf8 } from "../../core/bytes.ts";
import { runCooperatively, type Work } from "../../core/cooperative.ts";
import { isOpaque } from "../../core/decode-png.ts";
import type { Problem } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import type { Files } from "../../ports/files.ts";
import { encoding } from "./encode-png.ts";
import { letterSquare, letterSvg } from "./letter-icon.ts";
import { parseIcon, readIconFile } from "./read-icon.ts";
import { extended, filled, laidOn, type Rgb, type Square } from "./pixels.ts";
import { scaling } from "./scale.ts";

/** Safe zone of a maskable icon, as a share of its side: every launcher shows it (W3C). */
const SEEN_OF_MASKABLE = 0.8;
/** The background of an icon that is not opaque: the page's colour while it loads. */
const GROUND: Rgb = [0x0b, 0x16, 0x22];
const SVG = "icons/icon.svg";

/** A file that a page or a phone's home screen shows the game with. */
export interface GameIcon {
  /** Relative to the built game. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: "image/png" | "image/svg+xml";
  /** `192x192`; `any` for an icon without a size. */
  readonly sizes: string;
  /**
   * The uses of the icon: for the page, for a web app, for one that a launcher crops, for iOS' home
   * screen.
   */
  readonly uses: readonly ("page" | "any" | "maskable" | "apple")[];
}

/** Source of icons. */
export interface IconSource {
  readonly files: Files;
  /** The project's folder, absolute. */
  readonly root: string;
  readonly config: { readonly name: string; readonly icon?: string };
}

/** Milliseconds of a clock that never goes back: the work on a large icon yields to others. */
const now = (): number => performance.now();

/**
 * Makes the icons of a game in the sizes that browsers and phones take: from the project's own, or
 * from the first letter of its name. An SVG stays unchanged, because drawing it takes a browser.
 *
 * @returns 422 `icon-invalid` with the file and its fault.
 */
export async function makeIcons(
  { files, root, config: { name, icon } }: IconSource,
): Promise<Result<readonly GameIcon[], Problem>> {
  if (icon === undefined) {
    return ok(await onceFor(JSON.stringify([name]), () => letterIcons(name)));
  }
  const bytes = await readIconFile(files, root, icon);
  if (!bytes.ok) return bytes;
  const key = JSON.stringify([icon, await sha256Hex(bytes.value)]);
  if (key === last?.key) return ok(last.icons);
  const picture = await parseIcon(icon, bytes.value);
  if (!picture.ok) return picture;
  const { value } = picture;
  if (value instanceof Uint8Array) return ok([svgIcon(value, ["page", "any"])]);
  return ok(await onceFor(key, () => iconsOf(value)));
}

/** The icons made last, by what they were made from: each build of a project makes the same ones. */
let last: { readonly key: string; readonly icons: readonly GameIcon[] } | null = null;

async function onceFor(
  key: string,
  make: () => Work<readonly GameIcon[]>,
): Promise<readonly GameIcon[]> {
  if (key === last?.key) return last.icons;
  const icons = await runCooperatively(make(), { now });
  last = { key, icons };
  return icons;
}

function* letterIcons(name: string): Work<readonly GameIcon[]> {
  const of = (side: number, uses: GameIcon["uses"]) =>
    pngIcon(`icon-${side}`, letterSquare(name, side), uses);
  return [
    svgIcon(encodeUtf8(letterSvg(name)), ["page"]),
    yield* of(180, ["apple"]),
    yield* of(192, ["any"]),
    yield* of(512, ["any", "maskable"]),
  ];
}

function* iconsOf(picture: Square): Work<readonly GameIcon[]> {
  const largest = yield* scaling(picture, 512);
  const of = function* (side: number, uses: GameIcon["uses"]) {
    return yield* pngIcon(`icon-${side}`, yield* scaling(largest, side), uses);
  };
  const isWhole = isOpaque(largest);
  const apple = yield* scaling(largest, 180);
  const seen = yield* scaling(largest, Math.round(512 * SEEN_OF_MASKABLE));
  return [
    yield* of(48, ["page"]),
    // iOS shows transparent parts of an icon in black.
    yield* pngIcon("icon-180", isWhole ? apple : laidOn(filled(180, GROUND), apple), ["apple"]),
    yield* of(192, ["any"]),
    yield* of(512, ["any"]),
    yield* pngIcon(
      "icon-maskable-512",
      isWhole ? extended(seen, 512) : laidOn(filled(512, GROUND), seen),
      ["maskable"],
    ),
  ];
}

function* pngIcon(name: string, square: Square, uses: GameIcon["uses"]): Work<GameIcon> {
  const { side } = square;
  const bytes = yield* encoding(square);
  return { path: `icons/${name}.png`, bytes, type: "image/png", sizes: `${side}x${side}`, uses };
}

function svgIcon(bytes: Uint8Array<ArrayBuffer>, uses: GameIcon["uses"]): GameIcon {
  return { path: SVG, bytes, type: "image/svg+xml", sizes: "any", uses };
}
