import { compareCodeUnits, isRecord } from "../core/json.ts";
import { forEachParallel } from "../core/parallel.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import { attempt } from "./attempt.ts";
import { type AssetDetail, type AssetDetails, readDetail } from "./asset-details.ts";
import { ASSET_TYPES, readFileName } from "./asset-types.ts";
import { guidFromName, isGuid } from "./guid.ts";
import { parseJsonFile } from "./json-text.ts";
import type { Asset, AssetType } from "./ports.ts";
import { show } from "./shape.ts";
import { listTree, type TreeFile } from "./tree.ts";

/** The folder of a project that holds its assets. */
export const ASSET_FOLDER = "assets";
/** Files and folders looked at in one project, sidecars included. */
export const MAX_ASSET_ENTRIES = 100_000;

const SIDECAR = ".meta.json";
const MAX_SIDECAR_BYTES = 1024 * 1024;
const READS_AT_ONCE = 16;

/** The assets of a project. */
export interface AssetScan {
  /** Ordered by path. */
  readonly assets: readonly Asset[];
  readonly details: AssetDetails;
  /** One sentence for each thing that was passed over or mended. */
  readonly warnings: readonly string[];
}

interface Found {
  readonly asset: Asset;
  readonly derived: string;
  readonly detail: AssetDetail | null;
}

/**
 * Finds every asset below `assets/`. A sidecar `<file>.meta.json` may say its guid and type; without
 * one the guid follows from the path, so that it is the same on every machine, and nothing is
 * written. Nothing that is wrong with one asset keeps the others from being found.
 *
 * @param root The project's folder.
 */
export async function scanAssets(files: Files, root: string): Promise<AssetScan> {
  const tree = await listTree(files, root, { folder: ASSET_FOLDER, maxEntries: MAX_ASSET_ENTRIES });
  const warnings = [...tree.warnings];
  const sidecars = new Map(
    tree.files.filter(({ path }) => path.endsWith(SIDECAR)).map((file) => [file.path, file]),
  );
  const sources = tree.files.filter(({ path }) => !sidecars.has(path));
  const found: Found[] = [];
  await forEachParallel(sources, READS_AT_ONCE, async (source) => {
    const sidecar = sidecars.get(`${source.path}${SIDECAR}`);
    const read = await attempt(() => readAsset(files, { source, sidecar, warnings }));
    if (!read.ok) {
      warnings.push(`Skipped "${source.path}": it cannot be read (${read.error.code})`);
    } else if (read.value !== null) found.push(read.value);
  });
  const known = new Set(sources.map(({ path }) => `${path}${SIDECAR}`));
  for (const path of sidecars.keys()) {
    if (!known.has(path)) warnings.push(`Found sidecar "${path}" without its asset`);
  }
  return collect(found, warnings);
}

/** Sorts; and of two assets that claim one guid, a copied sidecar, the later gets its derived one. */
function collect(found: readonly Found[], warnings: readonly string[]): AssetScan {
  const assets: Asset[] = [];
  const details = new Map<string, AssetDetail>();
  const owners = new Map<string, string>();
  const mended: string[] = [];
  for (
    const one of found.toSorted((a, b) => compareCodeUnits(a.asset.path, b.asset.path))
  ) {
    const owner = owners.get(one.asset.guid);
    const asset = owner === undefined ? one.asset : { ...one.asset, guid: one.derived };
    if (owner !== undefined) {
      mended.push(
        `Asset "${asset.path}" has the guid of "${owner}", ${one.asset.guid}: ` +
          `using ${asset.guid}; give it a guid of its own in its sidecar`,
      );
    }
    owners.set(asset.guid, asset.path);
    assets.push(asset);
    if (one.detail !== null) details.set(asset.guid, one.detail);
  }
  return { assets, details, warnings: [...warnings.toSorted(compareCodeUnits), ...mended] };
}

interface Source {
  readonly source: TreeFile;
  readonly sidecar: TreeFile | undefined;
  readonly warnings: string[];
}

async function readAsset(
  files: Files,
  { source: { path, location }, sidecar, warnings }: Source,
): Promise<Found | null> {
  const stat = await files.stat(location);
  if (stat === null) return null; // removed since it was listed
  const meta = sidecar === undefined ? ok({}) : await readSidecar(files, sidecar);
  if (!meta.ok) warnings.push(meta.error);
  const members: Readonly<Record<string, unknown>> = meta.ok ? meta.value : {};
  const { name, type: usualType } = readFileName(path.slice(path.lastIndexOf("/") + 1));
  const type = typeIn(members, path, warnings) ?? usualType;
  if (type === undefined) return null; // a note or a source file that the game does not load
  const derived = await guidFromName("asset", path);
  const guid = guidIn(members, path, warnings) ?? derived;
  const detail = await readDetail(files, { path, location, type, meta: members });
  if (!detail.ok) warnings.push(detail.error);
  return {
    asset: { guid, path, name, type, size: stat.size },
    derived,
    detail: detail.ok ? detail.value : null,
  };
}

async function readSidecar(
  files: Files,
  { path, location }: TreeFile,
): Promise<Result<Record<string, unknown>, string>> {
  const bytes = await files.read(location, MAX_SIDECAR_BYTES);
  if (bytes === null) return ok({}); // removed since it was listed
  const parsed = parseJsonFile(path, bytes);
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
