import { END_SEARCH_BYTES, type ForwardEntry } from "../archive/mod.ts";
import { concatBytes } from "../core/bytes.ts";
import { messageOf } from "../core/result.ts";
import type { ContentRef } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import { partialFolder } from "./folders.ts";
import { isUnclaimable, isUnreadable, unlessUnreadable } from "./partial.ts";
import { randomId } from "./random.ts";
import { StageError } from "./transfer.ts";

// Files by which the next process resumes an archive that is unpacked while it arrives (DEV-31):
// `.partial/<sha256 of the archive>.<id>` holds its first bytes; `….<id>.<from>.<headers>` holds
// the local headers of all entries that end by `from`, `headers` bytes, and then its bytes from
// `from` on.

/** Bounds of a tail. */
export interface TailBounds {
  /** A tail with more packed bytes is replaced at the end of an entry. */
  readonly tailBytes: number;
  /** Bytes that are held back before the disk is written: this much a kill may cost. */
  readonly writeBytes: number;
}

/** The bounds of every device. */
export const TAIL_BOUNDS: TailBounds = { tailBytes: 4 * 1024 * 1024, writeBytes: 256 * 1024 };

/** Maximum first bytes of an unreadable archive that are fetched again rather than trusted. */
const DOUBTFUL_BYTES = 1024 * 1024;

/** A file that holds a tail. */
interface PartialFile {
  readonly path: string;
  /** Of the archive. */
  readonly hash: string;
  /** The start of its packed bytes in the archive. */
  readonly from: number;
  /** Bytes of headers before them. */
  readonly headers: number;
  /** Bytes in all. */
  readonly size: number;
}

/** Dependencies of the tail. */
interface TailDependencies {
  readonly files: Files;
  readonly root: string;
}

/** Finds the tail that the next process continues, and its bytes; `null` if there is none. */
export async function findTail(
  dependencies: TailDependencies,
  zip: ContentRef,
): Promise<{ readonly path: string; readonly size: number } | null> {
  const lying = await listTails(dependencies, { of: zip.hash });
  return lying.find((tail) => isTail(tail) && end(tail) <= zip.size) ?? null;
}

/** Takes over the longest-reaching tail and removes the others, or begins one. */
export async function openTail(
  dependencies: TailDependencies,
  zip: ContentRef,
  bounds: TailBounds = TAIL_BOUNDS,
): Promise<ZipTail> {
  const { files, root } = dependencies;
  const begin = `${partialFolder(root)}/${zip.hash}.${randomId()}`;
  let taken: PartialFile = { path: begin, hash: zip.hash, from: 0, headers: 0, size: 0 };
  for (const tail of await listTails(dependencies, { of: zip.hash })) {
    const isBest = taken.size === 0 && isTail(tail) && end(tail) <= zip.size;
    const path = tail.from === 0 ? begin : `${begin}.${tail.from}.${tail.headers}`;
    if (!isBest) await unlessUnreadable(() => files.remove(tail.path));
    else if (await claim(files, tail.path, path)) taken = { ...tail, path };
  }
  return new ZipTail(dependencies, { zip, taken, bounds });
}

/**
 * Returns whether a file can be what its name says: a power cut may have left it without its headers.
 */
function isTail({ from, headers, size }: PartialFile): boolean {
  return headers <= from && headers <= size;
}

/** Returns the place in the archive after a tail. */
function end({ from, headers, size }: PartialFile): number {
  return from + size - headers;
}

async function claim(files: Files, from: string, to: string): Promise<boolean> {
  try {
    await files.rename(from, to);
    return true;
  } catch (thrown) {
    if (isUnclaimable(thrown)) return false;
    throw thrown;
  }
}

/** Files of `.partial` that are looked at before the ways are compared (DEV-71). */
const MOST_LOOKS = 4_096;

