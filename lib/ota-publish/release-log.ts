import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import {
  carriedMembers,
  checkSequence,
  isPositiveInteger,
  isSigned,
  type JsonObject,
  type KeyPair,
  lostMembers,
  type Manifest,
  parseRelease,
  readRecord,
  type Release,
  RELEASE_PATH,
  RELEASES_FOLDER,
  type ReleaseTarget,
  signedReleasePath,
} from "../ota-format/mod.ts";
import { isPruned } from "./pruned-mark.ts";
import type { OrderFailureCode } from "./release-order.ts";
import type { Bucket, BucketResult, PutOutcome } from "./store/bucket.ts";
import { bytesBody, IMMUTABLE } from "./store/objects.ts";

// Every signed release is also stored as releases/<sequence>.json, created if absent, before
// release.json names it (PUB-21). That claims the sequence: no two releases share one, and any
// machine that can list the bucket knows the last signed release, whatever release.json says.

/** Signed releases that are searched for one that vouches for a version. */
const VOUCHERS = 30;

/** Why the release was not changed. */
export type SwapFailureCode =
  | OrderFailureCode
  | "bucket"
  | "invalid-release"
  | "rolled-back"
  | "no-release"
  | "release-race"
  | "sequence-jump"
  | "pruned"
  | "too-large";

/** Reader of a bucket's releases. */
export interface ReleaseReader {
  /** The bucket of the releases. */
  readonly bucket: Bucket;
  /** Key that signs every release. */
  readonly key: Pick<KeyPair, "publicKey">;
  /** The app and channel that the releases are for. */
  readonly target: ReleaseTarget;
}

/** A publisher, with the sequences that it remembers. */
export interface Publisher extends ReleaseReader {
  /** Key that signs the next release. */
  readonly key: KeyPair;
  /** The highest sequence that this publisher has seen in the bucket; 0 for none. */
  readonly minSequence: number;
  /**
   * The bucket lost its releases: the next one goes above `minSequence`, and a lower one in the
   * bucket is not an error.
   */
  readonly first?: boolean;
}

/** A release with the bytes that were signed. */
export interface SignedRelease {
  readonly release: Release;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Members that the next release takes over as they are (PUB-20). */
  readonly carried: JsonObject;
}

/** The verified current release; `null` if nothing was ever published. */
export interface CurrentRelease {
  readonly released: SignedRelease | null;
  readonly tag: string | null;
}

/** Signed releases besides the current one. */
export interface ReleaseLog {
  /** The last release that was signed above it, to build upon; `null` if there is none. */
  readonly unfinished: SignedRelease | null;
  /** The highest taken sequence; 0 for none. */
  readonly highest: number;
  /** Whether the current release, if any, is in the log too. */
  readonly isKept: boolean;
}

/** Reads and verifies the current release: nothing is merged into a foreign record. */
export async function readCurrentRelease(
  publisher: Publisher,
): Promise<Result<CurrentRelease, Failure<SwapFailureCode>>> {
  const { bucket, first = false, minSequence: known } = publisher;
  const minSequence = first ? 0 : known;
  const found = await readSigned(publisher, RELEASE_PATH);
  if (!found.ok) return found;
  if (found.value === null) {
    return minSequence > 0
      ? rolledBack(bucket, "it has no release.json", minSequence)
      : ok({ released: null, tag: null });
  }
  const { sequence } = found.value.release;
  if (sequence < minSequence) {
    return rolledBack(bucket, `its release.json has sequence ${sequence}`, minSequence);
  }
  return ok({ released: found.value, tag: found.value.tag });
}

/**
 * Reads the releases that were signed after the current one: a publisher was stopped between its
 * claim and the release, or someone put an older release back. A claim on a version that was pruned
 * since is void.
 *
 * @param atLeast A sequence known to be taken, in case the listing is out of date.
 */
export async function readReleaseLog(
  publisher: Publisher,
  released: SignedRelease | null,
  atLeast: number,
): Promise<Result<ReleaseLog, Failure<SwapFailureCode>>> {
  const { bucket } = publisher;
  const listed = await listSequences(bucket);
  if (!listed.ok) return fail("bucket", listed.error.message, listed.error.next);
  const from = released?.release.sequence ?? 0;
  const above = new Set(atLeast > from ? [atLeast] : []);
  for (const sequence of listed.value) if (sequence > from) above.add(sequence);
  const ordered = [...above].sort((a, b) => b - a);
  const highest = ordered[0] ?? from;
  const isKept = from === 0 || listed.value.includes(from);
  for (const sequence of ordered) {
    const path = signedReleasePath(sequence);
    const signed = await readSigned(publisher, path);
    if (!signed.ok) return signed;
    if (signed.value === null) continue; // a listing may be ahead of a removal
    if (signed.value.release.sequence !== sequence) {
      return invalid(bucket, path, `its sequence is ${signed.value.release.sequence}`);
    }
    const isVoid = await namesPruned(bucket, signed.value.release, released?.release ?? null);
    if (!isVoid.ok) return fail("bucket", isVoid.error.message, isVoid.error.next);
    if (!isVoid.value) return ok({ unfinished: signed.value, highest, isKept });
  }
  return ok({ unfinished: null, highest, isKept });
}

/**
 * Returns the sequence of the next release: above all taken ones, and no leap that phones refuse
 * (REL-6). One name too high among the releases, or a manipulated memory, would shut out all
 * phones, and all later publishers.
 */
