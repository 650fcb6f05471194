import { nearestNames } from "../core/nearest.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Asset, Entity } from "../editor/ports.ts";

// The one way from what a caller wrote to the thing that is meant. A guid may be cut to a prefix
// as long as it stays unambiguous; what is ambiguous is refused, never guessed.

/** The fewest hexadecimal digits that stand for a guid. */
const MIN_PREFIX_DIGITS = 4;
/** Candidates that a refusal names. */
const TOLD = 5;
const PREFIX = /^[0-9a-f]{4}[0-9a-f-]{0,32}$/;

/** An entity as callers name it: by id, or by guid or an unambiguous beginning of it. */
export interface EntityName {
  /** As `svc_get_scene_state` lists it. */
  readonly id?: number | undefined;
  /** The whole guid in any case, or its first 4 or more digits. */
  readonly guid?: string | undefined;
}

/**
 * The entity that a caller means.
 *
 * @param entities All of the open scene.
 * @returns 400 `missing-argument` when neither is given or `bad-argument` when they name two
 * entities, 404 `no-such-entity`, 409 `ambiguous-guid` naming candidates.
 */
export function resolveEntity(
  entities: readonly Entity[],
  { id, guid }: EntityName,
): Result<Entity, Problem> {
  if (guid === undefined) {
    if (id === undefined) {
      return refuse(
        400,
        "missing-argument",
        "Cannot tell which entity: found neither id nor guid, expected one of them",
        "svc_get_scene_state lists ids and guids; name= searches",
      );
    }
    const entity = entities.find((one) => one.id === id);
    return entity === undefined ? noSuchEntity(`id ${id}`, entities) : ok(entity);
  }
  const entity = entityByGuid(entities, guid);
  if (!entity.ok || id === undefined || entity.value.id === id) return entity;
  return refuse(
    400,
    "bad-argument",
    `Cannot tell which entity: id ${id} is not the one with guid ${quoted(guid)}, ` +
      `which has id ${entity.value.id}`,
    "Give one of the two",
  );
}

function entityByGuid(entities: readonly Entity[], guid: string): Result<Entity, Problem> {
  const wanted = guid.toLowerCase();
  if (!PREFIX.test(wanted)) return badGuid(guid);
  const candidates: Entity[] = [];
  for (const entity of entities) {
    if (entity.guid === wanted) return ok(entity);
    if (entity.guid.startsWith(wanted)) candidates.push(entity);
  }
  const [first, second] = candidates;
  if (first === undefined) return noSuchEntity(`guid ${quoted(guid)}`, entities);
  if (second === undefined) return ok(first);
  return ambiguous(guid, candidates.map((one) => `${one.guid} "${one.name}" (id ${one.id})`));
}

/**
 * The asset that a caller means: by its path in the project, its guid, or an unambiguous beginning
 * of the guid. A path wins.
 *
 * @returns 404 `no-such-asset` with the nearest paths, 409 `ambiguous-guid` naming candidates.
 */
export function resolveAsset(
  assets: readonly Asset[],
  pathOrGuid: string,
): Result<Asset, Problem> {
  const wanted = pathOrGuid.toLowerCase();
  const candidates: Asset[] = [];
  for (const asset of assets) {
    if (asset.path === pathOrGuid || asset.guid === wanted) return ok(asset);
    if (PREFIX.test(wanted) && asset.guid.startsWith(wanted)) candidates.push(asset);
  }
  const [first, second] = candidates;
  if (first !== undefined) {
    if (second === undefined) return ok(first);
    return ambiguous(pathOrGuid, candidates.map((one) => `${one.guid} "${one.path}"`));
  }
  const near = nearestPaths(pathOrGuid, assets);
  return refuse(
    404,
    "no-such-asset",
    `There is no asset ${quoted(pathOrGuid)} among the ${assets.length} of the project`,
    near.length > 0
      ? `Did you mean ${near.map((path) => `"${path}"`).join(" or ")}?`
      : "list_assets with type=, folder= or name= finds paths and guids",
  );
}

/** Paths like the wanted one; callers often know the file's name and not its folder. */
function nearestPaths(wanted: string, assets: readonly Asset[]): readonly string[] {
  const fileName = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const paths = assets.map(({ path }) => path);
  const same = paths.filter((path) => fileName(path).startsWith(fileName(wanted)));
  return same.length > 0 ? same.slice(0, TOLD) : nearestNames(wanted, paths);
}

function noSuchEntity(what: string, entities: readonly Entity[]): Result<never, Problem> {
  return refuse(
    404,
    "no-such-entity",
    `There is no entity with ${what} in the open scene of ${entities.length} entities`,
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

function ambiguous(guid: string, candidates: readonly string[]): Result<never, Problem> {
  const more = candidates.length - TOLD;
  return refuse(
    409,
    "ambiguous-guid",
    `guid ${quoted(guid)} is the beginning of ${candidates.length}: ${
      candidates.slice(0, TOLD).join(", ")
    }${more > 0 ? ` and ${more} more` : ""}`,
    "Give more digits of the guid",
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
