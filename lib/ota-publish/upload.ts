import { encodeUtf8 } from "../core/bytes.ts";
import { forEachParallel } from "../core/parallel.ts";
import { sha256Hex } from "../core/sha256.ts";
import { contentPath, IMMUTABLE_CACHE_CONTROL } from "../ota-format/layout.ts";
import type { Manifest } from "../ota-format/manifest.ts";
import type { ContentRef } from "../ota-format/release.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import type { Bucket, BucketFailure, BucketResult, ObjectBody, PutOptions } from "./bucket.ts";
import { distinctContents } from "./plan.ts";
import { unchanged } from "./unchanged.ts";

/** Uploads at once. */
const LANES = 8;

/** How every object but the release is written: once, for good. */
export const IMMUTABLE: Omit<PutOptions, "when"> & { readonly when: { readonly kind: "absent" } } =
  {
    cacheControl: IMMUTABLE_CACHE_CONTROL,
    contentType: "application/octet-stream",
    when: { kind: "absent" },
  };

/** Bytes at hand as something to write. */
export function bytesBody(bytes: Uint8Array<ArrayBuffer>): ObjectBody {
  return { size: bytes.length, open: () => Promise.resolve(streamOf(bytes)) };
}

function streamOf(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

/** A file on disk as something to write; see `unchanged`. */
export function contentBody(
  { files, hashing }: { readonly files: Files; readonly hashing: Hashing },
  path: string,
  ref: ContentRef,
): ObjectBody {
  const { size, open } = fileBody(files, path, ref.size);
  return { size, open: async () => unchanged(await open(), ref, { hashing, path }) };
}

/** A file on disk as something to write. */
export function fileBody(files: Files, path: string, size: number): ObjectBody {
  return {
    size,
    async open() {
      const stream = await files.openRead(path);
      if (stream === null) throw new Error(`${path} is gone`);
      return stream;
    },
  };
}

/** Counts what an upload moved. */
export interface UploadCount {
  /** Contents that were sent. */
  uploaded: number;
  /** Contents that were copied inside the store. */
  copied: number;
  /** Contents that were there. */
  known: number;
  /** Bytes of those that were sent. */
  bytesUploaded: number;
}

/**
 * Puts every content of a version where the version's manifest will look for it. What `earlier`
 * holds is copied inside the store; what is there already is left.
 */
export async function uploadContents(
  { bucket, files, hashing, folder, manifest, earlier, onProgress }: {
    readonly bucket: Bucket;
    readonly files: Files;
    readonly hashing: Hashing;
    readonly folder: string;
    readonly manifest: Manifest;
    readonly earlier: Manifest | null;
    readonly onProgress?: (filesDone: number, filesTotal: number) => void;
  },
): BucketResult<UploadCount> {
  const count: UploadCount = { uploaded: 0, copied: 0, known: 0, bytesUploaded: 0 };
  const held = new Set(Object.values(earlier?.files ?? {}).map(({ hash }) => hash));
  const contents = [...distinctContents(manifest)];
  const failures: BucketFailure[] = [];
  let filesDone = 0;
  await forEachParallel(contents, LANES, async ([hash, { path, size }]) => {
    if (failures.length > 0) return;
    const failure = await uploadContent(hash, size, path);
    if (failure !== null) failures.push(failure);
    onProgress?.(++filesDone, contents.length);
  });
  const [failure] = failures;
  return failure === undefined ? { ok: true, value: count } : { ok: false, error: failure };

  async function uploadContent(
    hash: string,
    size: number,
    path: string,
  ): Promise<BucketFailure | null> {
    const key = contentPath(manifest.name, manifest.version, hash);
    const there = await bucket.stat(key);
    if (!there.ok) return there.error;
    if (there.value !== null && there.value.size !== size) {
      const found = `${JSON.stringify(key)} has ${there.value.size} bytes, expected ${size}`;
      return {
        code: "other",
        message: `The bucket is damaged: ${found}`,
        next: "Remove that object",
      };
    }
    if (there.value !== null) {
      count.known++;
      return null;
    }
    if (earlier !== null && held.has(hash)) {
      const copied = await bucket.copy(
        contentPath(earlier.name, earlier.version, hash),
        key,
        IMMUTABLE,
      );
      if (copied.ok) {
        count.copied++;
        return null;
      } // the earlier version may just have been pruned: upload it then
    }
    const put = await bucket.put(
      key,
      contentBody({ files, hashing }, `${folder}/${path}`, { hash, size }),
      IMMUTABLE,
    );
    if (!put.ok) return put.error;
    count.uploaded++;
    count.bytesUploaded += size;
    return null;
  }
}

/** A text as an object, with what a manifest says of it. */
export async function textObject(
  text: string,
): Promise<{ body: ObjectBody; ref: { hash: string; size: number } }> {
  const bytes = encodeUtf8(text);
  return { body: bytesBody(bytes), ref: { hash: await sha256Hex(bytes), size: bytes.length } };
}