/**
 * Returns the bytes in `.partial` of each content, and of each archive from its beginning, by hash
 * (DIFF-5): of the tails, and of the first files by name (DEV-71).
 */
export async function partialBytes(
  dependencies: TailDependencies,
): Promise<Readonly<Record<string, number>>> {
  const bytes: Record<string, number> = {};
  for (const tail of await listTails(dependencies, { most: MOST_LOOKS })) {
    if (isTail(tail)) bytes[tail.hash] ??= end(tail);
  }
  return bytes;
}

/**
 * Lists every tail of an archive, or of all, the farthest-reaching first.
 *
 * @param most Most files that are looked at, tails with headers first.
 */
async function listTails(
  { files, root }: TailDependencies,
  { of, most = Infinity }: { readonly of?: string; readonly most?: number },
): Promise<PartialFile[]> {
  const folder = partialFolder(root);
  const named: Omit<PartialFile, "size">[] = [];
  for (const { name } of await files.list(folder) ?? []) {
    const tail = /^([0-9a-f]{64})\.[0-9a-f]{24}(?:\.([0-9]{1,15})\.([0-9]{1,15}))?$/.exec(name);
    const [, hash = "", from = "0", headers = "0"] = tail ?? [];
    if (tail === null || hash !== (of ?? hash)) continue;
    named.push({ path: `${folder}/${name}`, hash, from: Number(from), headers: Number(headers) });
  }
  // One tail stands for many contents.
  const ordered = [
    ...named.filter(({ from }) => from > 0),
    ...named.filter(({ from }) => from === 0),
  ];
  const found: PartialFile[] = [];
  for (const tail of ordered.slice(0, most)) {
    const stat = await unlessUnreadable(() => files.stat(tail.path));
    if (stat?.kind === "file") found.push({ ...tail, size: stat.size });
  }
  return found.sort((a, b) => end(b) - end(a));
}

/** An entry that was read: its path, its local header, and the start of the next one. */
type TailEntry = Pick<ForwardEntry, "name" | "header" | "end">;

/** The packed bytes of the entry that is being read, and of some before it. */
export class ZipTail {
  /** The start of the packed bytes: of earlier entries, the tail has only the headers. */
  readonly from: number;
  /** The place in the archive after the kept bytes. */
  readonly end: number;
  readonly #dependencies: TailDependencies;
  readonly #zip: ContentRef;
  readonly #bounds: TailBounds;
  /** Entries so far, in their order. */
  readonly #entries: TailEntry[] = [];
  #lying: PartialFile;
  /** The place in the archive of the next added byte, once it is past the headers. */
  #at: number;
  /** Bytes of the file that were not read again yet. */
  #unread: number;
  /** Bytes that are still to be written, from its beginning; used again for the next ones. */
  #memory = new Uint8Array();
  #heldBytes = 0;

  constructor(
    dependencies: TailDependencies,
    { zip, taken, bounds }: { zip: ContentRef; taken: PartialFile; bounds: TailBounds },
  ) {
    this.#dependencies = dependencies;
    this.#zip = zip;
    this.#bounds = bounds;
    this.#lying = taken;
    this.#unread = taken.size;
    this.from = taken.from;
    this.#at = taken.from - taken.headers;
    this.end = end(taken);
  }

  /** Reads the kept bytes. Unreadable ones count as wrong. */
  async *read(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const { path, size } = this.#lying;
    if (size === 0) return;
    try {
      yield* await this.#dependencies.files.openRead(path) ?? [];
    } catch (thrown) {
      if (!isUnreadable(thrown)) throw thrown;
      throw new StageError("hash-mismatch", messageOf(thrown), thrown);
    }
  }

