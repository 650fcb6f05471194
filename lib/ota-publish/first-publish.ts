import { LIMITS } from "../core/limits.ts";
import { isBundleName, isVersion, versionNumber } from "../core/paths.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { manifestPath, RELEASE_PATH, signedReleasePath } from "../ota-format/mod.ts";
import type { Publisher } from "./release-log.ts";
import type { Bucket, BucketResult, PutOutcome } from "./store/bucket.ts";
import { PRIVATE } from "./store/names.ts";
import { IMMUTABLE, textObject } from "./store/objects.ts";

// A bucket without a release is new, or lost all its releases; a first publish in progress looks
// like the latter. So a first publish makes a mark before its manifest, and removes it after its
// release (PUB-23); a publisher that may not remove the mark makes a second one, which ends the
// first.

/** The mark: no release has sequence 0. */
const FIRST_PUBLISH_PATH = signedReleasePath(0);

/** The mark that ends the first mark if that cannot be removed. */
const FIRST_PUBLISHED_PATH = `${PRIVATE}published`;

/** The kinds of a bucket without a release. */
export type Beginning =
  /** No version was ever claimed in it. */
  | "new"
  /** Versions were claimed, and a first release is on its way. */
  | "begun";

/**
 * Distinguishes a new bucket from one that lost its releases: there the sequence that phones have
 * seen is unknown, and phones refuse a lower one.
 *
 * @returns `no-release` for the latter, or `bucket`.
 */
export async function readBeginning(
  bucket: Bucket,
): Promise<Result<Beginning, Failure<"no-release" | "bucket">>> {
  const claimed = await findClaimedVersion(bucket);
  if (!claimed.ok) return fail("bucket", claimed.error.message, claimed.error.next);
  if (claimed.value === null) return ok("new");
  // In this order: the mark exists from before the first claim until the release exists.
  const found: boolean[] = [];
  for (const path of [FIRST_PUBLISH_PATH, FIRST_PUBLISHED_PATH, RELEASE_PATH]) {
    const there = await bucket.stat(path);
    if (!there.ok) return fail("bucket", there.error.message, there.error.next);
    found.push(there.value !== null);
  }
  const [isBegun, hasEnded, isReleased] = found;
  if (isReleased || (isBegun && !hasEnded)) return ok("begun");
  return fail(
    "no-release",
    `Cannot publish to ${bucket.label}: its release is missing, although ${claimed.value} exists`,
    "Restore release.json and releases/; if they are lost, use --first, with --min-sequence N if " +
      "you know that phones have seen sequence N: the release gets a higher one",
  );
}

/**
 * Chooses the sequence of a repeated first publish whose publisher does not know what phones have
 * seen: above every sequence that they can have, but no leap for a phone that has seen none
 * (PUB-23). Publishing takes one sequence, and so does going back, so ten for each version number
 * plus a thousand are more than were ever signed.
 *
 * @param highest The highest taken sequence; 0 for none.
 */
export async function firstPublisher(
  publisher: Publisher,
  highest: number,
): BucketResult<Publisher> {
  const { bucket, first = false, minSequence } = publisher;
  if (!first || minSequence > 0 || highest > 0) return ok(publisher);
  const names = await bucket.list("bundles");
  if (!names.ok) return names;
  let newest = 0n;
  for (const name of names.value.filter(isBundleName)) {
    const versions = await bucket.list(`bundles/${name}`);
    if (!versions.ok) return versions;
    for (const version of versions.value.filter(isVersion)) {
      const number = versionNumber(version);
      if (number > newest) newest = number;
    }
  }
  if (newest === 0n) return ok(publisher);
  const floor = Number(newest) * 10 + 1000;
  return ok({ ...publisher, minSequence: Math.min(floor, LIMITS.sequenceJump - 1) });
}

/** Marks a new bucket, before a version is claimed in it. */
export async function markFirstPublish(bucket: Bucket): BucketResult<PutOutcome> {
  return await mark(bucket, FIRST_PUBLISH_PATH);
}

/**
 * Ends the mark after a release: removes it, or makes the mark that ends it. A mark that remains
 * does no harm except that it hides a loss of releases.
 */
export async function unmarkFirstPublish(bucket: Bucket): Promise<void> {
  const removed = await bucket.remove(FIRST_PUBLISH_PATH);
  if (!removed.ok) await mark(bucket, FIRST_PUBLISHED_PATH);
}

async function mark(bucket: Bucket, path: string): BucketResult<PutOutcome> {
  const { body } = await textObject('{"schema":1}\n');
  return await bucket.put(path, body, { ...IMMUTABLE, contentType: "application/json" });
}

/** Returns the version path of any manifest; `null` if the bucket has none. */
async function findClaimedVersion(bucket: Bucket): BucketResult<string | null> {
  const names = await bucket.list("bundles");
  if (!names.ok) return names;
  for (const name of names.value.filter(isBundleName)) {
    const versions = await bucket.list(`bundles/${name}`);
    if (!versions.ok) return versions;
    for (const version of versions.value.filter(isVersion)) {
      const path = manifestPath(name, version);
      const there = await bucket.stat(path);
      if (!there.ok) return there;
      if (there.value !== null) return ok(path);
    }
  }
  return ok(null);
}
