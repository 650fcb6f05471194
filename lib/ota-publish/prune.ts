import { forEachParallel } from "../core/parallel.ts";
import { fail, messageOf, ok, type Result } from "../core/result.ts";
import type { Release } from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Bucket, BucketFailure } from "./store/bucket.ts";
import { fence, type PruneFailure, readRelease, toPruneFailure } from "./prune-release.ts";
import {
  isReleased,
  isRemovable,
  judge,
  listVersions,
  objectsOf,
  type VersionVerdict,
} from "./prune-versions.ts";
import { markPruned, prunedMarkPath } from "./pruned-mark.ts";

/** Removals in parallel. */
const LANES = 8;

/** Dependencies of a prune. */
export interface PruneDependencies {
  /** Bucket to prune. */
  readonly bucket: Bucket;
  /** Measures ages. */
  readonly clock: Clock;
  /** Called with each step as it starts. */
  readonly onStep?: (step: string) => void;
  /** Called with the number of removed objects. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Cancels the prune, also on a bucket without a signal of its own. */
  readonly signal?: AbortSignal;
}

/** A request to prune. */
export interface PruneRequest {
  /** Newest versions of each bundle that stay, at least 1. */
  readonly keep: number;
  /** A version with an object younger than this stays, in milliseconds. */
  readonly graceMs: number;
  /** False only reports: nothing is written or removed. */
  readonly apply: boolean;
  /** Only this bundle. */
  readonly name?: string;
  /** Key that the release must be signed with, if known. */
  readonly publicKey?: string;
}

/** Result of a prune, or its plan. */
export interface PruneReport {
  /** Whether anything was removed, or only planned. */
  readonly applied: boolean;
  /** Every version, by bundle, newest first. */
  readonly versions: readonly VersionVerdict[];
  /** Objects that were removed, or would be. */
  readonly objects: number;
  /** Their bytes. */
  readonly bytes: number;
  /** Uploads that were never finished, removed as well. */
  readonly unfinished: number;
  /** Objects that could not be removed; the others were. */
  readonly failures: readonly string[];
}

/**
 * Removes the files of versions that nothing needs any more: the release does not name them, they
 * are not among the newest, and all their objects are older than the grace period. Never removes a
 * manifest, the only evidence that a version was used.
 *
 * Publishers may run at the same time, however slowly. First the versions get a mark. Then the
 * release is written again: the same signed record, with other white space behind it. After that
 * nobody can replace the release without reading it again, and a publisher looks for the mark after
 * it has read. So either the publisher sees the mark and publishes nothing, or its release was
 * written before the fence, and the prune sees it and removes nothing. The mark stays, and the
 * version is used up; an interrupted prune can be run again.
 *
 * @returns `bad-request`, `no-release`, `invalid-release`, `release-race`, `bucket` or `cancelled`;
 * single objects that could not be removed are in the report.
 */
export async function prune(
  dependencies: PruneDependencies,
  request: PruneRequest,
): Promise<Result<PruneReport, PruneFailure>> {
  const pruned = await pruneBucket(dependencies, request);
  const { bucket, signal } = dependencies;
  return !signal?.aborted ? pruned : fail(
    "cancelled",
    `The prune of ${bucket.label} was cancelled: ${messageOf(signal.reason)}`,
    "Run it again to finish it",
  );
}

