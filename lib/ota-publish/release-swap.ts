import { type RetryRules, Tries } from "../core/retry.ts";
import { encodeUtf8 } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import {
  type BundleVersion,
  type ContentRef,
  type Release,
  RELEASE_PATH,
  type ReleaseTarget,
  SCHEMA,
  serializeRelease,
} from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Bucket } from "./store/bucket.ts";
import { bytesBody, overRelease } from "./store/objects.ts";
import { isPruned } from "./pruned-mark.ts";
import { checkOrder, mergeBackTo, type OrderedChange } from "./release-order.ts";
import {
  keepSigned,
  nextSequence,
  type Publisher,
  readCurrentRelease,
  readReleaseLog,
  type SignedRelease,
  type SwapFailureCode,
} from "./release-log.ts";

/** Tries at a release that other publishers keep changing (PUB-3). */
const RETRIES: RetryRules = { tries: 5, firstWaitMs: 100, longestWaitMs: 5_000 };

/** Sequences that others may claim first, one after the other. */
const CLAIM_TRIES = 50;

/** Changes of a publish to the release. Absent members stay as they are in the release. */
export interface ReleaseChange extends OrderedChange {
  readonly manifest: ContentRef;
  readonly engineApi: number;
  readonly mandatory?: boolean;
  readonly minEngineApi?: number;
}

/** The release after a change (PUB-4). */
function mergeRelease(
  base: Release | null,
  change: ReleaseChange,
  { target, sequence }: { readonly target: ReleaseTarget; readonly sequence: number },
): Release {
  return {
    schema: SCHEMA,
    app: target.app,
    channel: target.channel,
    sequence,
    bundles: { ...base?.bundles, [change.name]: change.version },
    manifests: { ...base?.manifests, [change.name]: change.manifest },
    mandatory: change.mandatory ?? base?.mandatory ?? false,
    minEngineApi: change.minEngineApi ?? base?.minEngineApi ?? change.engineApi,
    ...mergeBackTo(base, change),
  };
}

/**
 * Returns whether a signed release contains the result of a change, so that none needs to be signed
 * for it (PUB-37). An older release that was put back does not count: phones refuse a sequence below
 * one that they have seen (PUB-23).
 */
export function holds(
  { sequence, bundles, manifests, ...rest }: Release,
  change: ReleaseChange,
  { minSequence }: Pick<Publisher, "minSequence">,
): boolean {
  const { name, version, manifest, mandatory, minEngineApi, goesBack } = change;
  return sequence >= minSequence &&
    own(bundles, name) === version && own(manifests, name)?.hash === manifest.hash &&
    (!goesBack || own(rest.backTo, name) === version) &&
    rest.mandatory === (mandatory ?? rest.mandatory) &&
    rest.minEngineApi === (minEngineApi ?? rest.minEngineApi);
}

/** A release that became the current one. */
export interface Swapped {
  readonly release: Release;
  /** The release that it was built upon; itself if it was only confirmed; `null` for the first. */
  readonly base: Release | null;
}

/** Dependencies of a swap. */
export interface SwapDependencies {
  /** Waits between tries. */
  readonly clock: Clock;
  /** Called with the release that a claim is built upon. */
  readonly onBase?: ((base: Release | null) => Promise<void>) | undefined;
}

/**
 * Returns the sequence of the release from which the next one takes `mandatory`; empty if the
 * request sets it.
 */
export function mandatoryFrom(
  asked: boolean | undefined,
  base: Release | null,
): { readonly mandatoryFrom?: number } {
  return asked === undefined && base?.mandatory ? { mandatoryFrom: base.sequence } : {};
}

/**
 * Claims the next sequence with a signed release, and makes it the current one; begins again if
 * another publisher was first (PUB-3, PUB-21). Every claim builds on the one before, so finishing
 * one finishes those below it too. The conditions of the change are checked again before each claim
 * (PUB-32).
 *
 * @param onBase Called with the base of a claim, before the claim.
 */
