import { type Problem, type ProblemStatus, refuse } from "../../core/problem.ts";
import type { Failure, Result } from "../../core/result.ts";
import type {
  KeyFailureCode,
  OpenBucketFailure,
  PublishFailureCode,
} from "../../ota-publish/mod.ts";

/** The HTTP status of each failure of publishing (HTTP-6). */
const STATUS: Readonly<
  Record<PublishFailureCode | KeyFailureCode | OpenBucketFailure["code"], ProblemStatus>
> = {
  "bad-request": 400,
  "bad-bucket": 400,
  "bad-key-name": 400,
  "version-exists": 409,
  "release-race": 409,
  "pruned": 409,
  "superseded": 409,
  "older": 409,
  "key-exists": 409,
  "cancelled": 409,
  "bucket": 503,
  "endpoint-not-allowed": 422,
  "no-credentials": 503,
  "missing-key": 422,
  "damaged-key": 422,
  "key-in-repository": 422,
  "key-io": 422,
  "missing-folder": 422,
  "not-a-file": 422,
  "path": 422,
  "unreadable": 422,
  "over-limit": 422,
  "empty": 422,
  "invalid-release": 422,
  "rolled-back": 422,
  "no-release": 422,
  "sequence-jump": 422,
  "private-file": 422,
  "not-released": 422,
  "incomplete": 422,
  "memory": 422,
  "memory-damaged": 422,
  "too-large": 422,
  "unsafe-store": 422,
  "pack": 422,
  "zip-differs": 422,
  "read-back": 422,
};

/**
 * Creates the refusal for a failure of publishing. @param next The next step, if the failure names
 * none.
 */
export function refuseFor(
  failure: Failure<keyof typeof STATUS>,
  next: string,
): Result<never, Problem> {
  return refuse(STATUS[failure.code], failure.code, failure.message, failure.next ?? next);
}
