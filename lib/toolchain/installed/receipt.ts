import { parseJson } from "../../core/json-text.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import { checkPath } from "../../core/paths.ts";
import { PACKAGE_IDS, type PackageId } from "../tools/ids.ts";
import type { ToolchainFolder } from "../work/folder.ts";

// Record of an installation, in two files: `receipts/<package>.json` is small and is read by every
// detection, `receipts/<package>.files.json` lists every file. Paths are relative to the toolchain
// folder and written with `/`.

const MAX_RECEIPT_BYTES = 256 * 1024;
const MAX_FILES_BYTES = 64 * 1024 * 1024;

/** A file of a package. */
export interface FileRecord {
  readonly path: string;
  readonly size: number;
  /** Hash of a file; lower-case hex. */
  readonly sha256?: string;
  /** Target of a link; empty if it is missing, or outside the toolchain folder. */
  readonly link?: string;
  /** Permission bits of a file; absent if Windows or an older version wrote the receipt. */
  readonly mode?: number;
}

/** A file without which the package is of no use. */
export interface EntryRecord {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly sha256: string;
  /** Permission bits: {@linkcode FileRecord.mode}. */
  readonly mode?: number;
}

/** Record of an installation: contents, sources, time. */
export interface Receipt {
  readonly schema: 1;
  readonly package: PackageId;
  readonly version: string;
  readonly platform: string;
  /** Downloads. */
  readonly sources: readonly {
    readonly name: string;
    readonly url: string;
    readonly sha256?: string;
    readonly sha1?: string;
  }[];
  /** The files or folders that the package consists of. */
  readonly places: readonly string[];
  readonly entries: readonly EntryRecord[];
  readonly files: number;
  readonly bytes: number;
  /** ISO 8601, by the clock of this machine. */
  readonly installedAt: string;
  /** The run that put it in place. */
  readonly run: string;
}

/** The path of a package's receipt. */
export function receiptFile(id: PackageId, folder: ToolchainFolder): string {
  return folder.at(`receipts/${id}.json`);
}

/** The path of the list of a package's files. */
export function filesFile(id: PackageId, folder: ToolchainFolder): string {
  return folder.at(`receipts/${id}.files.json`);
}

/**
 * Reads a receipt; `null` without a usable one. The files that it names are moved and removed, so one that
 * names another package, or a place outside the toolchain folder, is refused.
 */
export async function readReceipt(
  id: PackageId,
  folder: ToolchainFolder,
): Promise<Receipt | null> {
  const receipt = asReceipt(await readJson(receiptFile(id, folder), MAX_RECEIPT_BYTES, folder));
  return receipt?.package === id ? receipt : null;
}

/**
 * Finds files in the places of a package without a receipt: another program or the user put them there,
 * perhaps by our own guide. A damaged receipt counts as one.
 *
 * @returns Its path, or `null`.
 */
export async function foreignPlace(
  id: PackageId,
  places: readonly string[],
  folder: ToolchainFolder,
): Promise<string | null> {
  if ((await folder.files.stat(receiptFile(id, folder))) !== null) return null;
  return await filledPlace(places, folder);
}

/** Returns the path of the first place that exists and is not an empty folder, or `null`. */
export async function filledPlace(
  places: readonly string[],
  folder: ToolchainFolder,
): Promise<string | null> {
  const { files } = folder;
  for (const place of places) {
    const path = folder.at(place);
    const stat = await files.stat(path);
    const isEmpty = stat?.kind === "directory" && (await files.list(path))?.length === 0;
    if (stat !== null && !isEmpty) return path;
  }
  return null;
}

/** Reads the list of a package's files; `null` without a usable one. */
export async function readFileRecords(
  id: PackageId,
  folder: ToolchainFolder,
): Promise<readonly FileRecord[] | null> {
  const value = await readJson(filesFile(id, folder), MAX_FILES_BYTES, folder);
  if (!Array.isArray(value)) return null;
  const records = value.map(asFileRecord);
  return records.some((record) => record === null)
    ? null
    : records.filter((record) => record !== null);
}

