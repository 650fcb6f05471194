import { isRecord } from "../core/json.ts";
import type { KeyPair } from "../ota-format/mod.ts";
import type { Contents } from "./store/unchanged.ts";
import type { PublishDependencies, PublishRequest } from "./publish-request.ts";
import { idOf, readSignedIndex, removeOldest, writeSignedIndex } from "./signed-index.ts";

// What deflating took is kept: of each bundle the last zip, and a signed index of it. So an entry is
// taken over without being inflated, when its bytes have the hash that the index tells.

/** What all kept zips may take on this machine's disk, in bytes; the oldest go first. */
const KEPT_BYTES = 2 * 1024 ** 3;
/** Of an entry that is larger only pieces are in memory. */
const PIECE_BYTES = 1024 * 1024;
/** Of small entries so much is read at once. */
const AHEAD_BYTES = 256 * 1024;

/** Where the packed bytes of a content lie in a zip. */
export interface PackedEntry {
  readonly at: number;
  /** As many as the content has where it is stored as it is. */
  readonly bytes: number;
  /** SHA-256 of them. */
  readonly sha256: string;
}

/** Packed bytes that were found, and are no longer there: another publish has replaced the kept zip. */
export class ReplacedZipError extends Error {
  override readonly name: string = "ReplacedZipError";
}

