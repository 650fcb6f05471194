import { isRecord, own } from "../core/json.ts";
import type { ContentRef, KeyPair } from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files, FileStat } from "../ports/files.ts";
import { PRIVATE_CONTENTS_ID } from "./private-kinds.ts";
import { idOf, readSignedIndex, removeOldest, writeSignedIndex } from "./signed-index.ts";

// What a scan found of each file is kept with the facts that the system tells of it, so that the next
// scan reads only what was written since (PUB-33). As in git's index, what was written just now
// counts as changed: the system may tell the same time of what is written next.

/** What all that is kept may take on this machine's disk, in bytes; the oldest goes first. */
const KEPT_BYTES = 64 * 1024 ** 2;
/** The coarsest clock of a file system has steps of so many milliseconds (FAT). */
const COARSEST_MS = 2_000;

/** What a file was when it was read; nothing in it was private. */
export interface KnownFile extends ContentRef {
  /** Of its bytes. */
  readonly crc32: number;
}

/** What the last scan of a folder found. */
export interface ScanMemory {
  /** What a file is whose facts are those of the last scan; `null` when it must be read. */
  find(path: string, stat: FileStat): KnownFile | null;
  /** Notes what was found now. @param stat As it was before the file was read. */
  note(path: string, stat: FileStat, known: KnownFile): void;
  /** Keeps what was noted, in place of what was there. */
  keep(): Promise<void>;
}

/** What a memory works with. */
export interface ScanMemoryDependencies {
  readonly files: Files;
  readonly clock: Pick<Clock, "now">;
  /** Of this user. */
  readonly scannedFolder: string;
}

/** What the last scan of a folder found that was published with this key. */
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

/** What changes whenever a file is written or replaced; `null` where the system does not tell. */
function factsOf({ size, mtimeMs, changedMs, inode }: FileStat): string | null {
  if (changedMs === undefined || inode === undefined) return null;
  return [size, mtimeMs, changedMs, inode].join(" ");
}
