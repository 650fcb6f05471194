import { nearestNames } from "../../core/nearest.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Asset, Entity } from "../../editor/ports/mod.ts";
import { type Candidates, GuidIndex } from "./guid-index.ts";

// Resolves the name that a caller wrote to the thing. A guid may be cut to an unambiguous prefix;
// an ambiguous prefix is refused, never guessed.

/** Minimum hexadecimal digits of a guid prefix. */
const MIN_PREFIX_DIGITS = 4;
/** Maximum candidates in a refusal. */
const MAX_SUGGESTIONS = 5;
const PREFIX = /^[0-9a-f]{4}[0-9a-f-]{0,32}$/;

/** An entity as callers name it: by id, or by guid or an unambiguous prefix of it. */
export interface EntityName {
  /** Its entry in `svc_get_scene_state`. */
  readonly id?: number | undefined;
  /** The complete guid in either case, or its first 4 or more digits. */
  readonly guid?: string | undefined;
}

/** The entities of a scene, for callers that look up several. */
export class EntityIndex extends GuidIndex<Entity, number> {
  /** @param entities All of the open scene. */
  constructor(entities: readonly Entity[]) {
    super(entities, ({ id }) => id);
  }
}

/** The assets of a project, for callers that look up several. */
export class AssetIndex extends GuidIndex<Asset, string> {
  /** @param assets All of the project. */
  constructor(assets: readonly Asset[]) {
    super(assets, ({ path }) => path);
  }
}

/**
 * Returns the entity that a caller names.
 *
 * @param entities All entities of the open scene; an index for several lookups.
 * @returns 400 `missing-argument` if neither id nor guid is given, 400 `bad-argument` if they name
 * two entities, 404 `no-such-entity`, or 409 `ambiguous-guid` with candidates.
 */
export function resolveEntity(
  entities: readonly Entity[] | EntityIndex,
  { id, guid }: EntityName,
): Result<Entity, Problem> {
  const index = entities instanceof EntityIndex ? entities : new EntityIndex(entities);
  if (guid === undefined) {
    if (id === undefined) {
      return refuse(
        400,
        "missing-argument",
        "Cannot tell which entity: found neither id nor guid, expected one of them",
        "svc_get_scene_state lists ids and guids; name= searches",
      );
    }
    const entity = index.byKey(id);
    return entity === undefined ? noSuchEntity(`id ${id}`, index) : ok(entity);
  }
  const entity = entityByGuid(index, guid);
  if (!entity.ok || id === undefined || entity.value.id === id) return entity;
  return refuse(
    400,
    "bad-argument",
    `Cannot tell which entity: id ${id} is not the one with guid ${quoted(guid)}, ` +
      `which has id ${entity.value.id}`,
    "Give one of the two",
  );
}

function entityByGuid(index: EntityIndex, guid: string): Result<Entity, Problem> {
  const needle = guid.toLowerCase();
  if (!PREFIX.test(needle)) return badGuid(guid);
  const found = index.starting(needle);
  const [first] = found.first;
  if (first === undefined) return noSuchEntity(`guid ${quoted(guid)}`, index);
  if (found.count === 1) return ok(first);
  return ambiguous(guid, found, (one) => `${one.guid} "${one.name}" (id ${one.id})`);
}

/**
 * Returns the asset that a caller names by its path in the project, its guid, or an unambiguous
 * prefix of the guid. A path wins.
 *
 * @returns 404 `no-such-asset` with the nearest paths, 409 `ambiguous-guid` with candidates.
 */
export function resolveAsset(
  assets: readonly Asset[] | AssetIndex,
  pathOrGuid: string,
): Result<Asset, Problem> {
  const index = assets instanceof AssetIndex ? assets : new AssetIndex(assets);
  const asset = index.byKey(pathOrGuid);
  if (asset !== undefined) return ok(asset);
  const needle = pathOrGuid.toLowerCase();
  if (PREFIX.test(needle)) {
    const found = index.starting(needle);
    const [first] = found.first;
    if (first !== undefined) {
      if (found.count === 1) return ok(first);
      return ambiguous(pathOrGuid, found, (one) => `${one.guid} "${one.path}"`);
    }
  }
  const near = nearestPaths(pathOrGuid, index.items);
  return refuse(
    404,
    "no-such-asset",
    `There is no asset ${quoted(pathOrGuid)} among the ${index.items.length} of the project`,
    near.length > 0
      ? `Did you mean ${near.map((path) => `"${path}"`).join(" or ")}?`
      : "list_assets with type=, folder= or name= finds paths and guids",
  );
}

/** Returns paths like the given one; callers often know the file's name but not its folder. */
function nearestPaths(needle: string, assets: readonly Asset[]): readonly string[] {
  const fileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const paths = assets.map(({ path }) => path);
  const same = paths.filter((path) => fileName(path).startsWith(fileName(needle)));
  return same.length > 0 ? same.slice(0, MAX_SUGGESTIONS) : nearestNames(needle, paths);
}

function noSuchEntity(what: string, { items }: EntityIndex): Result<never, Problem> {
  return refuse(
    404,
    "no-such-entity",
    `There is no entity with ${what} in the open scene of ${items.length} entities`,
    "Search with svc_get_scene_state name=, or call it without arguments for the index",
  );
}

function badGuid(guid: string): Result<never, Problem> {
  return refuse(
    404,
    "no-such-entity",
    `There is no entity with guid ${quoted(guid)}: expected a dashed UUID, or its first ` +
      `${MIN_PREFIX_DIGITS} or more hexadecimal digits`,
    "svc_get_scene_state lists guids",
  );
}

function ambiguous<T>(
  guid: string,
  { count, first }: Candidates<T>,
  named: (one: T) => string,
): Result<never, Problem> {
  const more = count - first.length;
  return refuse(
    409,
    "ambiguous-guid",
    `guid ${quoted(guid)} is the beginning of ${count}: ${first.map(named).join(", ")}${
      more > 0 ? ` and ${more} more` : ""
    }`,
    "Give more digits of the guid",
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
