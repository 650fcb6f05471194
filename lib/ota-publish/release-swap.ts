import { type RetryRules, Tries } from "../core/retry.ts";
import { encodeUtf8 } from "../core/bytes.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import {
  carriedMembers,
  type ContentRef,
  isSigned,
  type JsonObject,
  type KeyPair,
  lostMembers,
  parseRelease,
  readRecord,
  type Release,
  RELEASE_PATH,
  type ReleaseTarget,
  SCHEMA,
  serializeRelease,
} from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Bucket } from "./store/bucket.ts";
import { bytesBody, overRelease } from "./store/objects.ts";
import { type BundleVersion, isPruned } from "./pruned-mark.ts";

/** Tries at a release that other publishers change meanwhile (PUB-3). */
const RETRIES: RetryRules = { tries: 5, firstWaitMs: 100, longestWaitMs: 5_000 };

/** Why the release was not changed. */
export type SwapFailureCode =
  | "bucket"
  | "invalid-release"
  | "rolled-back"
  | "release-race"
  | "pruned"
  | "too-large";

/** The release as it stands, verified; `null` when nothing was ever published. */
export interface CurrentRelease {
  readonly release: Release | null;
  readonly tag: string | null;
  /** Members that the next release takes over as they are (PUB-20). */
  readonly carried: JsonObject;
}

/** Who publishes, and what they know. */
export interface Publisher {
  readonly bucket: Bucket;
  readonly key: KeyPair;
  readonly target: ReleaseTarget;
  /** The highest sequence that this publisher has seen in the bucket; 0 for none. */
  readonly minSequence: number;
}

/** What a publish changes in the release. What is absent keeps what the release says. */
export interface ReleaseChange {
  readonly name: string;
  readonly version: string;
  readonly manifest: ContentRef;
  readonly engineApi: number;
  readonly mandatory?: boolean;
  readonly minEngineApi?: number;
}

/** Reads and verifies the current release: nothing is merged into a record that is not ours. */
export async function readCurrentRelease(
  { bucket, key, target, minSequence }: Publisher,
): Promise<Result<CurrentRelease, Failure<SwapFailureCode>>> {
  const object = await bucket.read(RELEASE_PATH, LIMITS.releaseBytes);
  if (!object.ok) return fail("bucket", object.error.message, object.error.next);
  if (object.value === null) {
    return minSequence > 0
      ? rolledBack(bucket, "it has no release.json", minSequence)
      : ok({ release: null, tag: null, carried: {} });
  }
  const record = readRecord(object.value.bytes);
  if (!record.ok) return invalid(bucket, record.error.message);
  if (!await isSigned(record.value, key.publicKey)) {
    return invalid(bucket, "it is not signed by this key");
  }
  const release = parseRelease(record.value, target);
  if (!release.ok) {
    return release.error.code === "unsupported"
      ? newerPublisher(bucket, "critical")
      : invalid(bucket, release.error.message);
  }
  const { sequence } = release.value;
  if (sequence < minSequence) {
    return rolledBack(bucket, `its release.json has sequence ${sequence}`, minSequence);
  }
  const [lost] = lostMembers(record.value);
  if (lost !== undefined) return newerPublisher(bucket, lost);
  const carried = carriedMembers(record.value);
  return ok({ release: release.value, tag: object.value.tag, carried });
}

/** The release after a change (PUB-4). */
function mergeRelease(
  current: Release | null,
  change: ReleaseChange,
  target: ReleaseTarget,
): Release {
  return {
    schema: SCHEMA,
    app: target.app,
    channel: target.channel,
    sequence: (current?.sequence ?? 0) + 1,
    bundles: { ...current?.bundles, [change.name]: change.version },
    manifests: { ...current?.manifests, [change.name]: change.manifest },
    mandatory: change.mandatory ?? current?.mandatory ?? false,
    minEngineApi: change.minEngineApi ?? current?.minEngineApi ?? change.engineApi,
  };
}

/** Merges, signs and swaps the release; begins again when another publisher was first. */
export async function swapRelease(
  publisher: Publisher,
  change: ReleaseChange,
  clock: Clock,
): Promise<Result<Release, Failure<SwapFailureCode>>> {
  const { bucket, key, target } = publisher;
  const tries = new Tries(RETRIES);
  let waitMs: number | null = 0;
  for (; waitMs !== null; waitMs = tries.next()) {
    if (waitMs > 0) await clock.sleep(waitMs);
    const current = await readCurrentRelease(publisher);
    if (!current.ok) return current;
    const release = mergeRelease(current.value.release, change, target);
    const bytes = encodeUtf8(
      await serializeRelease(release, key.privateKey, current.value.carried),
    );
    if (bytes.length > LIMITS.releaseBytes) {
      return fail(
        "too-large",
        `Cannot publish: release.json would have ${bytes.length} bytes, expected at most ${LIMITS.releaseBytes}`,
        "Publish fewer bundles with one release",
      );
    }
    // After the release was read: a prune marks first, and then makes what was read out of date.
    const usable = await notPruned(bucket, change);
    if (!usable.ok) return usable;
    const put = await bucket.put(RELEASE_PATH, bytesBody(bytes), overRelease(current.value.tag));
    if (!put.ok) return fail("bucket", put.error.message, put.error.next);
    if (put.value === "written") return ok(release);
  }
  return fail(
    "release-race",
    `Cannot publish: other publishers changed release.json ${tries.failed} times meanwhile`,
    "Publish the same version again: it resumes where it stopped",
  );
}

/** Refuses a version that a prune has marked: its files are gone, or about to go. */
async function notPruned(
  bucket: Bucket,
  version: BundleVersion,
): Promise<Result<null, Failure<SwapFailureCode>>> {
  const pruned = await isPruned(bucket, version);
  if (!pruned.ok) return fail("bucket", pruned.error.message, pruned.error.next);
  return pruned.value
    ? fail(
      "pruned",
      `Cannot publish ${version.name} ${version.version}: its files were pruned from ${bucket.label}`,
      "Publish as a new version",
    )
    : ok(null);
}

function invalid(bucket: Bucket, found: string): Result<never, Failure<SwapFailureCode>> {
  return fail(
    "invalid-release",
    `Cannot publish over the release.json of ${bucket.label}: ${found}`,
    "Check the key, app and channel; never overwrite a release that you cannot verify",
  );
}

/** PUB-20: what this publisher does not know it would drop from the record. */
function newerPublisher(bucket: Bucket, member: string): Result<never, Failure<SwapFailureCode>> {
  return fail(
    "invalid-release",
    `Cannot publish over the release.json of ${bucket.label}: it was written by a newer publisher, ` +
      `found ${JSON.stringify(member)}, which this one would drop`,
    "Publish with the version of slipway that wrote it, or a later one",
  );
}

function rolledBack(
  bucket: Bucket,
  found: string,
  seen: number,
): Result<never, Failure<SwapFailureCode>> {
  return fail(
    "rolled-back",
    `Cannot publish to ${bucket.label}: ${found}, but sequence ${seen} was published before`,
    "Someone put an older release back; restore the latest release.json first",
  );
}
