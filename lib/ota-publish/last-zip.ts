import { isRecord } from "../core/json.ts";
import type { KeyPair } from "../ota-format/mod.ts";
import type { Contents } from "./store/unchanged.ts";
import type { PublishDependencies, PublishRequest } from "./publish-request.ts";
import { idOf, readSignedIndex, removeOldest, writeSignedIndex } from "./signed-index.ts";

// Deflating is expensive, so the last zip of each bundle is kept with a signed index. An entry
// whose bytes have the hash of the index is copied without inflating it.

/** Disk space for all kept zips of this machine, in bytes; the oldest are removed first. */
const KEPT_BYTES = 2 * 1024 ** 3;
/** Entries above this size are read in pieces, in bytes. */
const PIECE_BYTES = 1024 * 1024;
/** Bytes that are read ahead for small entries. */
const AHEAD_BYTES = 256 * 1024;

/** Position of a content's packed bytes in a zip. */
export interface PackedEntry {
  readonly at: number;
  /** Packed size in bytes: the content's own size if it is stored uncompressed. */
  readonly bytes: number;
  /** SHA-256 of the packed bytes. */
  readonly sha256: string;
}

/** The found bytes no longer exist: another publish replaced the kept zip. */
export class ReplacedZipError extends Error {
  override readonly name: string = "ReplacedZipError";
}

/** An entry of the kept zip. */
export interface FoundEntry extends PackedEntry {
  /** @throws {ReplacedZipError} If the bytes have changed when they are read. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The last zip of a bundle; the next one copies unchanged entries from it (PUB-26). */
export interface LastZip {
  /** Finds the packed bytes of a content; `null` if they are missing or were changed. */
  find(hash: string): Promise<FoundEntry | null>;
  /**
   * Replaces the kept zip.
   *
   * @param kept Path where the zip stays; if absent, the zip is moved.
   * @param entries Entries by the hash of their content.
   */
  keep(
    zip: { readonly path: string; readonly kept?: string },
    entries: ReadonlyMap<string, PackedEntry>,
  ): Promise<void>;
}

/** Opens the last zip of the requested bundle, if zips are kept. */
export async function findLastZip(
  dependencies: PublishDependencies,
  { name, key }: PublishRequest,
): Promise<LastZip | undefined> {
  const { packedFolder, bucket } = dependencies;
  return packedFolder === undefined
    ? undefined
    : await openLastZip(dependencies, packedFolder, { bucket: bucket.identity, name, key });
}

/** Opens the last zip of a bundle that this user published to a bucket from this machine. */
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
        // A rename fails between two disks.
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
   * Reads at most {@linkcode PIECE_BYTES}. They may be overwritten after `giveBack`.
   *
   * @throws {Error} If the file is shorter.
   */
  read(at: number, length: number): Promise<Piece>;
}

interface Piece {
  readonly bytes: Uint8Array;
  readonly giveBack: () => void;
}

/** A part of the file that is read in one call and returned in pieces. */
interface Window {
  readonly start: number;
  readonly buffer: Uint8Array<ArrayBuffer>;
  readonly filled: Promise<Uint8Array | null>;
  /** Number of pieces that are still in use. */
  inUse: number;
}

/** Opens a file for reading in pieces. They are read in the order of the file, so each read reads ahead. */
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
  if (entry.bytes > PIECE_BYTES) {
    // Its header, with its length, is written before its bytes.
    for await (const _ of checkedPieces(contents, pieces, entry));
    return { ...entry, open: () => readAgain(contents, pieces, entry) };
  }
  const piece = await pieces.read(entry.at, entry.bytes);
  requireHash(hashOf(contents, piece.bytes), entry.sha256);
  return { ...entry, open: () => handOn(piece) };
}

async function* readAgain(
  contents: Contents,
  pieces: Pieces,
  entry: PackedEntry,
): AsyncGenerator<Uint8Array> {
  try {
    yield* checkedPieces(contents, pieces, entry);
  } catch (cause) {
    contents.signal?.throwIfAborted();
    throw new ReplacedZipError("The stored zip was replaced", { cause });
  }
}

async function* handOn({ bytes, giveBack }: Piece): AsyncGenerator<Uint8Array> {
  yield bytes;
  giveBack();
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
