import { ZipWriter } from "@zip.js/zip.js";
import type { ContentRef } from "../ota-format/mod.ts";
import { type Contents, openUnchanged } from "./store/unchanged.ts";

/** 1980-01-01 00:00, the first moment that a zip can name. */
const DOS_EPOCH = 0x0021_0000;

/** Deflate's level. */
const LEVEL = 6;

/** What the disk gets at once. */
const WRITE_BYTES = 256 * 1024;

/** What is compressed already: deflating it takes most of the time and saves next to nothing. */
const STORED =
  /\.(?:7z|aac|avif|basis|br|bz2|gif|gz|jpe?g|ktx2|m4a|mp3|mp4|oga|ogg|ogv|opus|png|webm|webp|woff2?|xz|zip|zst)$/i;

/**
 * Packs files into one zip, streamed. The same files give the same bytes on every runtime and in
 * every time zone: paths in the given order, one constant time, no attributes, what is compressed
 * told by its name, and a deflate of the library's own instead of the platform's.
 *
 * @param target Where the zip is written.
 */
export async function packZip(
  contents: Contents,
  { folder, files: refs, target }: {
    readonly folder: string;
    readonly files: Readonly<Record<string, ContentRef>>;
    readonly target: string;
  },
): Promise<ContentRef> {
  const { files, hashing, signal } = contents;
  const hash = hashing.createSha256();
  let size = 0;
  const { readable, writable } = gathered((chunk) => {
    hash.update(chunk);
    size += chunk.length;
  });
  const written = files.write(target, readable, signal && { signal });
  written.catch(() => undefined); // awaited below; it may fail long before what fills it does
  const zip = new ZipWriter(writable, {
    useWebWorkers: false,
    useCompressionStream: false,
    rawLastModDate: DOS_EPOCH,
    extendedTimestamp: false,
    keepOrder: true,
  });
  const filled = (async () => {
    for (const [path, ref] of Object.entries(refs)) {
      signal?.throwIfAborted();
      const body = await openUnchanged(contents, `${folder}/${path}`, ref);
      await zip.add(path, body, { level: STORED.test(path) ? 0 : LEVEL });
    }
    await zip.close();
  })();
  try {
    await filled;
  } catch (thrown) {
    await writable.abort(thrown).catch(() => undefined);
    await written.catch(() => undefined);
    throw thrown;
  }
  await written;
  return { hash: hash.hex(), size };
}

/** Gathers the many small pieces of a zip, so that the disk gets large ones. */
function gathered(
  onChunk: (chunk: Uint8Array) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let buffer = new Uint8Array(WRITE_BYTES);
  let filled = 0;
  const send = (controller: TransformStreamDefaultController<Uint8Array>) => {
    const chunk = buffer.subarray(0, filled);
    onChunk(chunk);
    controller.enqueue(chunk);
    buffer = new Uint8Array(WRITE_BYTES);
    filled = 0;
  };
  return new TransformStream({
    transform(piece, controller) {
      for (let at = 0; at < piece.length;) {
        const part = piece.subarray(at, at + WRITE_BYTES - filled);
        buffer.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled === WRITE_BYTES) send(controller);
      }
    },
    flush(controller) {
      if (filled > 0) send(controller);
    },
  });
}
