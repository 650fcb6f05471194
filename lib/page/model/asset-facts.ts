import { isRecord } from "../../core/json.ts";
import type { ProjectAsset } from "./assets.ts";

// The facts of an asset as people read them.

/** Larger pictures are not decoded for a tile, in bytes. */
const MOST_BYTES = 8 * 1024 * 1024;
/**
 * Maximum pixels of a picture, 64 MB in memory; pictures whose size is unknown before decoding are
 * excluded too.
 */
const MOST_PIXELS = 16 * 1024 * 1024;
const PICTURE = /\.(?:png|jpe?g|webp)$/i;

/** Whether a browser is given the picture of an asset for so small a place as a tile (HOUSE-6). */
export function hasThumbnail({ path, size, pixels }: ProjectAsset): boolean {
  return PICTURE.test(path) && size <= MOST_BYTES && pixels !== null && pixels <= MOST_PIXELS;
}

/** Facts as lines of a name and a text, in the order in which they came. */
export function factLines(
  facts: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] {
  return Object.entries(facts).map(([name, value]) => lineOf(name, value));
}

function lineOf(name: string, value: unknown): readonly [string, string] {
  if (name === "pixels" && isRecord(value)) {
    return [
      "Pixels",
      `${String(value["w"] ?? value["width"])} × ${String(value["h"] ?? value["height"])}`,
    ];
  }
  if (name === "bounds" && isRecord(value)) {
    const [min, max] = [numbersIn(value["min"]), numbersIn(value["max"])];
    const sizes = max.map((edge, n) => Number((edge - (min[n] ?? 0)).toPrecision(3)));
    return ["Size", `${sizes.join(" × ")} m`];
  }
  if ((name === "seconds" || name === "length") && typeof value === "number") {
    return ["Length", `${Number(value.toPrecision(4))} s`];
  }
  const title = name.charAt(0).toUpperCase() +
    name.slice(1).replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return [title, textOf(value)];
}

function numbersIn(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "number") : [];
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.slice(0, 40).map(String).join(", ");
  if (isRecord(value)) {
    return Object.entries(value).slice(0, 40).map(([name, one]) => `${name} ${textOf(one)}`)
      .join(", ");
  }
  return String(value).slice(0, 500);
}
