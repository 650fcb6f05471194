import { type Failure, ok, type Result } from "../core/result.ts";
import type { Manifest, Release } from "../ota-format/mod.ts";
import { type Claim, findClaim, hasClaimedZip, versionExists } from "./claim.ts";
import { type Beginning, firstPublisher, readBeginning } from "./first-publish.ts";
import { type EarlierVersions, earlierVersions } from "./plan.ts";
import { isPruned } from "./pruned-mark.ts";
import { bucketFailure, type PublishResult } from "./publish-failure.ts";
import {
  findVouched,
  nextSequence,
  type Publisher,
  readCurrentRelease,
  readReleaseLog,
  type SwapFailureCode,
} from "./release-log.ts";
import { decideOrder, type OrderedChange, type WantedVersion } from "./release-order.ts";

/** How the bucket stands before anything is written. */
export interface BucketState extends EarlierVersions {
  /** The release, verified; `null` when nothing was ever published. */
  readonly current: Release | null;
  /** The last release that was signed and is not the current one; `null` when there is none. */
  readonly unfinished: Release | null;
  /** The sequence that the next release gets, as far as the listing tells. */
  readonly next: number;
  /** Which first publish this is, if it is one (PUB-23). */
  readonly beginning: Beginning | null;
  /** The claim to this very content, made before. */
  readonly claimed: Claim | null;
  /** The publisher; facts that are known nowhere else come from the bucket (PUB-23). */
  readonly publisher: Publisher;
  /** Whether that claim's zip is in place. */
  readonly zipIsThere: boolean;
}

/**
 * Reads the facts that a publish is decided upon, if its version may be released over the current one.
 * Writes nothing (PUB-32).
 */
export async function checkPublishOrder(
  publisher: Publisher,
  asked: WantedVersion,
): Promise<Result<OrderedChange, Failure<SwapFailureCode>>> {
  const current = await readCurrentRelease(publisher);
  if (!current.ok) return current;
  const { released } = current.value;
  const log = await readReleaseLog(publisher, released, 0);
  if (!log.ok) return log;
  return decideOrder((log.value.unfinished ?? released)?.release ?? null, asked);
}

/** Looks at all that decides what is still to be written of a version. */
export async function readBucketState(
  asked: Publisher,
  manifest: Manifest,
): PublishResult<BucketState> {
  const { bucket } = asked;
  const current = await readCurrentRelease(asked);
  if (!current.ok) return current;
  const { released } = current.value;
  const log = await readReleaseLog(asked, released, 0);
  if (!log.ok) return log;
  const floored = await firstPublisher(asked, log.value.highest);
  if (!floored.ok) return bucketFailure(floored.error);
  const publisher = floored.value;
  const next = nextSequence(publisher, released, log.value);
  if (!next.ok) return next;
  const { first = false, minSequence } = publisher;
  const lacksRelease = released === null && log.value.highest === 0;
  const beginning = lacksRelease ? await readBeginning(bucket) : ok(null);
  if (!beginning.ok && !(first && beginning.error.code === "no-release")) return beginning;
  const floor = first ? minSequence : 0;
  const release = released?.release ?? null;
  const claimed = await findClaim(bucket, manifest);
  if (!claimed.ok) return claimed;
  const pruned = await isPruned(bucket, manifest);
  if (!pruned.ok) return bucketFailure(pruned.error);
  if (pruned.value) return await versionExists(bucket, manifest, "its files were pruned");
  const zip = claimed.value === null ? ok(false) : await hasClaimedZip(bucket, claimed.value);
  if (!zip.ok) return zip;
  const earlier = await earlierVersions(bucket, manifest, release);
  if (!earlier.ok) return bucketFailure(earlier.error);
  const present = earlier.value.filter((version) => !version.pruned);
  const vouched = await findVouched(publisher, released, present);
  if (!vouched.ok) return vouched;
  return ok({
    current: release,
    unfinished: log.value.unfinished?.release ?? null,
    next: next.value,
    // A mark lets others begin at 1: none is made where this one begins above what phones have seen,
    // and one that is there ends with it.
    beginning: beginning.ok && (floor === 0 || beginning.value === "begun")
      ? beginning.value
      : null,
    claimed: claimed.value,
    publisher,
    zipIsThere: zip.value,
    earlier: earlier.value,
    sources: present.filter(({ hash }) => vouched.value.has(hash)),
  });
}