/** Writes both files; the small one last, and it is what counts. */
export async function writeReceipt(
  receipt: Receipt,
  records: readonly FileRecord[],
  folder: ToolchainFolder,
): Promise<void> {
  const { files } = folder;
  await files.makeDirectory(folder.at("receipts"));
  const lines = records.map((record) => JSON.stringify(record)).join(",\n");
  await files.writeAtomic(filesFile(receipt.package, folder), encodeUtf8(`[\n${lines}\n]\n`));
  const text = `${JSON.stringify(receipt, null, 2)}\n`;
  await files.writeAtomic(receiptFile(receipt.package, folder), encodeUtf8(text));
}

async function readJson(
  path: string,
  maxBytes: number,
  { files }: Pick<ToolchainFolder, "files">,
): Promise<unknown> {
  try {
    return parseJson(await files.read(path, maxBytes));
  } catch {
    return null; // not ours to read: as if it were not there
  }
}

function asReceipt(value: unknown): Receipt | null {
  if (!isRecord(value) || value["schema"] !== 1) return null;
  const { version, platform, installedAt, run, files, bytes, places, entries, sources } = value;
  const id = asPackageId(value["package"]);
  if (id === null || typeof version !== "string" || typeof platform !== "string") return null;
  if (typeof installedAt !== "string" || typeof run !== "string") return null;
  if (typeof files !== "number" || typeof bytes !== "number") return null;
  if (!Array.isArray(places) || !places.every(isPlace)) return null;
  if (!Array.isArray(entries) || !Array.isArray(sources)) return null;
  const checked = entries.map(asEntry);
  if (checked.some((entry) => entry === null)) return null;
  return {
    schema: 1,
    package: id,
    version,
    platform,
    installedAt,
    run,
    files,
    bytes,
    places: places.map(String),
    entries: checked.filter((entry) => entry !== null),
    sources: sources.map(asSource).filter((source) => source !== null),
  };
}

/** Whether a value names something inside the toolchain folder, and not that folder itself. */
export function isPlace(value: unknown): value is string {
  return typeof value === "string" && checkPath(value).ok;
}

/**
 * Whether a link leads from the toolchain folder to the folder that contains a place: files there belong to
 * other programs, and may not be moved or removed. A place that is a link itself counts as the link.
 */
export async function leadsOut(
  place: string,
  folder: ToolchainFolder,
): Promise<boolean> {
  const { files, paths } = folder;
  const root = await files.realPath(folder.root);
  const holder = await files.realPath(paths.parent(folder.at(place)));
  return root !== null && holder !== null && !paths.isWithin(holder, root);
}

function asPackageId(value: unknown): PackageId | null {
  return PACKAGE_IDS.find((id) => id === value) ?? null;
}

function asEntry(value: unknown): EntryRecord | null {
  if (!isRecord(value)) return null;
  const { path, size, mtimeMs, sha256, mode } = value;
  return isPlace(path) && typeof size === "number" && typeof mtimeMs === "number" &&
      typeof sha256 === "string"
    ? { path, size, mtimeMs, sha256, ...(typeof mode === "number" && { mode }) }
    : null;
}

function asSource(value: unknown): Receipt["sources"][number] | null {
  if (!isRecord(value)) return null;
  const { name, url, sha256, sha1 } = value;
  if (typeof name !== "string" || typeof url !== "string") return null;
  return {
    name,
    url,
    ...(typeof sha256 === "string" && { sha256 }),
    ...(typeof sha1 === "string" && { sha1 }),
  };
}

function asFileRecord(value: unknown): FileRecord | null {
  if (!isRecord(value)) return null;
  const { path, size, sha256, link, mode } = value;
  if (!isPlace(path) || typeof size !== "number") return null;
  return {
    path,
    size,
    ...(typeof sha256 === "string" && { sha256 }),
    ...(typeof link === "string" && { link }),
    ...(typeof mode === "number" && { mode }),
  };
}
