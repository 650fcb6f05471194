import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { forEachParallel } from "../core/parallel.ts";
import { isBundleName, isVersion, versionNumber } from "../core/paths.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import {
  isSigned,
  parseRelease,
  readRecord,
  type Release,
  RELEASE_PATH,
  versionPath,
} from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Bucket, BucketFailure, StoredObject } from "./store/bucket.ts";
import { bytesBody, overRelease } from "./store/objects.ts";
import { type BundleVersion, markPruned, PRUNED_MARK, prunedMarkPath } from "./pruned-mark.ts";

/** Removals at once. */
const LANES = 8;
/** Tries at a release that publishers change meanwhile. */
const TRIES = 5;
/** Characters of white space that make the release other bytes. */
const FENCE_CHARACTERS = 48;

/** What a prune works with. */
export interface PruneDependencies {
  /** What is cleaned up. */
  readonly bucket: Bucket;
  /** Tells ages. */
  readonly clock: Clock;
  /** Told each step as it begins. */
  readonly onStep?: (step: string) => void;
  /** Told how many objects are removed. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Gives the prune up, also on a bucket that minds no signal of its own. */
  readonly signal?: AbortSignal;
}

/** What may go. */
export interface PruneRequest {
  /** How many of the newest versions of each bundle stay, at least 1. */
  readonly keep: number;
  /** A version with an object younger than this stays, in milliseconds. */
  readonly graceMs: number;
  /** Without it nothing is written or removed. */
  readonly apply: boolean;
  /** Only this bundle. */
  readonly name?: string;
  /** What the release must be signed with, where that is known. */
  readonly publicKey?: string;
}

/** Why a version goes or stays. */
export type Verdict =
  /** No release names it, and it is old: its files go. */
  | "prune"
  /** The release names it. */
  | "released"
  /** It is one of the newest. */
  | "newest"
  /** Something of it is younger than the grace period. */
  | "young"
  /** Its files are gone already. */
  | "empty";

/** One version, looked at. */
export interface VersionVerdict extends BundleVersion {
  /** Why it goes or stays. */
  readonly verdict: Verdict;
  /** Objects that can be removed, files and zip; of a version that was pruned those that were. */
  readonly objects: number;
  /** Their bytes. */
  readonly bytes: number;
}

/** What a prune did, or would do. */
export interface PruneReport {
  /** Whether anything was removed, or only planned. */
  readonly applied: boolean;
  /** Every version, by bundle, newest first. */
  readonly versions: readonly VersionVerdict[];
  /** Objects that were removed, or would be. */
  readonly objects: number;
  /** Their bytes. */
  readonly bytes: number;
  /** Litter of writers that died, removed beside. */
  readonly unfinished: number;
  /** What could not be removed; the rest was. */
  readonly failures: readonly string[];
}

/** Why nothing was pruned, or, when it was given up, not all. */
export type PruneFailure = Failure<
  "bad-request" | "no-release" | "invalid-release" | "release-race" | "bucket" | "cancelled"
>;