export function nextSequence(
  { bucket, first = false, minSequence }: Publisher,
  released: SignedRelease | null,
  { highest, unfinished }: Pick<ReleaseLog, "highest" | "unfinished">,
): Result<number, Failure<SwapFailureCode>> {
  const floor = first ? minSequence : 0;
  const sequence = Math.max(highest, floor) + 1;
  const last = (unfinished ?? released)?.release.sequence ?? floor;
  if (isPositiveInteger(sequence) && checkSequence(sequence, last).ok) return ok(sequence);
  return fail(
    "sequence-jump",
    `Cannot publish to ${bucket.label}: the next sequence would be ${sequence}, which phones that ` +
      `have seen ${last} refuse, expected at most ${LIMITS.sequenceJump} more`,
    `Find what says ${
      sequence - 1
    } and remove it: a file of ${RELEASES_FOLDER}/ that is not a signed ` +
      "release, --min-sequence, or what this machine remembers",
  );
}

/**
 * Finds the manifests of these versions that a signed release names (PUB-22): only those may be
 * copied from, since others can write to a bucket without the key. Searches at most {@linkcode
 * VOUCHERS} releases.
 *
 * @returns Their hashes.
 */
export async function findVouched(
  publisher: ReleaseReader,
  released: SignedRelease | null,
  versions: readonly { readonly manifest: Manifest; readonly hash: string }[],
): Promise<Result<ReadonlySet<string>, Failure<SwapFailureCode>>> {
  const { bucket } = publisher;
  const vouched = new Set<string>();
  const take = ({ bundles, manifests }: Release) => {
    for (const { manifest: { name, version }, hash } of versions) {
      if (own(bundles, name) === version && own(manifests, name)?.hash === hash) vouched.add(hash);
    }
  };
  if (released !== null) take(released.release);
  const all = new Set(versions.map(({ hash }) => hash)).size;
  if (vouched.size === all) return ok(vouched);
  const listed = await listSequences(bucket);
  if (!listed.ok) return fail("bucket", listed.error.message, listed.error.next);
  for (const sequence of listed.value.slice(0, VOUCHERS)) {
    const signed = await readSigned(publisher, signedReleasePath(sequence));
    if (signed.ok && signed.value !== null) take(signed.value.release);
    if (vouched.size === all) break;
  }
  return ok(vouched);
}

/** Lists every taken sequence of one listing, the highest first. */
export async function listSequences(bucket: Bucket): BucketResult<number[]> {
  const listed = await bucket.list(RELEASES_FOLDER);
  if (!listed.ok) return listed;
  const sequences: number[] = [];
  for (const name of listed.value) {
    const sequence = sequenceOf(name);
    if (sequence !== null) sequences.push(sequence);
  }
  return ok(sequences.sort((a, b) => b - a));
}

/** The sequence that a file of the folder of releases is named by; `null` for any other file. */
export function sequenceOf(name: string): number | null {
  const sequence = /^[1-9][0-9]*\.json$/.test(name) ? Number(name.slice(0, -5)) : NaN;
  return isPositiveInteger(sequence) ? sequence : null;
}

/** Keeps a signed release under its sequence. @returns `lost` when the sequence is taken. */
export async function keepSigned(
  bucket: Bucket,
  sequence: number,
  bytes: Uint8Array<ArrayBuffer>,
): BucketResult<PutOutcome> {
  return await bucket.put(signedReleasePath(sequence), bytesBody(bytes), {
    ...IMMUTABLE,
    contentType: "application/json",
  });
}

/**
 * Reads a release that is signed with the publisher's key and for its target; `null` if it is
 * missing.
 */
export async function readSigned(
  { bucket, key, target }: ReleaseReader,
  path: string,
): Promise<Result<SignedRelease & { readonly tag: string } | null, Failure<SwapFailureCode>>> {
  const object = await bucket.read(path, LIMITS.releaseBytes);
  if (!object.ok) return fail("bucket", object.error.message, object.error.next);
  if (object.value === null) return ok(null);
  const { bytes, tag } = object.value;
  const record = readRecord(bytes);
  if (!record.ok) return invalid(bucket, path, record.error.message);
  if (!await isSigned(record.value, key.publicKey)) {
    return invalid(bucket, path, "it is not signed by this key");
  }
  const release = parseRelease(record.value, target);
  if (!release.ok) {
    return release.error.code === "unsupported"
      ? newerPublisher(bucket, path, "critical")
      : invalid(bucket, path, release.error.message);
  }
  const [lost] = lostMembers(record.value);
  if (lost !== undefined) return newerPublisher(bucket, path, lost);
  return ok({ release: release.value, bytes, carried: carriedMembers(record.value), tag });
}

/** Returns whether a release names a pruned version that the current release does not name. */
async function namesPruned(
  bucket: Bucket,
  { bundles }: Release,
  released: Release | null,
): BucketResult<boolean> {
  for (const [name, version] of Object.entries(bundles)) {
    if (own(released?.bundles, name) === version) continue;
    const pruned = await isPruned(bucket, { name, version });
    if (!pruned.ok || pruned.value) return pruned;
  }
  return ok(false);
}

function invalid(
  bucket: Bucket,
  path: string,
  found: string,
): Result<never, Failure<SwapFailureCode>> {
  return fail(
    "invalid-release",
    `Cannot trust the ${path} of ${bucket.label}: ${found}`,
    path === RELEASE_PATH
      ? "Check the key, app and channel; never overwrite a release that you cannot verify"
      : "Check the key, app and channel; remove it if no owner of that key wrote it",
  );
}

/** PUB-20: an older publisher would drop members that it does not know from the record. */
function newerPublisher(
  bucket: Bucket,
  path: string,
  member: string,
): Result<never, Failure<SwapFailureCode>> {
  return fail(
    "invalid-release",
    `Cannot build upon the ${path} of ${bucket.label}: it was written by a newer publisher, ` +
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
    "Someone restored an older release: restore the latest release.json; if it is lost, " +
      `publish with --first: the release goes above sequence ${seen}`,
  );
}
