import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import { checkManifest, type ContentRef, type Manifest } from "../ota-format/mod.ts";
import type { Coding } from "./coding.ts";
import { type PackDependencies, type PackRequest, packZip } from "./pack.ts";
import type { ObjectMemory } from "./object-memory.ts";
import { createPlaced } from "./placed.ts";
import type { EarlierVersion } from "./plan.ts";
import { bucketFailure, type PublishFailureCode, type PublishResult } from "./publish-failure.ts";
import type { Bucket } from "./store/bucket.ts";
import type { PackedZip, PackTarget } from "./store/objects.ts";
import { uploadContents, type Uploaded } from "./upload.ts";

/** Dependencies of moving contents. */
export interface ContentsDependencies extends PackDependencies {
  readonly bucket: Bucket;
  /** Objects of the last version, which need not be read (PUB-38). */
  readonly objects?: ObjectMemory | undefined;
  /** Called with the number of uploaded bytes. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** A version as scanned from its folder. */
export interface ScannedVersion {
  /** The built folder, links resolved. */
  readonly folder: string;
  /** Without the zip that is still to be packed. */
  readonly manifest: Manifest;
  /** CRC-32 of each content, by its hash. */
  readonly crc32s: ReadonlyMap<string, number>;
}

/** Returns the place of the zip for a bucket that cannot hold it while it is packed. */
export function workTarget({ workFolder }: { readonly workFolder: string }): PackTarget {
  return { path: `${workFolder}/bundle.zip`, isInBucket: false };
}

/** Uploads the files while the zip is packed; when one of the two fails, the other is cancelled. */
export async function moveContents(
  dependencies: ContentsDependencies,
  { sources, target, coding, ...version }: ScannedVersion & Pick<PackRequest, "onPacked"> & {
    readonly sources: readonly EarlierVersion[];
    /** The place for packing the zip; `null` if it is already in the bucket. */
    readonly target: PackTarget | null;
    /** Coding of contents; `null` if they are stored without. */
    readonly coding: Coding | null;
  },
): PublishResult<{ uploaded: Uploaded; zip: PackedZip | null }> {
  const { signal: given, onProgress } = dependencies;
  const stop = new AbortController();
  const signal = given === undefined ? stop.signal : AbortSignal.any([given, stop.signal]);
  const failures: Failure<PublishFailureCode>[] = [];
  const orStop = <T>(result: Result<T, Failure<PublishFailureCode>>): T | null => {
    if (result.ok) return result.value;
    failures.push(result.error);
    stop.abort(new Error("another part of the publish failed"));
    return null;
  };
  const { local } = dependencies.bucket;
  const placed = createPlaced();
  const packing = async () => {
    if (target === null) return null;
    const find = local && { placed: placed.find };
    return orStop(await packVersion({ ...dependencies, signal }, { ...version, ...find, target }));
  };
  const uploading = async () => {
    const done = await uploadContents({
      ...dependencies,
      signal,
      ...version,
      sources,
      coding,
      ...(onProgress && { onProgress }),
      onPlaced: (hash, key) => placed.set(hash, key && (local?.pathOf(key) ?? null)),
    });
    placed.end();
    return orStop(done.ok ? done : bucketFailure(done.error));
  };
  const [zip, uploaded] = await Promise.all([packing(), uploading()]);
  const [first] = failures; // the others were cancelled because of it
  if (first !== undefined) return { ok: false, error: first };
  if (uploaded === null) throw new TypeError("an upload without an outcome");
  return ok({ uploaded, zip });
}

/** Packs the zip. */
export async function packVersion(
  dependencies: PackDependencies,
  { manifest, target, ...version }: ScannedVersion & Pick<PackRequest, "placed" | "onPacked"> & {
    readonly target: PackTarget;
  },
): PublishResult<PackedZip> {
  const { files, hashing } = dependencies;
  const { folder } = version;
  let ref: ContentRef;
  try {
    ref = await packZip(dependencies, { ...version, files: manifest.files, target: target.path });
  } catch (thrown) {
    const message = `Cannot pack ${folder}: ${messageOf(thrown)}`;
    return fail("pack", message, "Wait until nothing writes there any more, and publish again");
  }
  const checked = checkManifest({ ...manifest, bundleZip: ref });
  if (!checked.ok) return fail("over-limit", checked.error.message, checked.error.next);
  return ok({ files, hashing, ref, ...target });
}