export async function swapRelease(
  publisher: Publisher,
  change: ReleaseChange,
  { clock, onBase }: SwapDependencies,
): Promise<Result<Swapped, Failure<SwapFailureCode>>> {
  const { bucket } = publisher;
  const tries = new Tries(RETRIES);
  let claimed = Infinity;
  let base: Release | null = null;
  let waitMs: number | null = 0;
  for (; waitMs !== null; waitMs = tries.next()) {
    if (waitMs > 0) await clock.sleep(waitMs);
    const current = await readCurrentRelease(publisher);
    if (!current.ok) return current;
    const { released, tag } = current.value;
    const isReleased = released !== null && holds(released.release, change, publisher);
    // Another publisher may have released on top of this claim.
    const isOwn = isReleased && released.release.sequence >= claimed;
    const next = await claimNext(publisher, change, { released, isReleased, isOwn, onBase });
    if (!next.ok) return next;
    if (next.value === null) {
      if (released === null) throw new TypeError("a change released by no release");
      const { release } = released;
      return ok({ release, base: claimed === Infinity ? release : base });
    }
    const { release, bytes } = next.value;
    claimed = release.sequence;
    base = next.value.base;
    const put = await bucket.put(RELEASE_PATH, bytesBody(bytes), overRelease(tag));
    if (!put.ok) return fail("bucket", put.error.message, put.error.next);
    if (put.value === "written") return ok({ release, base });
  }
  return fail(
    "release-race",
    `Cannot publish: other publishers changed release.json ${tries.failed} times in between`,
    "Publish the same version again: it resumes where it stopped",
  );
}

/** A release that is signed, and claims its sequence. */
type Claimed = Swapped & Pick<SignedRelease, "bytes">;

/**
 * Returns the signed release that comes next: an unreleased claim that holds the change, or a new
 * claim of this call. `null` if the change is released, by this call or an earlier one (PUB-37), and
 * nothing was claimed above it.
 */
async function claimNext(
  publisher: Publisher,
  change: ReleaseChange,
  { released, isReleased, isOwn, onBase }: Pick<SwapDependencies, "onBase"> & {
    readonly released: SignedRelease | null;
    readonly isReleased: boolean;
    readonly isOwn: boolean;
  },
): Promise<Result<Claimed | null, Failure<SwapFailureCode>>> {
  const { bucket, key, target } = publisher;
  // After the release was read: a prune marks first, and then invalidates earlier reads.
  const usable = await notPruned(bucket, change);
  if (!usable.ok) return usable;
  let highest = released?.release.sequence ?? 0;
  for (let tries = 0; tries < CLAIM_TRIES; tries++) {
    const log = await readReleaseLog(publisher, released, highest);
    if (!log.ok) return log;
    const { unfinished, isKept } = log.value;
    if (unfinished !== null && (isOwn || holds(unfinished.release, change, publisher))) {
      return ok({ ...unfinished, base: released?.release ?? null });
    }
    if (released !== null && !isKept) { // by a publisher that did not store it in the log
      const kept = await keepSigned(bucket, released.release.sequence, released.bytes);
      if (!kept.ok) return fail("bucket", kept.error.message, kept.error.next);
    }
    if (isReleased && unfinished === null) return ok(null);
    const next = nextSequence(publisher, released, log.value);
    if (!next.ok) return next;
    const sequence = next.value;
    const base = unfinished ?? released;
    const order = checkOrder(base?.release ?? null, change);
    if (!order.ok) return order;
    await onBase?.(base?.release ?? null);
    const release = mergeRelease(base?.release ?? null, change, { target, sequence });
    const carried = base?.carried ?? {};
    const bytes = encodeUtf8(await serializeRelease(release, key.privateKey, carried));
    if (bytes.length > LIMITS.releaseBytes) {
      return fail(
        "too-large",
        `Cannot publish: release.json would have ${bytes.length} bytes, expected at most ${LIMITS.releaseBytes}`,
        "Publish fewer bundles with one release",
      );
    }
    const claim = await keepSigned(bucket, sequence, bytes);
    if (!claim.ok) return fail("bucket", claim.error.message, claim.error.next);
    if (claim.value === "written") return ok({ release, bytes, base: base?.release ?? null });
    highest = sequence; // the listing is out of date: a refused sequence exists
  }
  return fail(
    "release-race",
    `Cannot publish: other publishers claimed ${CLAIM_TRIES} sequences in between`,
    "Publish the same version again: it resumes where it stopped",
  );
}

/** Refuses a version that a prune has marked: its files are removed, or about to be. */
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
