import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import { checkPath } from "../../core/paths.ts";
import { joinPath, liesIn, parentPath } from "../../programs/mod.ts";
import { PACKAGE_IDS, type PackageId } from "../tools/ids.ts";
import type { ToolchainDeps } from "../work/ports.ts";

// What was installed, in two files: `receipts/<package>.json` is small and is read by every
// detection, `receipts/<package>.files.json` lists every file. Paths are relative to the toolchain
// folder and written with `/`.

const MAX_RECEIPT_BYTES = 256 * 1024;
const MAX_FILES_BYTES = 64 * 1024 * 1024;

/** A file of a package. */
export interface FileRecord {
  readonly path: string;
  readonly size: number;
  /** Of a file; lower-case hex. */
  readonly sha256?: string;
  /** Of a link: where it leads; empty when it leads nowhere, or out of the toolchain folder. */
  readonly link?: string;
  /** Of a file: its permission bits; absent where Windows wrote the receipt, or an older version. */
  readonly mode?: number;
}

/** A file without which the package is of no use. */
export interface EntryRecord {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly sha256: string;
  /** As {@linkcode FileRecord.mode}. */
  readonly mode?: number;
}

/** What was installed, from where, when. */
export interface Receipt {
  readonly schema: 1;
  readonly package: PackageId;
  readonly version: string;
  readonly platform: string;
  /** What was downloaded. */
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

/** What reading and writing receipts needs. */
export interface ReceiptContext extends Pick<ToolchainDeps, "files" | "host" | "hashing"> {
  readonly toolchainDir: string;
}

/** A file of the toolchain folder in the host's spelling. */
export function inFolder(
  path: string,
  { toolchainDir, host }: Pick<ReceiptContext, "toolchainDir" | "host">,
): string {
  return joinPath(toolchainDir, path, host.platform);
}

/** The path of a package's receipt. */
export function receiptFile(
  id: PackageId,
  context: Pick<ReceiptContext, "host" | "toolchainDir">,
): string {
  return inFolder(`receipts/${id}.json`, context);
}

/** The path of the list of a package's files. */
export function filesFile(id: PackageId, context: ReceiptContext): string {
  return inFolder(`receipts/${id}.files.json`, context);
}

/**
 * Reads a receipt; `null` when there is none that can be used. What it names is moved and removed,
 * so one that names another package, or a place outside the toolchain folder, is none.
 */
export async function readReceipt(
  id: PackageId,
  context: Pick<ReceiptContext, "files" | "host" | "toolchainDir">,
): Promise<Receipt | null> {
  const file = inFolder(`receipts/${id}.json`, context);
  const receipt = asReceipt(await readJson(file, MAX_RECEIPT_BYTES, context));
  return receipt?.package === id ? receipt : null;
}

/**
 * What lies in one of the places of a package that has no receipt: somebody else put it there, by our
 * own guide perhaps. A receipt that is damaged is one.
 *
 * @returns Its path, or `null`.
 */
export async function foreignPlace(
  id: PackageId,
  places: readonly string[],
  context: Pick<ReceiptContext, "files" | "host" | "toolchainDir">,
): Promise<string | null> {
  if ((await context.files.stat(receiptFile(id, context))) !== null) return null;
  return await filledPlace(places, context);
}

/** The first of some places in which something lies, as a path; or `null`. */
export async function filledPlace(
  places: readonly string[],
  context: Pick<ReceiptContext, "files" | "host" | "toolchainDir">,
): Promise<string | null> {
  const { files } = context;
  for (const place of places) {
    const path = inFolder(place, context);
    const stat = await files.stat(path);
    const isEmpty = stat?.kind === "directory" && (await files.list(path))?.length === 0;
    if (stat !== null && !isEmpty) return path;
  }
  return null;
}

/** Reads the list of a package's files; `null` when there is none that can be used. */
export async function readFileRecords(
  id: PackageId,
  context: ReceiptContext,
): Promise<readonly FileRecord[] | null> {
  const value = await readJson(filesFile(id, context), MAX_FILES_BYTES, context);
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
  context: ReceiptContext,
): Promise<void> {
  const { files } = context;
  await files.makeDirectory(inFolder("receipts", context));
  const lines = records.map((record) => JSON.stringify(record)).join(",\n");
  await files.writeAtomic(filesFile(receipt.package, context), encodeUtf8(`[\n${lines}\n]\n`));
  const text = `${JSON.stringify(receipt, null, 2)}\n`;
  await files.writeAtomic(receiptFile(receipt.package, context), encodeUtf8(text));
}

async function readJson(
  path: string,
  maxBytes: number,
  { files }: Pick<ReceiptContext, "files">,
): Promise<unknown> {
  try {
    const bytes = await files.read(path, maxBytes);
    const text = bytes === null ? null : decodeUtf8(bytes);
    return text === null ? null : JSON.parse(text);
  } catch {
    return null; // damaged, or not ours to read: as if it were not there
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
 * Whether the folder that a place lies in is reached by a link out of the toolchain folder: what is
 * moved or removed there is somebody else's. A place that is a link itself is the link.
 */
export async function leadsOut(
  place: string,
  context: Pick<ReceiptContext, "files" | "host" | "toolchainDir">,
): Promise<boolean> {
  const { files, host: { platform }, toolchainDir } = context;
  const root = await files.realPath(toolchainDir);
  const folder = await files.realPath(parentPath(inFolder(place, context), platform));
  return root !== null && folder !== null && !liesIn(folder, root, platform);
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
