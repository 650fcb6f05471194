import { concatBytes } from "../core/bytes.ts";
import { ArchiveError } from "./entry.ts";
import { END_SEARCH_BYTES } from "./zip-end.ts";

/** An archive as it comes in. */
export interface ForwardSource {
  /** Its bytes in order; of the entries that end by `from` their local headers alone. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Bytes of the whole archive. */
  readonly size: number;
  /** Where an entry begins from which on all bytes come; 0 for the whole archive. */
  readonly from: number;
  /** Ends the reading. */
  readonly signal?: AbortSignal | undefined;
  /** Given each byte of `bytes` once it was read, and where it lies in the archive. */
  readonly onRead?: (bytes: Uint8Array, at: number) => Promise<void>;
}

/** The most of an archive that is kept in memory until its directory was read. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** Size of the pieces in which the bytes after the last entry are kept, whatever their chunks. */
const REST_BYTES = 64 * 1024;

/** A piece of an archive. */
interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/**
 * The parts of an archive that are looked at again with its directory: every local header, what
 * follows the last entry, and as much before that as an end record is looked for in.
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

  /** `Files.readRange`, of the kept pieces: shorter where the next one is not kept. */
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
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk = new Uint8Array();
  #at = 0;

  constructor(source: ForwardSource, kept: Kept) {
    this.#source = source;
    this.#kept = kept;
    this.#chunks = source.bytes[Symbol.asyncIterator]();
  }

  /** Where the next byte lies in the archive. */
  get at(): number {
    return this.#at;
  }

  /** The next bytes, which stay the next ones. Shorter only at the end. */
  async peek(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [this.#chunk]; // joined once: a server may send byte by byte
    for (let left = length - this.#chunk.length; left > 0;) {
      this.#source.signal?.throwIfAborted();
      const { done, value } = await this.#chunks.next();
      if (done) break;
      parts.push(value);
      left -= value.length;
    }
    if (parts.length > 1) this.#chunk = concatBytes(parts);
    return this.#chunk.subarray(0, length);
  }

  /** Packed bytes. `at` is where they lie: the next ones. Shorter only at the end. */
  async read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    if (at !== this.#at) throw new RangeError(`Cannot read at ${at}: the next byte is ${this.#at}`);
    const bytes = await this.#take(length);
    this.#kept.keepRecent(at, bytes);
    if (bytes.length < length) throw new ArchiveError(null, `it ends at ${this.#at}`);
    return bytes;
  }

  /** A local header, which is kept. Shorter only at the end. */
  async readHeader(length: number): Promise<Uint8Array> {
    const at = this.#at;
    return this.#kept.keep(at, await this.#take(length));
  }

  /** Goes on to `at`: what lies before is not among the bytes. */
  pass(at: number): void {
    this.#at = at;
  }

  /** Reads to the archive's end, and keeps what there is. */
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

  /** Ends the source. */
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