/**
 * Removes the files of versions that nothing needs any more: those that the release does not name,
 * that are not among the newest, and of which nothing is younger than the grace period. A manifest
 * is never removed: it is the only evidence that a version was used.
 *
 * Publishers may run meanwhile, however slowly. First the versions get a mark. Then the release is
 * written anew: the same signed record, with other white space behind it. From then on nobody can
 * replace the release without reading it again, and a publisher looks for the mark after it has read.
 * So either it sees the mark and publishes nothing, or its release was there before that write, and
 * this sees it and removes nothing. The mark stays, and the version is used up; a prune that was
 * stopped can be run again.
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
      `Cannot keep ${keep} versions: expected at least 1, and a grace >= 0`,
    );
  }
  onStep("look");
  const before = clock.now() - graceMs;
  const release = await readRelease(bucket, request.publicKey);
  if (!release.ok) return release;
  const listed = await listBundles(bucket, request.name);
  if (!listed.ok) return bucketFailure(listed.error);
  const versions = judge(listed.value, { released: release.value.release, keep, before });
  const doomed = versions.filter(({ verdict }) => verdict === "prune");
  if (!apply) return ok(report(versions, { applied: false, unfinished: 0, failures: [] }));

  onStep("mark");
  const marked = await markAll(dependencies, doomed);
  if (!marked.ok) return bucketFailure(marked.error);
  onStep("fence");
  const fenced = doomed.length > 0 ? await fence(dependencies, request.publicKey) : release;
  if (!fenced.ok) return fenced;

  onStep("remove");
  const { settled, failures } = await removeAll(dependencies, {
    doomed,
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

/** Removes the files of marked versions, but for those that came into use before the fence. */
async function removeAll(
  { bucket, onProgress, signal }: PruneDependencies,
  { doomed, marked, released, before }: {
    readonly doomed: readonly VersionVerdict[];
    /** Those that got their mark from this prune. */
    readonly marked: ReadonlySet<VersionVerdict>;
    readonly released: Release;
    readonly before: number;
  },
): Promise<{ settled: ReadonlyMap<VersionVerdict, VersionVerdict>; failures: string[] }> {
  const failures: string[] = [];
  const settled = new Map<VersionVerdict, VersionVerdict>();
  const total = doomed.reduce((sum, { objects }) => sum + objects, 0);
  let done = 0;
  for (const version of doomed) {
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

  /** @returns Whether it is gone. */
  async function remove(key: string): Promise<boolean> {
    const removed = await bucket.remove(key);
    if (!removed.ok) failures.push(removed.error.message);
    return removed.ok;
  }
}

/** The release as it stands. */
interface StandingRelease {
  readonly release: Release;
  readonly text: string;
  readonly tag: string;
}

/** The release, whatever app and channel it is for: what it names must stay. */
async function readRelease(
  bucket: Bucket,
  publicKey: string | undefined,
): Promise<Result<StandingRelease, PruneFailure>> {
  const object = await bucket.read(RELEASE_PATH, LIMITS.releaseBytes);
  if (!object.ok) return bucketFailure(object.error);
  if (object.value === null) {
    return fail(
      "no-release",
      `Cannot prune ${bucket.label}: it has no release.json, so what is in use is unknown`,
      "Check the bucket's address; restore the release if it was lost",
    );
  }
  const { bytes, tag } = object.value;
  const record = readRecord(bytes);
  const { app, channel } = record.ok ? record.value : {};
  const release = record.ok
    ? parseRelease(record.value, { app: String(app), channel: String(channel) })
    : record;
  const signed = record.ok && publicKey !== undefined
    ? await isSigned(record.value, publicKey)
    : true;
  if (release.ok && signed) {
    return ok({ release: release.value, text: decodeUtf8(bytes) ?? "", tag });
  }
  const found = release.ok ? "it is not signed by that key" : release.error.message;
  return fail(
    "invalid-release",
    `Cannot prune ${bucket.label}: its release.json cannot be trusted: ${found}`,
    "Nothing was removed; restore the release first",
  );
}

/**
 * Writes the release anew, as other bytes that say the same: whoever has read it before cannot
 * replace it any more. @returns The release that stood there.
 */
async function fence(
  { bucket }: PruneDependencies,
  publicKey: string | undefined,
): Promise<Result<StandingRelease, PruneFailure>> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const standing = await readRelease(bucket, publicKey);
    if (!standing.ok) return standing;
    const { text, tag } = standing.value;
    const bytes = encodeUtf8(`${text.trimEnd()}${whiteSpace()}\n`);
    if (bytes.length > LIMITS.releaseBytes) {
      return fail(
        "invalid-release",
        `Cannot prune ${bucket.label}: its release.json has ${text.length} bytes and no room for more`,
        "Publish fewer bundles with one release",
      );
    }
    const put = await bucket.put(RELEASE_PATH, bytesBody(bytes), overRelease(tag));
    if (!put.ok) return bucketFailure(put.error);
    if (put.value === "written") return standing;
  }
  return fail(
    "release-race",
    `Cannot prune ${bucket.label}: publishers changed release.json ${TRIES} times meanwhile`,
    "Nothing was removed; try again when fewer publish",
  );
}

/** White space that was never there before: a store may tell equal bytes by equal tags. */
function whiteSpace(): string {
  const random = crypto.getRandomValues(new Uint8Array(FENCE_CHARACTERS));
  return Array.from(random, (byte) => byte < 128 ? " " : "\n").join("");
}

/** What a bucket holds of one version. */
interface Holding extends BundleVersion {
  objects: number;
  bytes: number;
  /** When its youngest object but the mark was written. */
  youngest: number;
}

async function listBundles(
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

function judge(
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
    const verdict: Verdict = isReleased(released, holding)
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

/** @returns The versions that got their mark from this call: one that is spared loses it again. */
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

async function objectsOf(
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

/** Whether an object goes with its version: everything but the evidence that it was used. */
function isRemovable({ key }: StoredObject): boolean {
  return /^bundles\/[^/]+\/[^/]+\/(?:files\/.+|bundle\.zip)$/.test(key);
}

function isReleased({ bundles }: Release, { name, version }: BundleVersion): boolean {
  return own(bundles, name) === version;
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

function bucketFailure({ message, next }: BucketFailure): Result<never, PruneFailure> {
  return fail("bucket", message, next);
}
