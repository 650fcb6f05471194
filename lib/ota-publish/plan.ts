import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { forEachParallel } from "../core/parallel.ts";
import { isVersion, versionNumber } from "../core/paths.ts";
import { ok, type Result } from "../core/result.ts";
import { planStage } from "../ota-format/diff.ts";
import { contentPath, manifestPath } from "../ota-format/layout.ts";
import { type Manifest, parseManifest } from "../ota-format/manifest.ts";
import type { Bucket, BucketFailure, BucketResult } from "./bucket.ts";

/** How many earlier versions a plan is computed for. */
const BASES = 5;
const LANES = 8;

/** What a publish would do. */
export interface PublishPlan {
  /** Distinct contents that the version's folder does not have yet. */
  readonly newFiles: number;
  /** Distinct contents that it has already. */
  readonly knownFiles: number;
  /** Bytes of the new ones. */
  readonly newBytes: number;
  /** What a device on each of the last versions would download, newest first. */
  readonly updates: readonly {
    readonly from: string;
    readonly downloadBytes: number;
    readonly downloadFiles: number;
  }[];
}

/** The versions of a bundle that the bucket lists, newest first. */
export async function listVersions(bucket: Bucket, name: string): BucketResult<string[]> {
  const listed = await bucket.list(`bundles/${name}`);
  if (!listed.ok) return listed;
  return ok(
    listed.value.filter(isVersion).sort((a, b) => versionNumber(a) < versionNumber(b) ? 1 : -1),
  );
}

/** One more than the highest version that is listed or named. */
export function nextFreeVersion(versions: readonly string[]): string {
  let highest = 0n;
  for (const version of versions) {
    const number = versionNumber(version);
    if (number > highest) highest = number;
  }
  return `v${highest + 1n}`;
}

/** A published manifest as it stands in the bucket, `null` when there is none or it is no manifest. */
export async function readPublishedManifest(
  bucket: Bucket,
  { name, version }: { readonly name: string; readonly version: string },
): BucketResult<Manifest | null> {
  const object = await bucket.read(manifestPath(name, version), LIMITS.manifestBytes);
  if (!object.ok || object.value === null) return object.ok ? ok(null) : object;
  const manifest = parseManifest(object.value.bytes, { name, version });
  return ok(manifest.ok ? manifest.value : null);
}

/** Compares a manifest with what the bucket has. */
export async function planPublish(
  bucket: Bucket,
  manifest: Manifest,
): Promise<Result<PublishPlan, BucketFailure>> {
  const { name, version } = manifest;
  const contents = distinctContents(manifest);
  let newFiles = 0;
  let newBytes = 0;
  const failures: BucketFailure[] = [];
  await forEachParallel([...contents], LANES, async ([hash, { size }]) => {
    const stat = await bucket.stat(contentPath(name, version, hash));
    if (!stat.ok) failures.push(stat.error);
    else if (stat.value?.size !== size) {
      newFiles++;
      newBytes += size;
    }
  });
  const [failure] = failures;
  if (failure !== undefined) return { ok: false, error: failure };
  const versions = await listVersions(bucket, name);
  if (!versions.ok) return versions;
  const updates: PublishPlan["updates"][number][] = [];
  for (const from of versions.value.filter((other) => other !== version).slice(0, BASES)) {
    const base = await readPublishedManifest(bucket, { name, version: from });
    if (!base.ok) return base;
    if (base.value === null) continue;
    const { download, downloadBytes } = planStage(base.value, manifest);
    updates.push({ from, downloadBytes, downloadFiles: download.length });
  }
  return ok({ newFiles, knownFiles: contents.size - newFiles, newBytes, updates });
}

/** One path for each content of a manifest: equal files are stored once. */
export function distinctContents(
  manifest: Manifest,
): Map<string, { readonly path: string; readonly size: number }> {
  const contents = new Map<string, { path: string; size: number }>();
  for (const path of Object.keys(manifest.files)) {
    const ref = own(manifest.files, path);
    if (ref !== undefined && !contents.has(ref.hash)) {
      contents.set(ref.hash, { path, size: ref.size });
    }
  }
  return contents;
}
