import { concatBytes } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import { isSha256Hex } from "../core/sha256.ts";
import type { ContentRef } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import { partialFolder } from "./folders.ts";
import { randomId } from "./random.ts";
import { type NamedContent, requireEqual, StageError, tooMany } from "./transfer.ts";

// Content on its way, at `.partial/<sha256>.<id>`: it outlives the process, and serves any version that
// needs it (DEV-21). A name is claimed by renaming it, so two processes never append to one file.

/** The dependencies of `.partial`, the folder of unfinished contents. */
export interface PartialDependencies {
  readonly files: Files;
  readonly hashing: Hashing;
  readonly root: string;
}

/** Contents of `.partial` when a staging started. */
export interface Partials {
  /**
   * Returns the bytes of a content that are present but not hashed: they reduce the room it needs.
   */
  bytesOf(content: ContentRef): number;
  /** Returns the path of a content's present bytes; `null` without any. */
  pathOf(content: ContentRef): string | null;
  /** Claims the present bytes of a content and hashes them again (DEV-20), or begins it. */
  open(content: NamedContent): Promise<PartialContent>;
}

/** A content on its way. */
export interface PartialContent {
  /** Its file. It is not content before `finish`. */
  readonly path: string;
  /** Bytes that were present: the download begins after them. */
  readonly from: number;
  /**
   * Adds bytes, to the hash immediately and to the disk soon.
   *
   * @throws {StageError} `size-mismatch` on more bytes than expected; the file is removed.
   */
  append(chunk: Uint8Array): Promise<void>;
  /** Writes the bytes in memory, for an interrupted download. */
  flush(): Promise<void>;
  /**
   * Syncs the file, after checking its size and hash.
   *
   * @returns `false` if the earlier bytes were wrong, or another process changed the file: it is
   * removed, and the content may be started again.
   * @throws {StageError} `size-mismatch`, `hash-mismatch`: the server's bytes; the file is removed.
   */
  finish(): Promise<boolean>;
}

/** Bytes that are collected before a write: a killed process loses at most this many. */
const WRITE_BYTES = 256 * 1024;

/** Reads the list of `.partial`, which must exist before anything is opened. */
export async function openPartials(dependencies: PartialDependencies): Promise<Partials> {
  const { files } = dependencies;
  const lying = new Map<string, PartialFile>();
  for (const found of await listPartials(dependencies)) {
    if (found.size > (lying.get(found.hash)?.size ?? -1)) lying.set(found.hash, found);
  }
  const usable = ({ hash, size }: ContentRef) => {
    const found = lying.get(hash);
    return found !== undefined && found.size <= size ? found : null;
  };
  return {
    bytesOf: (content) => usable(content)?.size ?? 0,
    pathOf: (content) => usable(content)?.path ?? null,
    async open(content) {
      const path = `${partialFolder(dependencies.root)}/${content.hash}.${randomId()}`;
      const claimed = lying.get(content.hash);
      lying.delete(content.hash);
      const isClaimed = claimed !== undefined && await claim(files, claimed, { path, content });
      return await openContent(dependencies, { content, path, isClaimed });
    },
  };
}

/** Takes a file over by its name. @returns Whether bytes are there, and no more than the content has. */
async function claim(
  files: Files,
  { path: from }: PartialFile,
  { path, content }: { readonly path: string; readonly content: ContentRef },
): Promise<boolean> {
  try {
    await files.rename(from, path);
  } catch (thrown) {
    if (isUnclaimable(thrown)) return false;
    throw thrown;
  }
  const size = (await unlessUnreadable(() => files.stat(path)))?.size ?? 0;
  if (size > 0 && size <= content.size) return true;
  await files.remove(path);
  return false;
}

/**
 * Returns whether a file of `.partial` cannot be taken over: another process has it, or the disk does
 * not move it (DEV-72).
 */
export function isUnclaimable(thrown: unknown): boolean {
  return isUnreadable(thrown) || thrown instanceof FileError && thrown.code === "missing";
}

/**
 * Returns whether the disk failed at what it holds: it would at each staging, so those bytes are
 * fetched again (DEV-72).
 */
export function isUnreadable(thrown: unknown): boolean {
  return thrown instanceof FileError && thrown.code === "disk";
}

