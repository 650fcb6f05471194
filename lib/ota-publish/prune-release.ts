import { decodeUtf8, encodeUtf8 } from "../core/bytes.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import {
  isSigned,
  parseRelease,
  readRecord,
  type Release,
  RELEASE_PATH,
} from "../ota-format/mod.ts";
import type { Bucket, BucketFailure } from "./store/bucket.ts";
import { bytesBody, overRelease } from "./store/objects.ts";

// The release as a prune needs it: what it names stays, and from one write on nobody replaces it who
// has not seen the marks.

/** Tries at a release that publishers change meanwhile. */
const TRIES = 5;
/** Characters of white space that make the release other bytes. */
const FENCE_CHARACTERS = 48;

/** Why nothing was pruned, or, when it was cancelled, not all. */
export type PruneFailure = Failure<
  "bad-request" | "no-release" | "invalid-release" | "release-race" | "bucket" | "cancelled"
>;

/** The release as it stands. */
export interface FoundRelease {
  readonly release: Release;
  readonly text: string;
  readonly tag: string;
}

/** The release, whatever app and channel it is for: what it names must stay. */
export async function readRelease(
  bucket: Bucket,
  publicKey: string | undefined,
): Promise<Result<FoundRelease, PruneFailure>> {
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
 * Writes the release again, as other bytes that say the same: whoever has read it before cannot
 * replace it any more. @returns The release that stood there.
 */
export async function fence(
  bucket: Bucket,
  publicKey: string | undefined,
): Promise<Result<FoundRelease, PruneFailure>> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const found = await readRelease(bucket, publicKey);
    if (!found.ok) return found;
    const { text, tag } = found.value;
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
    if (put.value === "written") return found;
  }
  return fail(
    "release-race",
    `Cannot prune ${bucket.label}: publishers changed release.json ${TRIES} times in between`,
    "Nothing was removed; try again when fewer publish",
  );
}

/** White space that was never there before: a store may tell equal bytes by equal tags. */
function whiteSpace(): string {
  const random = crypto.getRandomValues(new Uint8Array(FENCE_CHARACTERS));
  return Array.from(random, (byte) => byte < 128 ? " " : "\n").join("");
}

/** A failure of the bucket as one of the prune. */
export function bucketFailure({ message, next }: BucketFailure): Result<never, PruneFailure> {
  return fail("bucket", message, next);
}