/** Packed bytes that were found again. */
export interface FoundEntry extends PackedEntry {
  /** @throws {ReplacedZipError} When they change until they are read. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The last zip of a bundle, from which the next one takes over what has not changed (PUB-26). */
export interface LastZip {
  /** The packed bytes of a content; `null` when they are not there, or no longer what they were. */
  find(hash: string): Promise<FoundEntry | null>;
  /**
   * Remembers another zip in place of it.
   *
   * @param kept Where it stays; absent: it is moved away from where it is.
   * @param entries By the hash of what comes out.
   */
  keep(
    zip: { readonly path: string; readonly kept?: string },
    entries: ReadonlyMap<string, PackedEntry>,
  ): Promise<void>;
}

/** The last zip of what a request publishes, where a publish keeps one. */
export async function findLastZip(
  dependencies: PublishDependencies,
  { name, key }: PublishRequest,
): Promise<LastZip | undefined> {
  const { packedFolder, bucket } = dependencies;
  return packedFolder === undefined
    ? undefined
    : await openLastZip(dependencies, packedFolder, { bucket: bucket.identity, name, key });
}

/** The last zip of a bundle that this user published to a bucket from this machine. */
async function openLastZip(
  contents: Contents,
  folder: string,
  of: { readonly bucket: string; readonly name: string; readonly key: KeyPair },
): Promise<LastZip> {
  const { files } = contents;
  const id = await idOf(of.bucket, of.name, of.key.publicKey);
  const indexPath = `${folder}/${id}.json`;
  const last = await readIndex(contents, indexPath, of.key.publicKey).catch(() => null);
  const pieces = last && readAhead(contents, last.zip);

  return {
    async find(hash) {
      const entry = last?.entries.get(hash);
      if (pieces === null || entry === undefined) return null;
      return await findEntry(contents, pieces, entry).catch(() => null);
    },

    async keep({ path, kept }, entries) {
      const zip = kept ?? `${folder}/${id}.zip`;
      await files.makeDirectory(folder);
      if (kept === undefined) {
        // Another disk takes a copy.
        await files.rename(path, zip).catch(() => files.copy(path, zip));
      }
      const packed = [...entries].map(([hash, { at, bytes, sha256 }]) => [hash, at, bytes, sha256]);
      await writeSignedIndex(files, indexPath, { index: { zip, packed }, key: of.key });
      await removeOldest(files, folder, KEPT_BYTES);
    },
  };
}

interface Index {
  readonly zip: string;
  readonly entries: ReadonlyMap<string, PackedEntry>;
}

async function readIndex(
  { files }: Contents,
  path: string,
  publicKey: string,
): Promise<Index | null> {
  const index = await readSignedIndex(files, path, publicKey);
  if (!isRecord(index) || typeof index["zip"] !== "string") return null;
  const entries = new Map<string, PackedEntry>();
  for (const entry of Array.isArray(index["packed"]) ? index["packed"] : []) {
    const [hash, at, size, sha256] = Array.isArray(entry) ? entry : [];
    if (typeof hash !== "string" || typeof sha256 !== "string") continue;
    if (typeof at === "number" && typeof size === "number" && size > 0) {
      entries.set(hash, { at, bytes: size, sha256 });
    }
  }
  return { zip: index["zip"], entries };
}

/** Pieces of a file. */
interface Pieces {
  /**
   * Reads at most {@linkcode PIECE_BYTES}. They may be overwritten when they are given back.
   *
   * @throws {Error} When the file is shorter.
   */
  read(at: number, length: number): Promise<Piece>;
}

interface Piece {
  readonly bytes: Uint8Array;
  readonly giveBack: () => void;
}

/** What is read at once, and then asked for in pieces. */
interface Window {
  readonly start: number;
  readonly buffer: Uint8Array<ArrayBuffer>;
  readonly filled: Promise<Uint8Array | null>;
  /** Pieces that are not given back. */
  inUse: number;
}

/** Pieces are asked for in the order in which they lie: what comes next is read with each. */
function readAhead({ files, signal }: Contents, path: string): Pieces {
  const free: Uint8Array<ArrayBuffer>[] = [];
  let window: Window | null = null;
  const isFree = (one: Window) => one.inUse === 0 && one.buffer.length === AHEAD_BYTES;

  function windowOf(at: number, length: number): Window {
    const last = window;
    if (last !== null && at >= last.start && at + length <= last.start + last.buffer.length) {
      return last;
    }
    if (last !== null && isFree(last)) free.push(last.buffer);
    const buffer = length > AHEAD_BYTES
      ? new Uint8Array(length)
      : free.pop() ?? new Uint8Array(AHEAD_BYTES);
    const filled = files.readRange(path, at, buffer.length, buffer);
    return window = { start: at, buffer, filled, inUse: 0 };
  }

  return {
    async read(at, length) {
      signal?.throwIfAborted();
      const one = windowOf(at, length);
      one.inUse++;
      const from = at - one.start;
      const bytes = (await one.filled)?.subarray(from, from + length);
      if (bytes?.length !== length) throw new Error(`${path} became shorter`);
      return {
        bytes,
        giveBack() {
          one.inUse--;
          if (one !== window && isFree(one)) free.push(one.buffer);
        },
      };
    },
  };
}

async function findEntry(
  contents: Contents,
  pieces: Pieces,
  entry: PackedEntry,
): Promise<FoundEntry | null> {
  const read = () => checkedPieces(contents, pieces, entry);
  if (entry.bytes > PIECE_BYTES) {
    for await (const _ of read()); // its header comes first, and must tell what is there
    const open = async function* () {
      try {
        yield* read();
      } catch (cause) {
        contents.signal?.throwIfAborted();
        throw new ReplacedZipError("The kept zip was replaced", { cause });
      }
    };
    return { ...entry, open };
  }
  const piece = await pieces.read(entry.at, entry.bytes);
  requireHash(hashOf(contents, piece.bytes), entry.sha256);
  return {
    ...entry,
    open: async function* () {
      yield piece.bytes;
      piece.giveBack();
    },
  };
}

async function* checkedPieces(
  { hashing }: Contents,
  pieces: Pieces,
  { at, bytes, sha256 }: PackedEntry,
): AsyncGenerator<Uint8Array> {
  const hash = hashing.createSha256();
  for (let done = 0; done < bytes;) {
    const piece = await pieces.read(at + done, Math.min(AHEAD_BYTES, bytes - done));
    hash.update(piece.bytes);
    yield piece.bytes;
    done += piece.bytes.length;
    piece.giveBack();
  }
  requireHash(hash.hex(), sha256);
}

function hashOf({ hashing }: Contents, bytes: Uint8Array): string {
  const hash = hashing.createSha256();
  hash.update(bytes);
  return hash.hex();
}

function requireHash(found: string, expected: string): void {
  if (found !== expected) throw new Error("The zip was changed");
}
