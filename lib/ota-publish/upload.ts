import { atResolved } from "../core/inside.ts";
import { forEachParallel } from "../core/parallel.ts";
import { err, messageOf, ok } from "../core/result.ts";
import { contentPath, type Manifest, versionPath } from "../ota-format/mod.ts";
import { codeContent, type Coding, mayBeCoded } from "./coding.ts";
import type {
  Bucket,
  BucketFailure,
  BucketResult,
  ExpectedBody,
  ObjectFacts,
} from "./store/bucket.ts";
import { createByteBudget } from "./store/byte-budget.ts";
import { contentBody, immutably } from "./store/objects.ts";
import type { ObjectMemory } from "./object-memory.ts";
import { distinctContents, type EarlierVersion, listContents } from "./plan.ts";
import type { Contents } from "./store/unchanged.ts";

/** Uploads in parallel. */
const CONCURRENCY = 8;
/** Bytes of contents that are coded in parallel. */
const CODED_BYTES = 16 * 1024 * 1024;

/** Counts the moved contents of an upload. */
export interface UploadCount {
  /** Contents that were sent. */
  uploaded: number;
  /** Contents that were copied inside the store. */
  copied: number;
  /** Contents that were there. */
  known: number;
  /** Bytes sent, in coded form for coded contents. */
  bytesUploaded: number;
}

/** An upload: contents and their folder. */
export interface Upload extends Contents {
  readonly bucket: Bucket;
  /** The built folder, links resolved. */
  readonly folder: string;
  /** Manifest of the version. */
  readonly manifest: Manifest;
  /** Versions whose contents can be copied inside the store. */
  readonly sources: readonly EarlierVersion[];
  /** Coding of contents; `null` if they are stored without. */
  readonly coding: Coding | null;
  /** Objects of the last version, which need not be read (PUB-38). */
  readonly objects?: ObjectMemory | undefined;
  /** Called with the number of bytes in place, sent or not. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number) => void;
  /**
   * Called with each content in place, with its key if this upload hashed the object; any other
   * object may be damaged.
   */
  readonly onPlaced?: (hash: string, key: string | null) => void;
}

/** Result of an upload. */
export interface Uploaded {
  readonly count: UploadCount;
  /** Bytes that are served of each content that is stored coded, by its hash. */
  readonly served: ReadonlyMap<string, number>;
  /** Hashes of the copied contents. */
  readonly copied: readonly string[];
}

/** One content of a version. */
interface Content {
  readonly hash: string;
  readonly size: number;
  readonly path: string;
  readonly key: string;
}

/**
 * Stores every content of a version under the path in its manifest. Skips existing ones, and copies
 * those of an earlier version inside the store. The listing only saves requests: creation if absent
 * decides.
 */
export async function uploadContents(upload: Upload): BucketResult<Uploaded> {
  const inFolder = { ...upload, files: atResolved(upload.files) };
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
  const served = new Map<string, number>();
  const copied: string[] = [];
  const failures: BucketFailure[] = [];
  const memory = createByteBudget(CODED_BYTES);
  let bytesDone = 0;
  await forEachParallel(contents, CONCURRENCY, async (content) => {
    if (failures.length > 0 || signal?.aborted) return;
    const failure = await place(content);
    if (failure !== null) failures.push(failure);
    onProgress?.(bytesDone += content.size, bytesTotal);
  });
  if (signal?.aborted) failures.push({ code: "other", message: messageOf(signal.reason) });
  const [failure] = failures;
  if (failure !== undefined) return err(failure);
  const settled = await bucket.settle?.(`${versionPath(manifest.name, manifest.version)}/files`);
  return settled?.ok === false ? settled : ok({ count, served, copied });

  async function place(content: Content): Promise<BucketFailure | null> {
    const { hash, size, path, key } = content;
    if (seen.has(hash)) {
      const there = await bucket.stat(key);
      if (!there.ok) return there.error;
      if (there.value !== null) return known(content, there.value);
    }
    const file = `${upload.folder}/${path}`;
    const raw = { ...contentBody(inFolder, file, { hash, size }), hash };
    const { coding } = upload;
    if (coding === null || !mayBeCoded(path, size)) return await move(content, raw);
    return await memory.within(size, async () => {
      const coded = await codeContent({ ...inFolder, ...coding }, file, { hash, size })
        .catch(() => null); // reading it again reports the error
      return await move(content, coded ?? raw);
    });
  }

  /** Copies or sends a missing content. */
  async function move(content: Content, body: ExpectedBody): Promise<BucketFailure | null> {
    const { hash, key } = content;
    // One sync of their folder covers all of them.
    const options = { ...immutably(body), unsettled: true };
    const holder = holders.get(hash);
    if (holder !== undefined) {
      const from = contentPath(manifest.name, holder, hash);
      const facts = await upload.objects?.look(from).catch(() => null) ?? null;
      const isKnown = upload.objects?.isKnown(hash, facts) === true;
      const copy = await bucket.copy(from, key, {
        ...options,
        ...(!isKnown && { expected: body }),
      });
      if (copy.ok && copy.value === "lost") return await takeAsKnown(content);
      if (copy.ok) {
        count.copied++;
        copied.push(hash);
        upload.objects?.note(hash, facts);
        if (body.decodedSize !== undefined) served.set(hash, body.size);
        onPlaced?.(hash, isKnown ? null : key);
        return null;
      }
      // The earlier version may be damaged, or just have been pruned: then its content is sent again.
    }
    const put = await bucket.put(key, body, options);
    if (!put.ok) return put.error;
    if (put.value === "lost") return await takeAsKnown(content);
    count.uploaded++;
    count.bytesUploaded += body.size;
    await upload.objects?.noteWritten(hash, key).catch(() => undefined); // read by the next publish
    if (body.decodedSize !== undefined) served.set(hash, body.size);
    onPlaced?.(hash, key);
    return null;
  }

  /** Handles the case that another publisher was first with the same content. */
  async function takeAsKnown(content: Content): Promise<BucketFailure | null> {
    const there = await bucket.stat(content.key);
    if (!there.ok) return there.error;
    return known(content, there.value);
  }

  function known({ hash, key, size }: Content, found: ObjectFacts | null): BucketFailure | null {
    if (found?.size === size) {
      count.known++;
      if (found.served !== undefined) served.set(hash, found.served);
      onPlaced?.(hash, null);
      return null;
    }
    const has = found === null ? "is said to exist and does not" : `has ${found.size} bytes`;
    return {
      code: "other",
      message: `The bucket is damaged: ${JSON.stringify(key)} ${has}, expected ${size} bytes`,
      next: "Remove that object",
    };
  }
}
