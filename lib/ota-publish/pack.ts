import { ZipWriter } from "@zip.js/zip.js";
import type { ContentRef } from "../ota-format/release.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import { unchanged } from "./unchanged.ts";

/** 1980-01-01 00:00, the first moment that a zip can name. */
const DOS_EPOCH = 0x0021_0000;

/**
 * Packs files into one zip, streamed. The same files give the same bytes on every runtime and in
 * every time zone: paths in the given order, one constant time, no attributes, and a deflate of the
 * library's own instead of the platform's.
 *
 * @param target Where the zip is written.
 */
export async function packZip(
  { files, hashing, signal }: {
    readonly files: Files;
    readonly hashing: Hashing;
    readonly signal?: AbortSignal;
  },
  { folder, contents, target }: {
    folder: string;
    contents: Readonly<Record<string, ContentRef>>;
    target: string;
  },
): Promise<ContentRef> {
  const hash = hashing.createSha256();
  let size = 0;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      hash.update(chunk);
      size += chunk.length;
      controller.enqueue(chunk);
    },
  });
  const written = files.write(target, readable, signal && { signal });
  const zip = new ZipWriter(writable, {
    useWebWorkers: false,
    useCompressionStream: false,
    level: 6,
    rawLastModDate: DOS_EPOCH,
    extendedTimestamp: false,
    keepOrder: true,
  });
  const filled = (async () => {
    for (const [path, ref] of Object.entries(contents)) {
      const body = await files.openRead(`${folder}/${path}`, signal);
      if (body === null) throw new Error(`${path} is gone`);
      await zip.add(path, unchanged(body, ref, { hashing, path }));
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
