import { isRecord, own } from "../core/json.ts";
import { forEachParallel } from "../core/parallel.ts";
import type { FileStat } from "../ports/files.ts";
import type { PublishDependencies, PublishRequest } from "./publish-request.ts";
import { COARSEST_MS, KEPT_BYTES } from "./scan-memory.ts";
import { idOf, readSignedIndex, removeOldest, writeSignedIndex } from "./signed-index.ts";

// The size, time and inode of each object of the last version in a bucket's folder are kept, so that
// the next publish links those that are the same without reading them (PUB-38). A link changes the
// time of a file's metadata, so that is not among these facts.

/** Objects that are looked at in parallel. */
const LOOKS = 16;

/** Facts of an object that change whenever it is written or replaced. */
export type ObjectFactsText = string;

/** The objects of the last version that this user published from this machine. */
export interface ObjectMemory {
  /** Looks at an object; `null` if it may have been written at this moment, or has no inode. */
  look(key: string): Promise<ObjectFactsText | null>;
  /** Returns whether an object with these facts was hashed as this content. */
  isKnown(hash: string, facts: ObjectFactsText | null): boolean;
  /** Notes a copied object of the new version. @param facts Its facts before it was hashed. */
  note(hash: string, facts: ObjectFactsText | null): void;
  /** Notes an object that this publish has just written. The note is kept if these facts last. */
  noteWritten(hash: string, key: string): Promise<void>;
  /** Keeps the notes of this publish instead of the last one's. */
  keep(): Promise<void>;
}

/** Opens the memory of a bucket's objects; `undefined` if nothing is kept, or the bucket is not a folder. */
export async function findObjectMemory(
  { files, clock, bucket, scannedFolder }: PublishDependencies,
  { name, key }: PublishRequest,
): Promise<ObjectMemory | undefined> {
  const { local, identity } = bucket;
  if (local === undefined || scannedFolder === undefined) return undefined;
  const path = `${scannedFolder}/${await idOf("objects", identity, name, key.publicKey)}.json`;
  const last = await readSignedIndex(files, path, key.publicKey).catch(() => undefined);
  const noted: Record<string, ObjectFactsText> = {};
  const written = new Map<string, { readonly key: string; readonly facts: ObjectFactsText }>();
  const statOf = (key: string) => files.stat(local.pathOf(key));
  const look = async (key: string) => {
    const stat = await statOf(key);
    return stat !== null && stat.mtimeMs < clock.now() - COARSEST_MS ? factsOf(stat) : null;
  };

  return {
    look,

    isKnown(hash, facts) {
      return facts !== null && isRecord(last) && own(last, hash) === facts;
    },

    note(hash, facts) {
      if (facts !== null) noted[hash] = facts;
    },

    async noteWritten(hash, key) {
      const stat = await statOf(key);
      const facts = stat && factsOf(stat);
      if (facts !== null) written.set(hash, { key, facts });
    },

    async keep() {
      await forEachParallel([...written], LOOKS, async ([hash, { key, facts }]) => {
        if (await look(key) === facts) noted[hash] = facts; // else it was written over since
      });
      await files.makeDirectory(scannedFolder);
      await writeSignedIndex(files, path, { index: noted, key });
      await removeOldest(files, scannedFolder, KEPT_BYTES);
    },
  };
}

function factsOf({ kind, size, mtimeMs, inode }: FileStat): ObjectFactsText | null {
  return kind !== "file" || inode === undefined ? null : [size, mtimeMs, inode].join(" ");
}
