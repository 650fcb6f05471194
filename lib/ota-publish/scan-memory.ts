import { isRecord, own } from "../core/json.ts";
import type { ContentRef, KeyPair } from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files, FileStat } from "../ports/files.ts";
import { PRIVATE_CONTENTS_ID } from "./private-kinds.ts";
import { idOf, readSignedIndex, removeOldest, writeSignedIndex } from "./signed-index.ts";

// The result of a scan is kept with each file's size, times and inode, so that the next scan reads
// only files that were written since (PUB-33). As in git's index, a file written at the time of the
// scan counts as changed: the next write may get the same time.

/** Disk space for all kept scans and facts of objects, in bytes; the oldest are removed first. */
export const KEPT_BYTES: number = 64 * 1024 ** 2;
/** Step of the coarsest file system clock (FAT), in milliseconds. */
export const COARSEST_MS = 2_000;

/** A file without private contents, as it was read. */
export interface KnownFile extends ContentRef {
  /** CRC-32 of its bytes. */
  readonly crc32: number;
}

/** The kept result of the last scan of a folder. */
export interface ScanMemory {
  /** Finds a file that has not changed since the last scan; `null` if it must be read. */
  find(path: string, stat: FileStat): KnownFile | null;
  /** Notes a file of this scan. @param stat Its facts before it was read. */
  note(path: string, stat: FileStat, known: KnownFile): void;
  /** Keeps the notes of this scan instead of the last one's. */
  keep(): Promise<void>;
}

/** Dependencies of a scan memory. */
export interface ScanMemoryDependencies {
  readonly files: Files;
  readonly clock: Pick<Clock, "now">;
  /** The folder is the user's own. */
  readonly scannedFolder: string;
}

/** Opens the result of the last scan of a folder that was published with this key. */
export async function openScanMemory(
  { files, clock, scannedFolder }: ScanMemoryDependencies,
  { folder, key }: { readonly folder: string; readonly key: KeyPair },
): Promise<ScanMemory> {
  const id = await idOf(folder, key.publicKey, PRIVATE_CONTENTS_ID);
  const path = `${scannedFolder}/${id}.json`;
  const last = await readSignedIndex(files, path, key.publicKey).catch(() => undefined);
  const noted: Record<string, readonly [facts: string, hash: string, crc32: number]> = {};
  const settledBefore = clock.now() - COARSEST_MS;

  return {
    find(path, stat) {
      const entry = isRecord(last) ? own(last, path) : undefined;
      const [facts, hash, crc32] = Array.isArray(entry) ? entry : [];
      if (typeof hash !== "string" || typeof crc32 !== "number") return null;
      return facts === factsOf(stat) ? { hash, size: stat.size, crc32 } : null;
    },

    note(path, stat, { hash, crc32 }) {
      const facts = factsOf(stat);
      const { mtimeMs, changedMs = mtimeMs } = stat;
      if (facts === null || Math.max(mtimeMs, changedMs) >= settledBefore) return;
      noted[path] = [facts, hash, crc32];
    },

    async keep() {
      await files.makeDirectory(scannedFolder);
      await writeSignedIndex(files, path, { index: noted, key });
      await removeOldest(files, scannedFolder, KEPT_BYTES);
    },
  };
}

/**
 * Returns the facts that change whenever a file is written or replaced; `null` if the system does
 * not report them.
 */
function factsOf({ size, mtimeMs, changedMs, inode }: FileStat): string | null {
  if (changedMs === undefined || inode === undefined) return null;
  return [size, mtimeMs, changedMs, inode].join(" ");
}
