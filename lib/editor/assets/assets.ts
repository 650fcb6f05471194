import { atResolved, isInside } from "../../core/inside.ts";
import { compareCodeUnits, isRecord } from "../../core/json.ts";
import { forEachParallel } from "../../core/parallel.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { attempt } from "../../core/attempt.ts";
import type { AssetDetail, AssetDetails } from "../../game/assets/mod.ts";
import { readDetail } from "./asset-details.ts";
import { readPixelSize } from "./read-image-size.ts";
import { ASSET_TYPES, readFileName } from "../files/asset-types.ts";
import { guidFromName, isGuid } from "../../core/guid.ts";
import { parseJsonFile } from "../../core/json-text.ts";
import type { Asset, AssetType } from "../ports/mod.ts";
import { show } from "../../core/shape.ts";
import { listTree, type TreeFile } from "../files/tree.ts";

/** The folder of a project that holds its assets. */
export const ASSET_FOLDER = "assets";
/** Folder for scenes, next to the assets' folder; no other asset may be in it. */
export const SCENE_FOLDER = "scenes";
/** Files and folders looked at in one project, sidecars included. */
const MAX_ASSET_ENTRIES = 100_000;

/** Ending of the file that describes an asset. */
export const SIDECAR = ".meta.json";
/** The largest sidecar that is read, in bytes. */
export const MAX_SIDECAR_BYTES: number = 1024 * 1024;
const READS_AT_ONCE = 16;
/** Types whose files are pictures unless they are JSON. */
const PICTURE_TYPES: readonly AssetType[] = ["texture", "sprite", "environment"];

/** The assets of a project. */
export interface AssetScan {
  /** Ordered by path. */
  readonly assets: readonly Asset[];
  readonly details: AssetDetails;
  /** A sentence for each file that was skipped and each guid that was replaced. */
  readonly warnings: readonly string[];
  /** The asset that each file was found to be: lets {@linkcode rescanFiles} look at few of them again. */
  readonly found: ReadonlyMap<string, FoundFile>;
  /** The warnings that concern no asset's file. */
  readonly otherWarnings: readonly string[];
}

/** Whether two scans found the same files, as they were. */
export function isSameScan(a: AssetScan, b: AssetScan): boolean {
  return a === b || (a.found.size === b.found.size &&
    [...a.found].every(([path, { stamp }]) => b.found.get(path)?.stamp === stamp));
}

/** A file below `assets/` or `scenes/`. */
export interface FoundFile {
  /** With the guid that its sidecar claims; `null` if the file is not an asset. */
  readonly asset: Asset | null;
  /** The guid that follows from its path. */
  readonly derived: string;
  readonly detail: AssetDetail | null;
  readonly warnings: readonly string[];
  /** Size and time of the file and its sidecar before they were read; empty when unreadable. */
  readonly stamp: string;
}

/**
 * Finds every asset below `assets/` and every scene below `scenes/`. A sidecar `<file>.meta.json`
 * may state an asset's guid and type; otherwise the guid is derived from the path, so that it is
 * the same on every machine without writing a file. A faulty asset does not keep others from being
 * found.
 *
 * @param root The project's folder.
 * @param before An earlier scan: files with the same size and time are not read again.
 * @returns `before` itself if nothing has changed.
 */