async function pruneBucket(
  dependencies: PruneDependencies,
  request: PruneRequest,
): Promise<Result<PruneReport, PruneFailure>> {
  const { bucket, clock, onStep = () => undefined } = dependencies;
  const { keep, graceMs, apply } = request;
  if (!Number.isSafeInteger(keep) || keep < 1 || !(graceMs >= 0)) {
    return fail(
      "bad-request",
      `Cannot keep ${keep} versions for ${graceMs} ms: expected at least 1, and a grace >= 0`,
      "Correct the numbers",
    );
  }
  onStep("look");
  const before = clock.now() - graceMs;
  const release = await readRelease(bucket, request.publicKey);
  if (!release.ok) return release;
  const listed = await listVersions(bucket, request.name);
  if (!listed.ok) return toPruneFailure(listed.error);
  const versions = judge(listed.value, { released: release.value.release, keep, before });
  const removable = versions.filter(({ verdict }) => verdict === "prune");
  if (!apply) return ok(report(versions, { applied: false, unfinished: 0, failures: [] }));

  onStep("mark");
  const marked = await markAll(dependencies, removable);
  if (!marked.ok) return toPruneFailure(marked.error);
  onStep("fence");
  const fenced = removable.length > 0 ? await fence(bucket, request.publicKey) : release;
  if (!fenced.ok) return fenced;

  onStep("remove");
  const { settled, failures } = await removeAll(dependencies, {
    removable,
    marked: marked.value,
    released: fenced.value.release,
    before,
  });
  const swept = await bucket.removeUnfinished(before);
  if (!swept.ok) failures.push(swept.error.message);
  return ok(report(versions.map((version) => settled.get(version) ?? version), {
    applied: true,
    unfinished: swept.ok ? swept.value : 0,
    failures,
  }));
}

/** Removes the files of marked versions, except those that were released before the fence. */
async function removeAll(
  { bucket, onProgress, signal }: PruneDependencies,
  { removable, marked, released, before }: {
    readonly removable: readonly VersionVerdict[];
    /** The versions that this prune marked. */
    readonly marked: ReadonlySet<VersionVerdict>;
    readonly released: Release;
    readonly before: number;
  },
): Promise<{ settled: ReadonlyMap<VersionVerdict, VersionVerdict>; failures: string[] }> {
  const failures: string[] = [];
  const settled = new Map<VersionVerdict, VersionVerdict>();
  const total = removable.reduce((sum, { objects }) => sum + objects, 0);
  let done = 0;
  for (const version of removable) {
    if (signal?.aborted) break;
    const found = await objectsOf(bucket, version);
    if (!found.ok) failures.push(found.error.message);
    const held = found.ok ? found.value : [];
    const spared = isReleased(released, version)
      ? "released"
      : held.some(({ modified }) => modified >= before)
      ? "young"
      : null;
    if (spared !== null) {
      settled.set(version, { ...version, verdict: spared });
      if (marked.has(version)) await remove(prunedMarkPath(version));
      continue;
    }
    let objects = 0;
    let bytes = 0;
    await forEachParallel(held.filter(isRemovable), LANES, async ({ key, size }) => {
      if (signal?.aborted) return;
      if (await remove(key)) {
        objects++;
        bytes += size;
      }
      onProgress?.(++done, total);
    });
    settled.set(version, { ...version, objects, bytes });
  }
  return { settled, failures };

  /** @returns Whether the object was removed. */
  async function remove(key: string): Promise<boolean> {
    const removed = await bucket.remove(key);
    if (!removed.ok) failures.push(removed.error.message);
    return removed.ok;
  }
}

/** @returns The versions that this call marked: a version that is spared loses the mark again. */
async function markAll(
  { bucket, clock }: PruneDependencies,
  versions: readonly VersionVerdict[],
): Promise<Result<Set<VersionVerdict>, BucketFailure>> {
  const marked = new Set<VersionVerdict>();
  for (const version of versions) {
    const put = await markPruned(bucket, version, clock.now());
    if (!put.ok) return put;
    if (put.value === "written") marked.add(version);
  }
  return ok(marked);
}

function report(
  versions: readonly VersionVerdict[],
  rest: Pick<PruneReport, "applied" | "unfinished" | "failures">,
): PruneReport {
  const gone = versions.filter(({ verdict }) => verdict === "prune");
  return {
    ...rest,
    versions,
    objects: gone.reduce((sum, { objects }) => sum + objects, 0),
    bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}
