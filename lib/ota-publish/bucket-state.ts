import { ok } from "../core/result.ts";
import type { Manifest, Release } from "../ota-format/mod.ts";
import { type Claim, findClaim, hasClaimedZip, versionExists } from "./claim.ts";
import { type Beginning, readBeginning } from "./first-publish.ts";
import { type EarlierVersions, earlierVersions } from "./plan.ts";
import { isPruned } from "./pruned-mark.ts";
import { bucketFailure, type PublishResult } from "./publish-failure.ts";
import {
  findVouched,
  nextSequence,
  type Publisher,
  readCurrentRelease,
  readReleaseLog,
} from "./release-log.ts";

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
  /** Whether that claim's zip is in place. */
  readonly zipIsThere: boolean;
}

/** Looks at all that decides what is still to be written of a version. */
export async function readBucketState(
  publisher: Publisher,
  manifest: Manifest,
): PublishResult<BucketState> {
  const { bucket } = publisher;
  const current = await readCurrentRelease(publisher);
  if (!current.ok) return current;
  const { released } = current.value;
  const log = await readReleaseLog(publisher, released, 0);
  if (!log.ok) return log;
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
    // A mark lets others begin at 1: not where this one begins above what phones have seen.
    beginning: beginning.ok && floor === 0 ? beginning.value : null,
    claimed: claimed.value,
    zipIsThere: zip.value,
    earlier: earlier.value,
    sources: present.filter(({ hash }) => vouched.value.has(hash)),
  });
}