export async function scanAssets(
  files: Files,
  root: string,
  before?: AssetScan,
): Promise<AssetScan> {
  const trees = await Promise.all(
    [ASSET_FOLDER, SCENE_FOLDER].map((folder) =>
      listTree(files, root, { folder, maxEntries: MAX_ASSET_ENTRIES })
    ),
  );
  const otherWarnings = trees.flatMap(({ warnings }) => warnings);
  const listed = trees.flatMap((tree) => tree.files);
  const sidecars = new Map(
    listed.filter(({ path }) => path.endsWith(SIDECAR)).map((file) => [file.path, file]),
  );
  const sources = listed.filter(({ path }) => !sidecars.has(path) && mayBeAsset(path));
  const found = new Map<string, FoundFile>();
  await forEachParallel(sources, READS_AT_ONCE, async (source) => {
    const sidecar = sidecars.get(`${source.path}${SIDECAR}`);
    const file = await readFile(files, { source, sidecar, before: before?.found.get(source.path) });
    if (file !== null) found.set(source.path, file);
  });
  const known = new Set(listed.map(({ path }) => `${path}${SIDECAR}`));
  for (const path of sidecars.keys()) {
    if (!known.has(path)) otherWarnings.push(`Found sidecar "${path}" without its asset`);
  }
  const isSame = before !== undefined && before.found.size === found.size &&
    [...found].every(([path, file]) => before.found.get(path) === file) &&
    before.otherWarnings.join("\n") === otherWarnings.join("\n");
  return isSame ? before : collect(found, otherWarnings);
}

/**
 * Updates a scan after files were changed, added or removed; reads only those.
 *
 * @param paths Paths of assets relative to the project; their sidecars are included.
 */
export async function rescanFiles(
  files: Files,
  root: string,
  { scan, paths }: { readonly scan: AssetScan; readonly paths: readonly string[] },
): Promise<AssetScan> {
  const realRoot = await files.realPath(root);
  const found = new Map(scan.found);
  await forEachParallel(paths, READS_AT_ONCE, async (path) => {
    const [location, sidecar] = await Promise.all([
      files.realPath(`${root}/${path}`),
      files.realPath(`${root}/${path}${SIDECAR}`),
    ]);
    found.delete(path);
    if (!mayBeAsset(path)) return;
    if (realRoot === null || location === null || !isInside(realRoot, location)) return;
    const hasSidecar = sidecar !== null && isInside(realRoot, sidecar);
    const beside = hasSidecar ? { path: `${path}${SIDECAR}`, location: sidecar } : undefined;
    const file = await readFile(files, { source: { path, location }, sidecar: beside });
    if (file !== null) found.set(path, file);
  });
  return collect(found, scan.otherWarnings);
}

/** Whether a file in that folder may be an asset: the scene folder accepts only scenes. */
function mayBeAsset(path: string): boolean {
  return !path.startsWith(`${SCENE_FOLDER}/`) ||
    readFileName(path.slice(path.lastIndexOf("/") + 1)).type === "scene";
}

/** Sorts; and of two assets that claim one guid, a copied sidecar, the later gets its derived one. */
function collect(
  found: ReadonlyMap<string, FoundFile>,
  otherWarnings: readonly string[],
): AssetScan {
  const assets: Asset[] = [];
  const details = new Map<string, AssetDetail>();
  const owners = new Map<string, string>();
  const warnings = [...otherWarnings];
  const replacedGuids: string[] = [];
  for (const [, file] of [...found].toSorted(([a], [b]) => compareCodeUnits(a, b))) {
    warnings.push(...file.warnings);
    if (file.asset === null) continue;
    const owner = owners.get(file.asset.guid);
    const asset = owner === undefined ? file.asset : { ...file.asset, guid: file.derived };
    if (owner !== undefined) {
      replacedGuids.push(
        `Asset "${asset.path}" has the guid of "${owner}", ${file.asset.guid}: ` +
          `using ${asset.guid}; give it a guid of its own in its sidecar`,
      );
    }
    owners.set(asset.guid, asset.path);
    assets.push(asset);
    if (file.detail !== null) details.set(asset.guid, file.detail);
  }
  return {
    assets,
    details,
    warnings: [...warnings.toSorted(compareCodeUnits), ...replacedGuids],
    found,
    otherWarnings,
  };
}

/**
 * Reads a file as an asset; `null` if it was removed. An unreadable file is skipped with a warning.
 */
