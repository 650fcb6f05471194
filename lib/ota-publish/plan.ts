import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { isVersion, versionNumber } from "../core/paths.ts";
import { fail, ok, type Result } from "../core/result.ts";
import { sha256Hex } from "../core/sha256.ts";
import {
  cheaperWay,
  contentPath,
  type ContentRef,
  contentsOf,
  type Manifest,
  manifestPath,
  parseManifest,
  planStage,
  type Release,
  versionPath,
  wayBytes,
} from "../ota-format/mod.ts";
import type { Bucket, BucketFailure, BucketResult } from "./store/bucket.ts";
import { isPruned } from "./pruned-mark.ts";

/** Earlier versions that are read, for a plan and for contents to copy. */
const BASES = 5;
/** Version numbers that are tried when a listing is out of date. */
const FREE_TRIES = 100;

/** The effects of a publish. */
export interface PublishPlan {
  /** Distinct contents that neither this version's folder nor an earlier version has. */
  readonly newFiles: number;
  /** Distinct contents that would be copied inside the store, or are there already. */
  readonly knownFiles: number;
  /** Bytes of the new contents, coded if they would be: the upload without bundle.zip. */
  readonly newBytes: number;
  /** The downloads of a device on each of the last versions, newest first. */
  readonly updates: readonly PlannedUpdate[];
}

/** The update of a device that has an earlier version and nothing else. */
export interface PlannedUpdate {
  /** The earlier version. */
  readonly from: string;
  /** The cheaper one (DIFF-4). */
  readonly way: "delta" | "zip";
  /** Bytes served on that way, without the records. */
  readonly bytes: number;
  /** Requests on that way, without those for records. */
  readonly requests: number;
  /** Bytes served on each way; no `zip` if the version has none. */
  readonly wayBytes: { readonly delta: number; readonly zip?: number };
  /** Decoded bytes of the delta. */
  readonly downloadBytes: number;
  /** Requests of the delta. */
  readonly downloadFiles: number;
}

/** An earlier version of a bundle, with its manifest. */
export interface EarlierVersion {
  readonly version: string;
  readonly manifest: Manifest;
  /** SHA-256 of the manifest's bytes. */
  readonly hash: string;
  /** Whether its files were pruned: devices may have them, the bucket does not. */
  readonly pruned: boolean;
}

/** The last versions of a bundle. */
export interface EarlierVersions {
  /** All versions that devices may have. */
  readonly earlier: readonly EarlierVersion[];
  /**
   * Versions whose contents may be copied: a signed release vouches for them, and they are still in
   * the bucket.
   */
  readonly sources: readonly EarlierVersion[];
}

/** The versions of a bundle that the bucket lists, newest first. */
async function listVersions(bucket: Bucket, name: string): BucketResult<string[]> {
  const listed = await bucket.list(`bundles/${name}`);
  if (!listed.ok) return listed;
  return ok(
    listed.value.filter(isVersion).sort((a, b) => versionNumber(a) < versionNumber(b) ? 1 : -1),
  );
}

/** Returns one more than the highest listed or named version that can have a successor (PATH-12). */
function nextFreeVersion(versions: readonly string[]): string {
  let highest = 0n;
  for (const version of versions) {
    const number = versionNumber(version);
    if (number > highest && isVersion(`v${number + 1n}`)) highest = number;
  }
  return `v${highest + 1n}`;
}

/**
 * Finds an unused version: one more than the highest listed one, or than `taken`. Since a listing
 * may be out of date, checks that it has no manifest.
 *
 * @returns The bucket's refusal: `denied`, `unreachable`, `other`.
 */
export async function freeVersion(
  bucket: Bucket,
  { name, taken }: { readonly name: string; readonly taken?: string },
): BucketResult<string> {
  const listed = await listVersions(bucket, name);
  if (!listed.ok) return listed;
  let version = nextFreeVersion(taken === undefined ? listed.value : [...listed.value, taken]);
  for (let tries = 0; tries < FREE_TRIES; tries++) {
    const there = await bucket.stat(manifestPath(name, version));
    if (!there.ok) return there;
    if (there.value === null) return ok(version);
    version = nextFreeVersion([version]);
  }
  return fail(
    "other",
    `Cannot find a free version of ${name}: ${bucket.label} has ${FREE_TRIES} more than it lists`,
    "Try again later, or name the version yourself",
  );
}

