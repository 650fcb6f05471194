import { concatBytes } from "../core/bytes.ts";
import { atResolved } from "../core/inside.ts";
import { gathered, type ZipFile, zippedBytes } from "../archive/mod.ts";
import type { ContentRef } from "../ota-format/mod.ts";
import { type FoundEntry, type LastZip, type PackedEntry, ReplacedZipError } from "./last-zip.ts";
import type { Deflating } from "../ports/deflate.ts";
import { chunksUnchanged, type Contents, type Expected, openUnchanged } from "./store/unchanged.ts";

/** Files up to this size are deflated in one piece, larger ones in pieces, in bytes. */
const PIECE_BYTES = 1024 * 1024;

/** Size of the samples that decide whether a large file is deflated, in bytes. */
const SAMPLE_BYTES = 64 * 1024;

/** Highest ratio, of a sample's deflated size to its size, at which a file is deflated. */
const WORTH_IT = 0.98;

/** Files that are packed ahead of their turn; the platform deflates several in parallel. */
const AHEAD = 4;

/** Names of compressed files: deflating them takes long and saves almost nothing. */
const STORED =
  /\.(?:7z|aac|avif|basis|br|bz2|gif|gz|jpe?g|ktx2|m4a|mp3|mp4|oga|ogg|ogv|opus|png|webm|webp|woff2?|xz|zip|zst)$/i;

/** Whether a file is compressed already, by its name. */
export function isCompressed(path: string): boolean {
  return STORED.test(path);
}

/** Dependencies of packing. */
export interface PackDependencies extends Contents {
  /** Deflates; the zips of two runtimes may differ (decision 84). */
  readonly deflating: Deflating;
  /** The folder of large files while they are deflated; the caller removes it. */
  readonly workFolder: string;
  /** Source of packed bytes; if absent, everything is deflated. */
  readonly lastZip?: LastZip | undefined;
}

/** A zip to be packed. */
export interface PackRequest {
  /** The built folder. */
  readonly folder: string;
  /** Its files, hashed before, in the order that the zip has them. */
  readonly files: Readonly<Record<string, ContentRef>>;
  /** CRC-32 of each content, by its hash. */
  readonly crc32s: ReadonlyMap<string, number>;
  /**
   * Returns the path of a content that was hashed while it was uploaded and cannot change any more;
   * `null` if it must be read from the folder and hashed again.
   */
  readonly placed?: (hash: string) => Promise<string | null>;
  /** Called with each packed entry and the hash of its content. */
  readonly onPacked?: (hash: string, entry: PackedEntry) => void;
  /** Path of the zip; it is synced. */
  readonly target: string;
}

/**
 * Packs files into one zip: in the given order, with one constant time, without attributes; files
 * whose names mark them as compressed are stored. Headers contain sizes and CRC, so the zip can be
 * unpacked while it arrives. Starts again without the kept zip if another publish replaces that.
 *
 * @throws Errors of the disk; an error if a file changed after it was hashed.
 */
export async function packZip(
  dependencies: PackDependencies,
  request: PackRequest,
): Promise<ContentRef> {
  try {
    return await packOnce(dependencies, request);
  } catch (thrown) {
    if (!(thrown instanceof ReplacedZipError)) throw thrown; // PUB-36
    return await packOnce({ ...dependencies, lastZip: undefined }, request);
  }
}

