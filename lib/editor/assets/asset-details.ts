import { runCooperatively } from "../../core/cooperative.ts";
import { isJsonObject, isRecord } from "../../core/json.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { PixelSize } from "../../core/image-size.ts";
import type { Files } from "../../ports/files.ts";
import { meshBounds } from "./mesh-bounds.ts";
import { readModelJson } from "../gltf/model-json.ts";
import { toldBounds } from "../gltf/scene-bounds.ts";
import { jsonFileParsing } from "../../core/json-pieces.ts";
import { type AssetDetail, parseFont } from "../../game/assets/mod.ts";
import type { AssetType, Vec3 } from "../ports/mod.ts";
import { show } from "../../core/shape.ts";

const MAX_FONT_BYTES = 1024 * 1024;
const MAX_MESH_BYTES = 16 * 1024 * 1024;
/**
 * Largest model JSON that is read, in bytes. A model with a longer one has its size in its sidecar,
 * like every imported model.
 */
const MAX_MODEL_JSON_BYTES = 4 * 1024 * 1024;
/** Lets others have their turn during long work. */
const SHARING = { now: () => performance.now() };

/** An asset whose details are to be read. */
export interface DetailSource {
  readonly path: string;
  readonly location: string;
  readonly type: AssetType;
  /** The members of its sidecar. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Of a picture; `null` if its file does not state it. */
  readonly pixels: PixelSize | null;
}

/** Reads the details of one asset. @returns `null` for most; a sentence if they are damaged. */
export async function readDetail(
  files: Files,
  source: DetailSource,
): Promise<Result<AssetDetail | null, string>> {
  const { path, location, type, meta } = source;
  switch (type) {
    case "texture":
      return await picture(files, source);
    case "sprite":
      return meta["rect"] === undefined && !path.toLowerCase().endsWith(".json")
        ? await picture(files, source)
        : spriteRect(path, meta["rect"]);
    case "model":
    case "mesh":
      return meta["bounds"] === undefined
        ? await ownBounds(files, source)
        : boundsOf(path, meta["bounds"]);
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

async function picture(
  files: Files,
  { path, location, pixels }: DetailSource,
): Promise<Result<AssetDetail | null, string>> {
  if (pixels !== null) return ok({ pixels });
  if (await files.stat(location) === null) return ok(null); // removed since it was listed
  const kind = path.slice(path.lastIndexOf(".") + 1).toUpperCase();
  return err(`Cannot measure "${path}": found no ${kind} header with a size`);
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

/**
 * Returns the bounding box in a model's or a mesh's own file, for an asset whose sidecar has none.
 */
async function ownBounds(
  files: Files,
  { path, location, type }: DetailSource,
): Promise<Result<AssetDetail | null, string>> {
  if (type === "model") {
    const json = await readModelJson(files, location, MAX_MODEL_JSON_BYTES);
    const bounds = json === null ? null : await runCooperatively(toldBounds(json), SHARING);
    return bounds === null ? boundsOf(path, undefined) : ok({ bounds });
  }
  const bytes = await files.read(location, MAX_MESH_BYTES);
  if (bytes === null) return ok(null); // removed since it was listed
  const parsed = await runCooperatively(jsonFileParsing(path, bytes), SHARING);
  if (!parsed.ok) return err(parsed.error.message);
  const bounds = isJsonObject(parsed.value) ? meshBounds(parsed.value) : null;
  return bounds === null ? boundsOf(path, undefined) : ok({ bounds });
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
