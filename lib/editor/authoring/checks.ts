import type { JsonObject } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { ASSET_TYPES, readFileName } from "../files/asset-types.ts";
import type { Asset, AssetSchema, AssetType, AssetUse } from "../ports/mod.ts";
import { meshBounds } from "../assets/mesh-bounds.ts";
import { ASSET_SCHEMAS, schemaOf } from "./schemas.ts";

/** Users that a refusal names. */
const MAX_LISTED = 5;

/** Returns the type of an asset by its path's ending. */
export function fileType(path: string): AssetType | undefined {
  return readFileName(path.slice(path.lastIndexOf("/") + 1)).type;
}

/** Returns the schema of an asset by its path's ending. */
export function schemaFor(path: string): Result<AssetSchema, Problem> {
  const type = fileType(path);
  const schema = type === undefined ? undefined : schemaOf(type);
  if (schema !== undefined && path.endsWith(schema.extension)) return ok(schema);
  const ways: Readonly<Partial<Record<AssetType, string>>> = {
    scene: "svc_scene_edit and save_scene write scenes",
    prefab: "create_prefab writes prefabs",
  };
  const endings = ASSET_SCHEMAS.map(({ extension }) => extension).join(", ");
  return refuse(
    422,
    "asset-type",
    `Cannot write "${path}": expected a name that ends in one of ${endings}`,
    (type === undefined ? undefined : ways[type]) ?? "import_file imports other files",
  );
}

/** The members of a sidecar that follow from the content, so that layout need not read it. */
export function derivedMeta(type: AssetType, content: JsonObject): JsonObject {
  if (type === "mesh") {
    const bounds = meshBounds(content);
    return bounds === null ? {} : { bounds: { min: bounds.min, max: bounds.max } };
  }
  if (type !== "sprite") return {};
  const { x = 0, y = 0, w = 1, h = 1 } = content;
  return { rect: { x, y, w, h } };
}

/** Members laid over others; `null` takes one away (RFC 7396, one level). */
export function merged(old: JsonObject, change: JsonObject): JsonObject {
  const all = Object.entries({ ...old, ...change }).filter(([name, value]) =>
    !(value === null && Object.hasOwn(change, name))
  );
  return Object.fromEntries(all);
}

/** Why a sidecar may not be changed so; `null` when it may. */
export function badMeta(meta: JsonObject, guid: string): string | null {
  if (meta["guid"] !== undefined && meta["guid"] !== guid) return "its guid cannot be changed";
  const type = meta["type"];
  const known = type === undefined || type === null || ASSET_TYPES.some((one) => one === type);
  return known
    ? null
    : `found the type ${JSON.stringify(type)}, expected ${ASSET_TYPES.join(", ")}`;
}

/** Refuses to remove an asset in use, naming its users. */
export function inUse({ path }: Asset, uses: readonly AssetUse[]): Result<never, Problem> {
  // Entities of one name use it in one way.
  const places = [...new Set(uses.map((use) => `${use.path} (${use.where})`))];
  const listed = places.slice(0, MAX_LISTED).join(", ");
  const more = places.length > MAX_LISTED ? ` and ${places.length - MAX_LISTED} more` : "";
  return refuse(
    409,
    "in-use",
    `Cannot remove "${path}": it is used by ${listed}${more}`,
    "Change its users first, or force=1 leaves them without it",
  );
}