async function packOnce(
  dependencies: PackDependencies,
  request: PackRequest,
): Promise<ContentRef> {
  const { files, hashing, signal } = dependencies;
  const hash = hashing.createSha256();
  let size = 0;
  const zip = async function* () {
    for await (const chunk of gathered(zippedBytes(packAhead(dependencies, request)))) {
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  await files.write(request.target, zip(), { sync: true, ...(signal && { signal }) });
  return { hash: hash.hex(), size };
}

/** The path of a content, with its hash and size. */
interface Place extends Contents {
  readonly path: string;
  readonly expected: Expected;
}

/** A file to be packed, as it was hashed. */
interface Source extends ContentRef {
  readonly name: string;
  readonly crc32: number;
  readonly read: () => Promise<Place>;
  readonly onPacked: PackRequest["onPacked"];
}

/** Packs a few files concurrently, and yields them in order. */
async function* packAhead(
  dependencies: PackDependencies,
  { folder, files, crc32s, placed, onPacked }: PackRequest,
): AsyncGenerator<ZipFile> {
  const inFolder = { ...dependencies, files: atResolved(dependencies.files) };
  const ahead: Promise<ZipFile>[] = [];
  try {
    for (const [name, ref] of Object.entries(files)) {
      dependencies.signal?.throwIfAborted();
      const crc32 = crc32s.get(ref.hash);
      if (crc32 === undefined) throw new TypeError(`${name} was hashed without its CRC`);
      const read = async () => {
        const path = await placed?.(ref.hash) ?? null;
        if (path === null) return { ...inFolder, path: `${folder}/${name}`, expected: ref };
        const sum = { sum: crc32, of: dependencies.deflating.crc32 };
        return { ...dependencies, path, expected: { ...ref, crc32: sum } };
      };
      const packed = packFile(dependencies, { ...ref, name, crc32, read, onPacked });
      packed.catch(() => undefined); // thrown at its turn
      ahead.push(packed);
      if (ahead.length === AHEAD) yield* nextOf(ahead);
    }
    while (ahead.length > 0) yield* nextOf(ahead);
  } finally {
    await Promise.allSettled(ahead);
  }
}

async function* nextOf(ahead: Promise<ZipFile>[]): AsyncGenerator<ZipFile> {
  const next = ahead.shift();
  if (next !== undefined) yield await next;
}

async function packFile(dependencies: PackDependencies, source: Source): Promise<ZipFile> {
  const { name, size, hash } = source;
  const isStored = size === 0 || isCompressed(name);
  if (isStored && size > PIECE_BYTES) return stored(source); // read once, from its own file
  const found = await dependencies.lastZip?.find(hash) ?? null;
  if (found !== null && found.bytes <= size) return packed(source, found);
  if (isStored) return stored(source);
  if (size > PIECE_BYTES) return await packLarge(dependencies, source);
  const deflated = await deflateSmall(dependencies, source);
  if (deflated.length >= size) return stored(source);
  const sha256 = hashOf(dependencies, deflated);
  return packed(source, { bytes: deflated.length, sha256, open: () => once(deflated) });
}

/** Deflates a small file, without a copy if it was read as one chunk. */
async function deflateSmall(
  dependencies: PackDependencies,
  { size, read }: Source,
): Promise<Uint8Array> {
  const { deflating } = dependencies;
  const { path, expected, ...contents } = await read();
  const parts: Uint8Array[] = [];
  let deflated: Uint8Array | null = null;
  for await (const chunk of chunksUnchanged(contents, path, expected)) {
    if (chunk.length === size) deflated = await deflating.deflate(chunk, "raw");
    else parts.push(chunk.slice());
  }
  return deflated ?? await deflating.deflate(concatBytes(parts), "raw");
}

/** Reads the file at its turn, and compares it with its hash. */
function stored(source: Source): ZipFile {
  return packed(source, {
    bytes: source.size,
    sha256: source.hash,
    open: () => readSource(source),
  });
}

async function* readSource({ read }: Source): AsyncGenerator<Uint8Array> {
  const { path, expected, ...contents } = await read();
  yield* chunksUnchanged(contents, path, expected);
}

/** Returns the entry in its deflated form, or uncompressed if that is not larger. */
function packed(source: Source, { bytes, sha256, open }: Omit<FoundEntry, "at">): ZipFile {
  const tell = (at: number) => {
    source.onPacked?.(source.hash, { at, bytes, sha256 });
    return open();
  };
  const method = bytes === source.size ? "stored" : "deflated";
  return { ...source, method, packedSize: bytes, open: tell };
}

/**
 * Stores a file uncompressed if deflating saves next to nothing at its beginning, middle and end.
 */
async function packLarge(dependencies: PackDependencies, source: Source): Promise<ZipFile> {
  const { deflating } = dependencies;
  const { files, path } = await source.read();
  for (const share of [0, 0.5, 1]) {
    const at = Math.floor((source.size - SAMPLE_BYTES) * share);
    const sample = await files.readRange(path, at, SAMPLE_BYTES) ?? new Uint8Array();
    const { length } = await deflating.deflate(sample, "raw");
    if (length < sample.length * WORTH_IT) return await deflateLarge(dependencies, source);
  }
  return stored(source);
}

/** Deflated into a file of its own: how many bytes come out must be known before the first of them. */
async function deflateLarge(dependencies: PackDependencies, source: Source): Promise<ZipFile> {
  const { files, hashing, signal, workFolder } = dependencies;
  const target = `${workFolder}/${crypto.randomUUID()}`;
  const { path, expected, ...contents } = await source.read();
  const hash = hashing.createSha256();
  const body = (await openUnchanged(contents, path, expected))
    .pipeThrough(await dependencies.deflating.deflateStream())
    .pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          hash.update(chunk);
          controller.enqueue(chunk);
        },
      }),
    );
  const bytes = await files.write(target, body, signal && { signal });
  if (bytes >= source.size) { // a sample became smaller, but the file did not
    await files.remove(target);
    return stored(source);
  }
  const sha256 = hash.hex();
  const open = () => readAndRemove(dependencies, target, { hash: sha256, size: bytes });
  return packed(source, { bytes, sha256, open });
}

async function* readAndRemove(
  contents: Contents,
  path: string,
  expected: Expected,
): AsyncGenerator<Uint8Array> {
  yield* chunksUnchanged(contents, path, expected);
  await contents.files.remove(path);
}

function hashOf({ hashing }: Contents, bytes: Uint8Array): string {
  const hash = hashing.createSha256();
  hash.update(bytes);
  return hash.hex();
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
