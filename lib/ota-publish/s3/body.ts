import { fail, messageOf, ok, type Result } from "../../core/result.ts";
import { type BodyParts, openParts } from "../store/body-parts.ts";
import type { BucketFailure, BucketResult, ObjectBody } from "../store/bucket.ts";
import { actionOf, type Write } from "./object.ts";
import type { S3Store } from "./store.ts";

/** The smallest part that is sent of a larger object, in bytes; S3 allows 5 MiB. */
const PART_BYTES = 5 * 1024 * 1024;
/** The most parts that S3 takes of one object. */
const MAX_PARTS = 10_000;

/** Bytes of each part but the last of a body that is sent in parts. */
export function partBytesOf({ size }: Pick<ObjectBody, "size">): number {
  return Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
}

/** Opens a body, works with it, and releases it. */
export async function withParts<T>(
  store: S3Store,
  write: Write,
  work: (parts: BodyParts) => BucketResult<T>,
): BucketResult<T> {
  let parts: BodyParts;
  try {
    parts = await openParts(write.body);
  } catch (thrown) {
    return bodyFailure(store, write, thrown);
  }
  try {
    return await work(parts);
  } finally {
    await parts.close();
  }
}

/** Takes the next bytes of a body. */
export async function fill(
  store: S3Store,
  write: Write,
  { parts, bytes }: { readonly parts: BodyParts; readonly bytes: Uint8Array },
): BucketResult<null> {
  try {
    await parts.fill(bytes);
    return ok(null);
  } catch (thrown) {
    return bodyFailure(store, write, thrown);
  }
}

/** A body that fails is a failure like any other. */
function bodyFailure(
  store: S3Store,
  write: Write,
  thrown: unknown,
): Result<never, BucketFailure> {
  return fail("other", `Cannot ${actionOf(write)} in ${store.label}: ${messageOf(thrown)}`);
}