async function readFile(
  files: Files,
  place: Omit<Source, "warnings">,
): Promise<FoundFile | null> {
  const warnings: string[] = [];
  const read = await attempt(() => readAsset(atResolved(files), { ...place, warnings }));
  if (read.ok) return read.value;
  warnings.push(`Skipped "${place.source.path}": it cannot be read (${read.error.code})`);
  return { asset: null, derived: "", detail: null, warnings, stamp: "" };
}

interface Source {
  readonly source: TreeFile;
  readonly sidecar: TreeFile | undefined;
  /** The asset that it was found to be before. */
  readonly before?: FoundFile | undefined;
  readonly warnings: string[];
}

async function readAsset(
  files: Files,
  { source: { path, location }, sidecar, before, warnings }: Source,
): Promise<FoundFile | null> {
  const stat = await files.stat(location);
  if (stat === null) return null; // removed since it was listed
  if (stat.kind !== "file") {
    warnings.push(`Skipped "${path}": not a file`);
    return { asset: null, derived: "", detail: null, warnings, stamp: "" };
  }
  const beside = sidecar === undefined ? null : await files.stat(sidecar.location);
  const stamp = [stat.size, stat.mtimeMs, beside?.size, beside?.mtimeMs].join(" ");
  if (before?.stamp === stamp) return before;
  const meta = sidecar === undefined ? ok({}) : await readSidecar(files, sidecar);
  if (!meta.ok) warnings.push(meta.error);
  const members: Readonly<Record<string, unknown>> = meta.ok ? meta.value : {};
  const { name, type: usualType } = readFileName(path.slice(path.lastIndexOf("/") + 1));
  const type = typeIn(members, path, warnings) ?? usualType;
  // A note or a source file that the game does not load.
  if (type === undefined) return { asset: null, derived: "", detail: null, warnings, stamp };
  const derived = await guidFromName("asset", path);
  const guid = guidIn(members, path, warnings) ?? derived;
  const isPicture = PICTURE_TYPES.includes(type) && !path.toLowerCase().endsWith(".json");
  const pixels = isPicture ? await readPixelSize(files, location) : null;
  const detail = await readDetail(files, { path, location, type, meta: members, pixels });
  if (!detail.ok) warnings.push(detail.error);
  return {
    asset: { guid, path, name, type, size: stat.size, ...(pixels !== null && { pixels }) },
    derived,
    detail: detail.ok ? detail.value : null,
    warnings,
    stamp,
  };
}

async function readSidecar(
  files: Files,
  { path, location }: TreeFile,
): Promise<Result<Record<string, unknown>, string>> {
  const bytes = await attempt(() => files.read(location, MAX_SIDECAR_BYTES));
  if (!bytes.ok) return err(`Cannot use sidecar "${path}": ${bytes.error.message}`);
  if (bytes.value === null) return ok({}); // removed since it was listed
  const parsed = parseJsonFile(path, bytes.value);
  if (!parsed.ok) return err(parsed.error.message);
  if (isRecord(parsed.value)) return ok(parsed.value);
  return err(`Cannot use sidecar "${path}": found ${show(parsed.value)}, expected an object`);
}

function guidIn(
  meta: Readonly<Record<string, unknown>>,
  path: string,
  warnings: string[],
): string | undefined {
  const guid = meta["guid"];
  if (guid === undefined || (typeof guid === "string" && isGuid(guid))) return guid;
  warnings.push(
    `Sidecar of "${path}" has the guid ${show(guid)}: expected a dashed UUID in lower case; ` +
      "using the one that follows from its path",
  );
  return undefined;
}

function typeIn(
  meta: Readonly<Record<string, unknown>>,
  path: string,
  warnings: string[],
): AssetType | undefined {
  const type = ASSET_TYPES.find((one) => one === meta["type"]);
  if (type === undefined && meta["type"] !== undefined) {
    warnings.push(
      `Sidecar of "${path}" has the type ${show(meta["type"])}: ` +
        `expected one of ${ASSET_TYPES.join(", ")}`,
    );
  }
  return type;
}