  /** Adds bytes of the archive as they are used; skips those that are kept already. */
  async add(bytes: Uint8Array): Promise<void> {
    const known = Math.min(this.#unread, bytes.length);
    this.#unread -= known;
    this.#at += bytes.length;
    if (known === bytes.length) return;
    const { writeBytes } = this.#bounds;
    const heldBytes = this.#heldBytes + bytes.length - known;
    if (heldBytes > this.#memory.length) {
      const held = this.#memory.subarray(0, this.#heldBytes);
      this.#memory = new Uint8Array(heldBytes + writeBytes);
      this.#memory.set(held);
    }
    this.#memory.set(bytes.subarray(known), this.#heldBytes);
    this.#heldBytes = heldBytes;
    if (heldBytes >= writeBytes) await this.flush();
  }

  /** Writes the bytes in memory, for an interrupted archive. */
  async flush(): Promise<void> {
    if (this.#heldBytes === 0) return;
    const bytes = this.#memory.subarray(0, this.#heldBytes);
    this.#heldBytes = 0;
    await this.#dependencies.files.append(this.#lying.path, bytes);
    this.#lying = { ...this.#lying, size: this.#lying.size + bytes.length };
  }

  /**
   * Reports a used entry. A long tail is replaced by one that begins after the entry, unless its
   * kept bytes are still to be read; the last bytes of an archive stay in one tail, since its end
   * record is searched in them.
   *
   * @param settle Waits until the files of all entries before are on the disk.
   */
  async endEntry(entry: TailEntry, settle: () => Promise<void>): Promise<void> {
    const { name, header, end } = entry;
    this.#entries.push({ name, header, end }); // not what else an entry holds
    const { headers: before, size } = this.#lying;
    const isShort = size + this.#heldBytes - before < this.#bounds.tailBytes;
    if (isShort || this.#unread > 0 || this.#at < end || end > this.#lastStart) return;
    await settle();
    await this.#beginAfter(this.#entries, end);
  }

  /**
   * Replaces the kept bytes of a failed reading by a tail that begins after the verified entries: what
   * is wrong comes after them (DEV-73).
   *
   * @param isVerified Whether the file of an entry is on the disk, with the right hash.
   * @returns Whether more than half of the read bytes come before that tail; otherwise nothing changes.
   */
  async rewind(isVerified: (name: string) => boolean): Promise<boolean> {
    const wrong = this.#entries.findIndex(({ name, end }) =>
      end > this.#lastStart || !isVerified(name)
    );
    const verified = wrong < 0 ? this.#entries : this.#entries.slice(0, wrong);
    const from = verified.at(-1)?.end ?? 0;
    if (2 * from <= this.#at) return false;
    await this.#beginAfter(verified, from);
    return true;
  }

  /** The last place where a tail may start: the end record is searched for after it. */
  get #lastStart(): number {
    return this.#zip.size - END_SEARCH_BYTES;
  }

  /** Replaces the file by one with the headers of entries, which end by `from`. */
  async #beginAfter(entries: readonly TailEntry[], from: number): Promise<void> {
    const { path } = this.#lying;
    const { files, root } = this.#dependencies;
    const bytes = concatBytes(entries.map(({ header }) => header));
    const headers = bytes.length;
    const next = `${partialFolder(root)}/${this.#zip.hash}.${randomId()}.${from}.${headers}`;
    await files.write(next, bytes, { createNew: true });
    this.#heldBytes = 0;
    this.#lying = { ...this.#lying, path: next, from, headers, size: headers };
    await files.remove(path);
  }

  /**
   * Ends a failed reading. Only the first bytes of an archive are of use to another reading. A few that
   * have just arrived are not worth the risk: if they are the beginning of something else, the rest of
   * the archive is fetched in vain (DEV-36).
   */
  async refuse(): Promise<void> {
    const { from, size } = this.#lying;
    const isDoubtful = this.end === 0 && size + this.#heldBytes <= DOUBTFUL_BYTES;
    if (from > 0 || isDoubtful) return await this.remove();
    await this.flush();
  }

  async remove(): Promise<void> {
    this.#heldBytes = 0;
    await this.#dependencies.files.remove(this.#lying.path);
  }
}