/** Reads a published manifest from the bucket; `null` if it is missing or damaged. */
export async function readPublishedManifest(
  bucket: Bucket,
  { name, version }: { readonly name: string; readonly version: string },
): BucketResult<Pick<EarlierVersion, "manifest" | "hash"> | null> {
  const object = await bucket.read(manifestPath(name, version), LIMITS.manifestBytes);
  if (!object.ok || object.value === null) return object.ok ? ok(null) : object;
  const manifest = parseManifest(object.value.bytes, { name, version });
  if (!manifest.ok) return ok(null);
  return ok({ manifest: manifest.value, hash: await sha256Hex(object.value.bytes) });
}

/**
 * Returns the last versions other than this one: the released one, then the newest. Omits damaged
 * ones.
 */
export async function earlierVersions(
  bucket: Bucket,
  { name, version }: { readonly name: string; readonly version: string },
  release: Release | null,
): BucketResult<EarlierVersion[]> {
  const listed = await listVersions(bucket, name);
  if (!listed.ok) return listed;
  const released = own(release?.bundles, name);
  const order = new Set(released === undefined ? listed.value : [released, ...listed.value]);
  order.delete(version);
  const earlier: EarlierVersion[] = [];
  for (const other of [...order].slice(0, BASES)) {
    const manifest = await readPublishedManifest(bucket, { name, version: other });
    if (!manifest.ok) return manifest;
    if (manifest.value === null) continue;
    const pruned = await isPruned(bucket, { name, version: other });
    if (!pruned.ok) return pruned;
    earlier.push({ version: other, ...manifest.value, pruned: pruned.value });
  }
  return ok(earlier);
}

/** The hashes of the contents that the version's own folder lists. */
export async function listContents(
  bucket: Bucket,
  { name, version }: { readonly name: string; readonly version: string },
): BucketResult<Set<string>> {
  const there = new Set<string>();
  const prefix = contentPath(name, version, "");
  for await (const object of bucket.objects(`${versionPath(name, version)}/files`)) {
    if (!object.ok) return object;
    there.add(object.value.key.slice(prefix.length));
  }
  return ok(there);
}

/**
 * Plans the updates of devices on the last versions, newest first. @param manifest With its zip.
 */
export function planUpdates(
  earlier: readonly EarlierVersion[],
  manifest: Manifest,
): readonly PlannedUpdate[] {
  return [...earlier]
    .sort((a, b) => versionNumber(a.version) < versionNumber(b.version) ? 1 : -1)
    .map(({ version, manifest: base }) => {
      const plan = planStage(base, manifest);
      const way = cheaperWay(plan, manifest);
      const bytes = wayBytes(plan, manifest);
      const downloads = contentsOf(plan).length;
      return {
        from: version,
        way,
        bytes: bytes[way] ?? 0,
        requests: way === "zip" ? 1 : downloads,
        wayBytes: bytes,
        downloadBytes: plan.downloadBytes,
        downloadFiles: downloads,
      };
    });
}

/** Compares a manifest with the contents of the bucket. @param manifest With its zip. */
export async function planPublish(
  bucket: Bucket,
  manifest: Manifest,
  { earlier, sources }: EarlierVersions,
): Promise<Result<PublishPlan, BucketFailure>> {
  const there = await listContents(bucket, manifest);
  if (!there.ok) return there;
  const held = there.value;
  for (const { manifest: { files } } of sources) {
    for (const { hash } of Object.values(files)) held.add(hash);
  }
  const contents = distinctContents(manifest);
  let newFiles = 0;
  let newBytes = 0;
  for (const [hash, { size, served = size }] of contents) {
    if (held.has(hash)) continue;
    newFiles++;
    newBytes += served;
  }
  return ok({
    newFiles,
    knownFiles: contents.size - newFiles,
    newBytes,
    updates: planUpdates(earlier, manifest),
  });
}

/** Returns one path for each content of a manifest: equal files are stored once. */
export function distinctContents(
  manifest: Manifest,
): Map<string, ContentRef & { readonly path: string }> {
  const contents = new Map<string, ContentRef & { readonly path: string }>();
  for (const [path, ref] of Object.entries(manifest.files)) {
    if (!contents.has(ref.hash)) contents.set(ref.hash, { ...ref, path });
  }
  return contents;
}
