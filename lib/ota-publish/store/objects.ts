import { encodeUtf8 } from "../../core/bytes.ts";
import { fail, type Result } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import {
  CODED_CACHE_CONTROL,
  type ContentRef,
  IMMUTABLE_CACHE_CONTROL,
  RELEASE_CACHE_CONTROL,
} from "../../ota-format/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type { BucketFailure, ObjectBody, PutOptions } from "./bucket.ts";
import { chunksUnchanged, type Contents, openUnchanged, streamBytes } from "./unchanged.ts";

/** Options for writing any object but the release: once, never replaced. */
export const IMMUTABLE: Omit<PutOptions, "when"> & { readonly when: { readonly kind: "absent" } } =
  {
    cacheControl: IMMUTABLE_CACHE_CONTROL,
    contentType: "application/octet-stream",
    when: { kind: "absent" },
  };

/** Returns the options for a body that is never replaced; no proxy may transform a coded one. */
export function immutably(body: ObjectBody, contentType = IMMUTABLE.contentType): typeof IMMUTABLE {
  return {
    ...IMMUTABLE,
    contentType,
    ...(body.decodedSize !== undefined && { cacheControl: CODED_CACHE_CONTROL }),
  };
}

/** Returns the options for the release: it replaces the one of that tag; `null` for none yet. */
export function overRelease(tag: string | null): PutOptions {
  return {
    cacheControl: RELEASE_CACHE_CONTROL,
    contentType: "application/json",
    when: { kind: "unchanged", tag },
  };
}

/** The place where a zip is packed. */
export interface PackTarget {
  readonly path: string;
  /** Whether that is a temporary path of the bucket. */
  readonly isInBucket: boolean;
}

/** A zip in a file of its own. */
export interface PackedZip extends Contents, PackTarget {
  readonly ref: ContentRef;
}

/** Bytes at hand as something to write. */
export function bytesBody(bytes: Uint8Array<ArrayBuffer>): ObjectBody {
  return { size: bytes.length, open: () => Promise.resolve(streamBytes(bytes)) };
}

/** A text as an object, with what a manifest says of it. */
export async function textObject(text: string): Promise<{ body: ObjectBody; ref: ContentRef }> {
  const bytes = encodeUtf8(text);
  return { body: bytesBody(bytes), ref: { hash: await sha256Hex(bytes), size: bytes.length } };
}

/** A packed zip as something to write. */
export function zipBody({ path, ref, isInBucket, ...contents }: PackedZip): ObjectBody {
  return { ...contentBody(contents, path, ref), ...(isInBucket && { packed: path }) };
}

/** A file on disk as something to write; writing fails when it is no longer what was hashed. */
export function contentBody(
  contents: { readonly files: Files; readonly hashing: Hashing },
  path: string,
  ref: ContentRef,
): ObjectBody {
  return {
    size: ref.size,
    open: () => openUnchanged(contents, path, ref),
    chunks: () => chunksUnchanged(contents, path, ref),
  };
}

/** A copy that no checksum vouches for (PUB-27). */
export function unproven(
  { label }: { readonly label: string },
  action: string,
): Result<never, BucketFailure> {
  const found = `Cannot ${action} in ${label}: no checksum of the store proves what is there`;
  return fail("other", found, "Send it again");
}
