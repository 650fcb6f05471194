import { forEachParallel } from "../core/parallel.ts";
import { messageOf } from "../core/result.ts";
import { contentPath, type Manifest, versionPath } from "../ota-format/mod.ts";
import type { Bucket, BucketFailure, BucketResult, ExpectedBody } from "./store/bucket.ts";
import { contentBody, IMMUTABLE } from "./store/objects.ts";
import { distinctContents, type EarlierVersion, listContents } from "./plan.ts";
import type { Contents } from "./store/unchanged.ts";

/** Uploads at once. */
const CONCURRENCY = 8;

/** One sync of their folder stands for all of them. */
const CONTENT = { ...IMMUTABLE, unsettled: true };

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

/** What is uploaded, and from where. */
export interface Upload extends Contents {
  readonly bucket: Bucket;
  /** The built folder. */
  readonly folder: string;
  /** What the version will hold. */
  readonly manifest: Manifest;
  /** Versions whose contents can be copied inside the store. */
  readonly sources: readonly EarlierVersion[];
  /** Told how many bytes are in place, sent or not. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number) => void;
  /**
   * Told of each content when it is in place, with its key when it was hashed on its way there; what
   * was there before may be damaged.
   */
  readonly onPlaced?: (hash: string, key: string | null) => void;
}

/** One content of a version. */
interface Content {
  readonly hash: string;
  readonly size: number;
  readonly path: string;
  readonly key: string;
}

/**
 * Puts every content of a version where the version's manifest will look for it. What is there
 * already is left; what an earlier version holds is copied inside the store. A listing only saves
 * requests: what decides is that objects are created if absent.
 */
export async function uploadContents(upload: Upload): BucketResult<UploadCount> {
  const { bucket, manifest, signal, onProgress, onPlaced } = upload;
  const listed = await listContents(bucket, manifest);
  if (!listed.ok) return listed;
  const seen = listed.value;
  const holders = new Map<string, string>();
  for (const { version, manifest: { files } } of upload.sources) {
    for (const { hash } of Object.values(files)) {
      if (!holders.has(hash)) holders.set(hash, version);
    }
  }
  const contents = [...distinctContents(manifest)].map(([hash, { path, size }]): Content => {
    return { hash, path, size, key: contentPath(manifest.name, manifest.version, hash) };
  });
  const bytesTotal = contents.reduce((total, { size }) => total + size, 0);
  const count: UploadCount = { uploaded: 0, copied: 0, known: 0, bytesUploaded: 0 };
  const failures: BucketFailure[] = [];
  let bytesDone = 0;
  await forEachParallel(contents, CONCURRENCY, async (content) => {
    if (failures.length > 0 || signal?.aborted) return;
    const failure = await place(content);
    if (failure !== null) failures.push(failure);
    onProgress?.(bytesDone += content.size, bytesTotal);
  });
  if (signal?.aborted) failures.push({ code: "other", message: messageOf(signal.reason) });
  const [failure] = failures;
  if (failure !== undefined) return { ok: false, error: failure };
  const settled = await bucket.settle?.(`${versionPath(manifest.name, manifest.version)}/files`);
  return settled?.ok === false ? settled : { ok: true, value: count };

  async function place(content: Content): Promise<BucketFailure | null> {
    const { hash, size, path, key } = content;
    if (seen.has(hash)) {
      const there = await bucket.stat(key);
      if (!there.ok) return there.error;
      if (there.value !== null) return known(content, there.value.size);
    }
    const body: ExpectedBody = {
      ...contentBody(upload, `${upload.folder}/${path}`, { hash, size }),
      hash,
    };
    const holder = holders.get(hash);
    if (holder !== undefined) {
      const from = contentPath(manifest.name, holder, hash);
      const copied = await bucket.copy(from, key, { ...CONTENT, expected: body });
      if (copied.ok && copied.value === "lost") return await takeAsKnown(content);
      if (copied.ok) {
        count.copied++;
        onPlaced?.(hash, key);
        return null;
      }
      // The earlier version may be damaged, or just have been pruned: then its content is sent again.
    }
    const put = await bucket.put(key, body, CONTENT);
    if (!put.ok) return put.error;
    if (put.value === "lost") return await takeAsKnown(content);
    count.uploaded++;
    count.bytesUploaded += size;
    onPlaced?.(hash, key);
    return null;
  }

  /** Another publisher was first, with the same content. */
  async function takeAsKnown(content: Content): Promise<BucketFailure | null> {
    const there = await bucket.stat(content.key);
    if (!there.ok) return there.error;
    return known(content, there.value?.size ?? null);
  }

  function known({ hash, key, size }: Content, found: number | null): BucketFailure | null {
    if (found === size) {
      count.known++;
      onPlaced?.(hash, null);
      return null;
    }
    const has = found === null ? "is said to exist and does not" : `has ${found} bytes`;
    return {
      code: "other",
      message: `The bucket is damaged: ${JSON.stringify(key)} ${has}, expected ${size} bytes`,
      next: "Remove that object",
    };
  }
}
