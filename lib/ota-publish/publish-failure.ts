import { fail, type Failure, type Result } from "../core/result.ts";
import type { SwapFailureCode } from "./release-log.ts";
import type { ScanFailureCode } from "./scan.ts";
import type { SeenFailureCode } from "./seen.ts";
import type { BucketFailure } from "./store/bucket.ts";

/** Why a version was not published. */
export type PublishFailureCode =
  | ScanFailureCode
  | SwapFailureCode
  | SeenFailureCode
  | "bad-request"
  | "private-file"
  | "unsafe-store"
  | "version-exists"
  | "pack"
  | "zip-differs"
  | "not-released"
  | "incomplete"
  | "read-back"
  | "cancelled";

/** Result of publishing. */
export type PublishResult<T> = Promise<Result<T, Failure<PublishFailureCode>>>;

/** Failure of a cancelled publish, whichever operation was aborted (PUB-35). */
export function cancelledPublish(
  { name, version }: { readonly name: string; readonly version: string },
): Result<never, Failure<PublishFailureCode>> {
  return fail(
    "cancelled",
    `The publish of ${name} ${version} was cancelled`,
    "Publish the same version again: it resumes where it stopped",
  );
}

/** Converts a failure of the bucket into one of the publish. */
export function bucketFailure(failure: BucketFailure): Result<never, Failure<PublishFailureCode>> {
  return fail("bucket", failure.message, failure.next);
}

/** Converts a failure to prove the conditions of a store (PUB-14). */
export function conditionsFailure(
  { code, message, next }: BucketFailure,
): Result<never, Failure<PublishFailureCode>> {
  return fail(code === "unsupported" ? "unsafe-store" : "bucket", message, next);
}
