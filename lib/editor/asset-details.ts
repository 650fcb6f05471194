import { isRecord } from "../core/json.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import { type FontMetrics, parseFont } from "./layout/font.ts";
import type { Bounds } from "./layout/project3d.ts";
import type { AssetType, Vec3 } from "./ports.ts";
import { show } from "./shape.ts";

/** What layout needs to know of an asset. */
export interface AssetDetail {
  /** The size of an image. */
  readonly pixels?: { readonly width: number; readonly height: number };
  /** The box around a model, in metres. */
  readonly bounds?: Bounds;
  readonly font?: FontMetrics;
}

/** Details by the asset's guid; most assets have none. */
export type AssetDetails = ReadonlyMap<string, AssetDetail>;

const MAX_FONT_BYTES = 1024 * 1024;

/** An asset whose details are looked for. */
export interface DetailSource {
  readonly path: string;
  readonly location: string;
  readonly type: AssetType;
  /** The members of its sidecar. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Reads the details of one asset. @returns None for most; a sentence when they are damaged. */
export async function readDetail(
  files: Files,
  source: DetailSource,
): Promise<Result<AssetDetail | null, string>> {
  const { path, location, type, meta } = source;
  switch (type) {
    case "texture":
      return path.toLowerCase().endsWith(".png") ? await pngSize(files, source) : ok(null);
    case "sprite":
      return meta["rect"] === undefined && path.toLowerCase().endsWith(".png")
        ? await pngSize(files, source)
        : spriteRect(path, meta["rect"]);
    case "model":
    case "mesh":
      return boundsOf(path, meta["bounds"]);
    case "font": {
      if (!path.endsWith(".json")) return ok(null);
      const bytes = await files.read(location, MAX_FONT_BYTES);
      if (bytes === null) return ok(null); // removed since it was listed
      const font = parseFont(path, bytes);
      return font.ok ? ok({ font: font.value }) : font;
    }
    default:
      return ok(null);
  }
}

// PNG (ISO/IEC 15948 §5.2, §11.2.2): 8 bytes of signature, then the chunk IHDR:
// offset 8 length (4), 12 "IHDR", 16 width (4), 20 height (4); numbers big-endian.
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const IHDR = 0x49484452;

async function pngSize(
  files: Files,
  { path, location }: DetailSource,
): Promise<Result<AssetDetail | null, string>> {
  const head = await files.readRange(location, 0, 24);
  if (head === null) return ok(null); // removed since it was listed
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const isPng = head.length === 24 && PNG_SIGNATURE.every((byte, i) => head[i] === byte) &&
    view.getUint32(12) === IHDR;
  const [width, height] = isPng ? [view.getUint32(16), view.getUint32(20)] : [0, 0];
  if (width === 0 || height === 0) {
    return err(`Cannot measure "${path}": found no PNG header with a size`);
  }
  return ok({ pixels: { width, height } });
}

function spriteRect(path: string, rect: unknown): Result<AssetDetail, string> {
  const width = isRecord(rect) ? rect["w"] : undefined;
  const height = isRecord(rect) ? rect["h"] : undefined;
  if (typeof width === "number" && typeof height === "number" && width > 0 && height > 0) {
    return ok({ pixels: { width, height } });
  }
  return err(
    `Cannot measure sprite "${path}": found ${show(rect)} as "rect" in its sidecar, ` +
      "expected {x, y, w, h} in pixels",
  );
}

function boundsOf(path: string, bounds: unknown): Result<AssetDetail, string> {
  const min = isRecord(bounds) ? corner(bounds["min"]) : null;
  const max = isRecord(bounds) ? corner(bounds["max"]) : null;
  if (min !== null && max !== null && min.every((low, axis) => low <= (max[axis] ?? low))) {
    return ok({ bounds: { min, max } });
  }
  return err(
    `Cannot measure model "${path}": found ${show(bounds)} as "bounds" in its sidecar, ` +
      "expected {min: [x, y, z], max: [x, y, z]} in metres",
  );
}

function corner(value: unknown): Vec3 | null {
  if (!Array.isArray(value) || value.length !== 3) return null;
  const [x, y, z]: readonly unknown[] = value;
  return Number.isFinite(x) && Number.isFinite(y) && Number.isFinite(z) &&
      typeof x === "number" && typeof y === "number" && typeof z === "number"
    ? [x, y, z]
    : null;
}
