import { concatBytes } from "../core/bytes.ts";
import { ArchiveError } from "./entry.ts";
import { END_SEARCH_BYTES } from "./zip-end.ts";

/** An archive that is read while it arrives. */
export interface ForwardSource {
  /**
   * Its bytes in order; of the entries that end by `from` their local headers alone. No chunk is
   * overwritten later.
   */
  readonly bytes: AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** Bytes of the complete archive. */
  readonly size: number;
  /**
   * The start of an entry from which on every byte of the archive arrives; 0 for the complete
   * archive.
   */
  readonly from: number;
  /** Cancels the reading. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each byte of `bytes` after it was read, and its place in the archive. */
  readonly onRead?: (bytes: Uint8Array, at: number) => Promise<void>;
}

/** The most bytes of an archive that are kept in memory until its directory was read. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Size of the pieces that hold the bytes after the last entry, however they arrived. */
const REST_BYTES = 64 * 1024;

/** A piece of an archive. */
interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/**
 * The parts of an archive that are read again with its directory: every local header, everything
 * after the last entry, and the range before it that may contain an end record.
 */
export class Kept {
  readonly #pieces: Piece[] = [];
  readonly #recent: Piece[] = [];
  #size = 0;
  #ordered: readonly Piece[] | null = null;

  /** Keeps a piece until the end. @returns A copy: a piece of a chunk would keep all of it. */
  keep(at: number, bytes: Uint8Array): Uint8Array {
    this.#size += bytes.length;
    if (this.#size > KEPT_BYTES) {
      throw new ArchiveError(null, `its headers have more than ${KEPT_BYTES} bytes`);
    }
    const copy = bytes.slice();
    this.#pieces.push({ at, bytes: copy });
    return copy;
  }

  /** Keeps a piece while an end record might reach back into it. */
  keepRecent(at: number, bytes: Uint8Array): void {
    this.#recent.push({ at, bytes });
    const before = at + bytes.length - END_SEARCH_BYTES;
    while (endOf(this.#recent[0]) < before) this.#recent.shift();
  }

  /** `Files.readRange` over the kept pieces; shorter if the next piece was not kept. */
  readRange(_path: string, at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const pieces = this.#ordered ??= [...this.#pieces, ...this.#recent]
      .sort((a, b) => a.at - b.at);
    let low = 0;
    for (let high = pieces.length; low < high;) {
      const middle = (low + high) >>> 1;
      if (endOf(pieces[middle]) <= at) low = middle + 1;
      else high = middle;
    }
    const parts: Uint8Array[] = [];
    let next = at;
    for (let piece = pieces[low]; piece !== undefined; piece = pieces[++low]) {
      if (piece.at > next || next - at >= length) break;
      const part = piece.bytes.subarray(next - piece.at, at + length - piece.at);
      parts.push(part);
      next += part.length;
    }
    return Promise.resolve(concatBytes(parts));
  }
}

function endOf(piece: Piece | undefined): number {
  return piece === undefined ? Infinity : piece.at + piece.bytes.length;
}

/** Reads a stream of chunks in pieces of any size, once, from the first byte to the last. */
export class ForwardBytes {
  readonly #source: ForwardSource;
  readonly #kept: Kept;
  readonly #chunks: AsyncIterator<Uint8Array<ArrayBuffer>>;
  #chunk = new Uint8Array();
  /** The rest of a chunk whose beginning was joined to `#chunk`. */
  #later: Uint8Array<ArrayBuffer> | null = null;
  #at = 0;

  constructor(source: ForwardSource, kept: Kept) {
    this.#source = source;
    this.#kept = kept;
    this.#chunks = source.bytes[Symbol.asyncIterator]();
  }

  /** The place of the next byte in the archive. */
  get at(): number {
    return this.#at;
  }

  /** Returns the next bytes without consuming them. Shorter only at the end. */
  async peek(length: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#chunk.length === 0) this.#chunk = await this.#next() ?? this.#chunk;
    const parts: Uint8Array[] = [this.#chunk]; // joined once: a server may send byte by byte
    for (let left = length - this.#chunk.length; left > 0;) {
      const value = await this.#next();
      if (value === null) break;
      parts.push(value.subarray(0, left)); // copies no more of a large chunk than requested
      if (value.length > left) this.#later = value.subarray(left);
      left -= value.length;
    }
    if (parts.length > 1) this.#chunk = concatBytes(parts);
    return this.#chunk.subarray(0, length);
  }

  async #next(): Promise<Uint8Array<ArrayBuffer> | null> {
    this.#source.signal?.throwIfAborted();
    const later = this.#later;
    this.#later = null;
    if (later !== null) return later;
    const { done, value } = await this.#chunks.next();
    return done === true ? null : value;
  }

  /** Reads packed bytes. `at` must be the place of the next byte. Shorter only at the end. */
  async read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    if (at !== this.#at) throw new RangeError(`Cannot read at ${at}: the next byte is ${this.#at}`);
    const bytes = await this.#take(length);
    this.#kept.keepRecent(at, bytes);
    if (bytes.length < length) throw new ArchiveError(null, `it ends at ${this.#at}`);
    return bytes;
  }

  /** Reads and keeps a local header. Shorter only at the end. */
  async readHeader(length: number): Promise<Uint8Array> {
    const at = this.#at;
    return this.#kept.keep(at, await this.#take(length));
  }

  /** Moves to `at`: the bytes before it are not in the source. */
  pass(at: number): void {
    this.#at = at;
  }

  /** Reads to the archive's end, and keeps the bytes. */
  async readRest(): Promise<void> {
    const { size } = this.#source;
    for (;;) {
      const at = this.#at;
      const bytes = await this.#take(REST_BYTES);
      if (bytes.length === 0) break;
      this.#kept.keep(at, bytes);
    }
    if (this.#at === size) return;
    throw new ArchiveError(null, `it ends at ${this.#at}, expected ${size} bytes`);
  }

  /** Closes the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #take(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.peek(length);
    this.#chunk = this.#chunk.subarray(bytes.length);
    const at = this.#at;
    this.#at += bytes.length;
    await this.#source.onRead?.(bytes, at);
    return bytes;
  }
}
