import { own } from "../core/json.ts";
import { isBundleName, isVersion, versionNumber } from "../core/paths.ts";
import { ok, type Result } from "../core/result.ts";
import { type BundleVersion, type Release, versionPath } from "../ota-format/mod.ts";
import { PRUNED_MARK, prunedMarkPath } from "./pruned-mark.ts";
import type { Bucket, BucketFailure, StoredObject } from "./store/bucket.ts";

// The versions of a bucket that nothing needs any more.

/** Why a version is removed or stays. */
export type PruneVerdict =
  /** Old, and no release names it: its files are removed. */
  | "prune"
  /** The release names it. */
  | "released"
  /** It is one of the newest. */
  | "newest"
  /** Something of it is younger than the grace period. */
  | "young"
  /** Its files were removed before. */
  | "empty";

/** The verdict on one version. */
export interface VersionVerdict extends BundleVersion {
  /** Why it is removed or stays. */
  readonly verdict: PruneVerdict;
  /** Removable objects, files and zip; after pruning, the removed ones. */
  readonly objects: number;
  /** Their bytes. */
  readonly bytes: number;
}

/** Objects of one version in a bucket. */
export interface Holding extends BundleVersion {
  objects: number;
  bytes: number;
  /** When its youngest object except the mark was written. */
  youngest: number;
}

/** Lists the versions in the bucket, or those of one bundle. */
export async function listVersions(
  bucket: Bucket,
  only: string | undefined,
): Promise<Result<Holding[], BucketFailure>> {
  const holdings = new Map<string, Holding>();
  for await (const object of bucket.objects(only === undefined ? "bundles" : `bundles/${only}`)) {
    if (!object.ok) return object;
    const { key, size, modified } = object.value;
    const [, name = "", version = ""] = key.split("/");
    if (!isBundleName(name) || !isVersion(version)) continue; // not laid out by this publisher
    const path = versionPath(name, version);
    const holding = holdings.get(path) ?? { name, version, objects: 0, bytes: 0, youngest: 0 };
    holdings.set(path, holding);
    if (key === prunedMarkPath(holding)) continue;
    holding.youngest = Math.max(holding.youngest, modified);
    if (!isRemovable(object.value)) continue;
    holding.objects++;
    holding.bytes += size;
  }
  return ok([...holdings.values()]);
}

/** Decides for each version whether it is removed or stays, and why: by bundle, newest first. */
export function judge(
  holdings: readonly Holding[],
  { released, keep, before }: {
    readonly released: Release;
    readonly keep: number;
    readonly before: number;
  },
): VersionVerdict[] {
  const ordered = [...holdings].sort((a, b) =>
    a.name === b.name
      ? (versionNumber(a.version) < versionNumber(b.version) ? 1 : -1)
      : (a.name < b.name ? -1 : 1)
  );
  const seen = new Map<string, number>();
  return ordered.map((holding) => {
    const { name, version, objects, bytes, youngest } = holding;
    const rank = seen.get(name) ?? 0;
    seen.set(name, rank + 1);
    const verdict: PruneVerdict = isReleased(released, holding)
      ? "released"
      : rank < keep
      ? "newest"
      : objects === 0
      ? "empty"
      : youngest >= before
      ? "young"
      : "prune";
    return { name, version, verdict, objects, bytes };
  });
}

/** Lists the objects of one version, except the mark. */
export async function objectsOf(
  bucket: Bucket,
  { name, version }: BundleVersion,
): Promise<Result<StoredObject[], BucketFailure>> {
  const found: StoredObject[] = [];
  for await (const object of bucket.objects(versionPath(name, version))) {
    if (!object.ok) return object;
    if (!object.value.key.endsWith(`/${PRUNED_MARK}`)) found.push(object.value);
  }
  return ok(found);
}

/**
 * Returns whether an object is removed with its version: everything but the evidence that the version
 * was used.
 */
export function isRemovable({ key }: StoredObject): boolean {
  return /^bundles\/[^/]+\/[^/]+\/(?:files\/.+|bundle\.zip)$/.test(key);
}

/** Whether the release names it. */
export function isReleased({ bundles }: Release, { name, version }: BundleVersion): boolean {
  return own(bundles, name) === version;
}