/**
 * Runs an operation on what is on the disk, and once more if the disk fails: that may pass.
 *
 * @returns `null` if the disk fails again: then what is there counts as missing (DEV-72).
 */
export async function unlessUnreadable<T>(operation: () => Promise<T>): Promise<T | null> {
  for (const _ of [1, 2]) {
    try {
      return await operation();
    } catch (thrown) {
      if (!isUnreadable(thrown)) throw thrown;
    }
  }
  return null;
}

async function openContent(
  { files, hashing }: Omit<PartialDependencies, "root">,
  { content, path, isClaimed }: {
    readonly content: NamedContent;
    readonly path: string;
    readonly isClaimed: boolean;
  },
): Promise<PartialContent> {
  const { size } = content;
  const hash = hashing.createSha256();
  let done = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;

  const take = () => {
    const bytes = concatBytes(held);
    [held, heldBytes] = [[], 0];
    return bytes;
  };
  const flush = async () => {
    if (heldBytes > 0) await files.append(path, take());
  };
  const remove = async () => {
    take();
    await files.remove(path);
  };

  if (isClaimed) {
    try {
      const body = await files.openRead(path);
      await body?.pipeTo(
        new WritableStream({
          write(chunk) {
            hash.update(chunk);
            done += chunk.length;
          },
        }),
      );
    } catch (thrown) {
      if (!isUnreadable(thrown)) throw thrown;
      await files.remove(path);
      return await openContent({ files, hashing }, { content, path, isClaimed: false });
    }
  }
  const from = done;

  return {
    path,
    from,
    async append(chunk) {
      done += chunk.length;
      if (done > size) {
        await remove();
        throw tooMany(content);
      }
      hash.update(chunk);
      held.push(chunk);
      heldBytes += chunk.length;
      if (heldBytes >= WRITE_BYTES) await flush();
    },
    flush,
    async finish() {
      try {
        requireEqual(content, done, hash);
      } catch (thrown) {
        await remove();
        if (from > 0 && thrown instanceof StageError && thrown.code === "hash-mismatch") {
          return false;
        }
        throw thrown;
      }
      if (heldBytes === size) { // small: not written yet
        await files.write(path, take(), { sync: true, createNew: true });
        return true;
      }
      await flush();
      const isOwn = (await files.stat(path))?.size === size;
      if (isOwn) await files.sync(path);
      else await remove();
      return isOwn;
    },
  };
}

/** Removes contents that were not written to `since`. */
export async function removeOldPartials(
  dependencies: SweepDependencies,
  since: number,
): Promise<void> {
  await removePartials(dependencies, ({ mtimeMs }) => mtimeMs < since);
}

/** Removes contents to make room, except the files that a staging continues. */
export async function removeOtherPartials(
  dependencies: SweepDependencies,
  kept: ReadonlySet<string>,
): Promise<void> {
  await removePartials(dependencies, ({ path }) => !kept.has(path));
}

/** Removes other beginnings of contents that are staged now. */
export async function removeStagedPartials(
  dependencies: SweepDependencies,
  staged: ReadonlySet<string>,
): Promise<void> {
  await removePartials(dependencies, ({ hash }) => staged.has(hash));
}

type SweepDependencies = Pick<PartialDependencies, "files" | "root">;

async function removePartials(
  dependencies: SweepDependencies,
  isDue: (lying: PartialFile) => boolean,
): Promise<void> {
  for (const lying of await listPartials(dependencies)) {
    if (isDue(lying)) await unlessUnreadable(() => dependencies.files.remove(lying.path));
  }
}

/** A file in `.partial`. */
interface PartialFile {
  readonly path: string;
  readonly hash: string;
  readonly size: number;
  readonly mtimeMs: number;
}

async function listPartials({ files, root }: SweepDependencies): Promise<PartialFile[]> {
  const folder = partialFolder(root);
  const found: PartialFile[] = [];
  for (const { name } of await files.list(folder) ?? []) {
    const [hash = ""] = name.split(".");
    const path = `${folder}/${name}`;
    const stat = isSha256Hex(hash) ? await unlessUnreadable(() => files.stat(path)) : null;
    if (stat?.kind === "file") found.push({ path, hash, size: stat.size, mtimeMs: stat.mtimeMs });
  }
  return found;
}
