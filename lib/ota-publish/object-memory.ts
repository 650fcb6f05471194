import { isRecord, own } from "../core/json.ts";
import { forEachParallel } from "../core/parallel.ts";
import type { FileStat } from "../ports/files.ts";
import type { PublishDependencies, PublishRequest } from "./publish-request.ts";
import { COARSEST_MS, KEPT_BYTES } from "./scan-memory.ts";
import { idOf, readSignedIndex, removeOldest, writeSignedIndex } from "./signed-index.ts";

// The objects of the last version in a bucket's folder are kept with size, time and inode, so that
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
  /**
   * Notes an object of the new version.
   *
   * @param at Its facts before it was hashed, or the key of an object that this publish wrote.
   */
  note(
    hash: string,
    at: { readonly facts: ObjectFactsText | null } | { readonly key: string },
  ): void;
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
  const written = new Map<string, string>();

  async function look(key: string): Promise<ObjectFactsText | null> {
    const stat = await files.stat(local?.pathOf(key) ?? "");
    return stat !== null && stat.mtimeMs < clock.now() - COARSEST_MS ? factsOf(stat) : null;
  }

  return {
    look,

    isKnown(hash, facts) {
      return facts !== null && isRecord(last) && own(last, hash) === facts;
    },

    note(hash, at) {
      if ("key" in at) written.set(hash, at.key);
      else if (at.facts !== null) noted[hash] = at.facts;
    },

    async keep() {
      await forEachParallel([...written], LOOKS, async ([hash, key]) => {
        const facts = await look(key);
        if (facts !== null) noted[hash] = facts;
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
