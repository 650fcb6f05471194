import { FileError } from "../../core/file-error.ts";
import { forEachParallel } from "../../core/parallel.ts";
import type { FileStat } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import type { EntryRecord, FileRecord, Receipt } from "./receipt.ts";

// The facts of files in a receipt: recorded at the installation, and compared with the files later.

const AT_ONCE = 4;

/** Dependencies of comparing a package with its receipt. */
export interface RecordContext extends Pick<ToolchainDeps, "hashing"> {
  readonly folder: ToolchainFolder;
  readonly host: Pick<Host, "platform" | "arch">;
}

/** Every file below `places` of a folder, hashed. @throws {FileError} */
export async function recordFiles(
  folder: ToolchainFolder,
  places: readonly string[],
  { hashing, signal, onFile }: Pick<RecordContext, "hashing"> & {
    readonly signal: AbortSignal;
    /** Called after each file. */
    readonly onFile?: (done: number, total: number) => void;
  },
): Promise<FileRecord[]> {
  const { files } = folder;
  const found: (Pick<FileStat, "kind" | "mode"> & { readonly path: string })[] = [];
  const walk = async (path: string): Promise<void> => {
    const full = folder.at(path);
    const stat = await files.stat(full);
    if (stat?.kind === "file" || stat?.kind === "symlink") found.push({ ...stat, path });
    if (stat?.kind !== "directory") return;
    for (const { name } of (await files.list(full)) ?? []) await walk(`${path}/${name}`);
  };
  for (const place of places) await walk(place);
  const records: FileRecord[] = [];
  await forEachParallel(found, AT_ONCE, async ({ path, kind, mode }) => {
    signal.throwIfAborted();
    const full = folder.at(path);
    if (kind === "symlink") {
      records.push({ path, size: 0, link: await linkOf(full, folder) });
    } else {
      const { sha256, size } = await hashFile(full, { files, hashing });
      records.push({ path, size, sha256, ...judged(mode, folder) });
    }
    onFile?.(records.length, found.length);
  });
  return records.sort((a, b) => a.path < b.path ? -1 : 1);
}

/** The facts of the files that count. @throws {FileError} when one is missing. */
export async function recordEntries(
  folder: ToolchainFolder,
  entries: readonly string[],
  { hashing }: Pick<RecordContext, "hashing">,
): Promise<EntryRecord[]> {
  const { files } = folder;
  const records: EntryRecord[] = [];
  for (const path of entries) {
    const full = folder.at(path);
    const real = (await files.realPath(full)) ?? full;
    const stat = await files.stat(real);
    if (stat === null) throw new FileError("missing", full, `${full} is not there any more`);
    const { sha256, size } = await hashFile(real, { files, hashing });
    const mtimeMs = Math.trunc(stat.mtimeMs);
    records.push({ path, size, mtimeMs, sha256, ...judged(stat.mode, folder) });
  }
  return records;
}

/** Finds damage of the entry files, or `null`: cheap enough for every detection. */
export async function entryDamage(
  receipt: Receipt,
  { folder, hashing, host }: RecordContext,
): Promise<string | null> {
  const { files } = folder;
  const platform = `${host.platform}-${host.arch}`;
  if (receipt.platform !== platform) {
    return `it was installed for ${receipt.platform}, and this is ${platform}`;
  }
  for (const { path, size, mtimeMs, sha256, mode } of receipt.entries) {
    const full = folder.at(path);
    const real = await files.realPath(full);
    const stat = real === null ? null : await files.stat(real);
    if (real === null || stat === null) return `${path} is missing`;
    if (stat.size !== size) return `${path} has ${stat.size} bytes, expected ${size}`;
    const lost = lostRight(mode, stat.mode, host);
    if (lost !== null) return `${path} may not be ${lost}`;
    if (Math.trunc(stat.mtimeMs) === mtimeMs) continue;
    if ((await hashFile(real, { files, hashing })).sha256 !== sha256) {
      return `${path} has other bytes`;
    }
  }
  return null;
}

/** Permissions of a file's owner that count; users may change the other bits. */
const OWNER_MAY = { executed: 0o100, read: 0o400 } as const;

/** Returns a permission that a file has lost since it was recorded, or `null`. */
export function lostRight(
  recorded: number | undefined,
  mode: number,
  host: Pick<Host, "platform">,
): keyof typeof OWNER_MAY | null {
  if (recorded === undefined || host.platform === "win32") return null;
  const lost = recorded & ~mode;
  if ((lost & OWNER_MAY.read) !== 0) return "read";
  return (lost & OWNER_MAY.executed) !== 0 ? "executed" : null;
}

/** The mode as a receipt has it: Windows has none to record. */
function judged(
  mode: number,
  { paths: { platform } }: ToolchainFolder,
): { readonly mode?: number } {
  return platform === "win32" ? {} : { mode };
}

/** Returns the target of a link, relative to the folder; empty if it is outside. */
export async function linkOf(path: string, folder: ToolchainFolder): Promise<string> {
  const { files, paths, root } = folder;
  const [real, base] = [await files.realPath(path), (await files.realPath(root)) ?? root];
  if (real === null || !paths.isWithin(real, base)) return "";
  return real.slice(base.length).replace(/^[\\/]/, "").replaceAll(paths.separator, "/");
}

/** Hashes a complete file. @throws {FileError} if it cannot be read. */
export async function hashFile(
  path: string,
  { files, hashing }: Pick<ToolchainDeps, "files" | "hashing">,
): Promise<{ readonly sha256: string; readonly size: number }> {
  const stream = await files.openRead(path);
  const running = hashing.createSha256();
  let size = 0;
  if (stream === null) return { sha256: "", size: -1 };
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    running.update(value);
    size += value.length;
  }
  return { sha256: running.hex(), size };
}
