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

/** The state of the bucket before anything is written. */
export interface BucketState extends EarlierVersions {
  /** The verified release; `null` if nothing was ever published. */
  readonly current: Release | null;
  /** The last signed release that is not the current one; `null` if there is none. */
  readonly unfinished: Release | null;
  /** The sequence of the next release, according to the listing. */
  readonly next: number;
  /** Which kind of first publish this is; `null` if it is not one (PUB-23). */
  readonly beginning: Beginning | null;
  /** The claim to this very content, made before. */
  readonly claimed: Claim | null;
  /** The publisher; with facts from the bucket if nothing else knows them (PUB-23). */
  readonly publisher: Publisher;
  /** Whether that claim's zip is in place. */
  readonly zipIsThere: boolean;
}

/**
 * Reads the facts on which a publish is decided, and checks that its version may be released over
 * the current one. Writes nothing (PUB-32).
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

/** Reads everything that decides which parts of a version remain to be written. */
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
    // A mark lets others begin at 1. When this publisher begins above the sequences that phones
    // have seen, it makes no mark, and ends an existing one.
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
