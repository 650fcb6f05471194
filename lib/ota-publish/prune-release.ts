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

// The release as a prune needs it: the versions it names stay, and after the fence only publishers
// who have seen the marks can replace it.

/** Tries at a release that publishers keep changing. */
const TRIES = 5;
/** Characters of white space that make the release other bytes. */
const FENCE_CHARACTERS = 48;

/** Why nothing was pruned, or, after a cancel, not everything. */
export type PruneFailure = Failure<
  "bad-request" | "no-release" | "invalid-release" | "release-race" | "bucket" | "cancelled"
>;

/** The current release. */
export interface FoundRelease {
  readonly release: Release;
  readonly text: string;
  readonly tag: string;
}

/** Reads the release, whatever app and channel it is for: the versions it names must stay. */
export async function readRelease(
  bucket: Bucket,
  publicKey: string | undefined,
): Promise<Result<FoundRelease, PruneFailure>> {
  const object = await bucket.read(RELEASE_PATH, LIMITS.releaseBytes);
  if (!object.ok) return toPruneFailure(object.error);
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
 * Writes the release again, with the same record in different bytes: a publisher that has read it
 * before cannot replace it any more. @returns The release it replaced.
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
    if (!put.ok) return toPruneFailure(put.error);
    if (put.value === "written") return found;
  }
  return fail(
    "release-race",
    `Cannot prune ${bucket.label}: publishers changed release.json ${TRIES} times in between`,
    "Nothing was removed; try again when fewer publish",
  );
}

/** Returns random white space, never used before: a store may tag equal bytes equally. */
function whiteSpace(): string {
  const random = crypto.getRandomValues(new Uint8Array(FENCE_CHARACTERS));
  return Array.from(random, (byte) => byte < 128 ? " " : "\n").join("");
}

/** A failure of the bucket as one of the prune. */
export function toPruneFailure({ message, next }: BucketFailure): Result<never, PruneFailure> {
  return fail("bucket", message, next);
}
