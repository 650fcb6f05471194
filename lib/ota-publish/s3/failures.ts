import { type Err, fail } from "../../core/result.ts";
import type { BucketFailure } from "../store/bucket.ts";
import type { S3Answer, S3Store } from "./store.ts";
import { firstText } from "./xml.ts";
import { worthAnotherTry } from "../store/requests.ts";

/** Failures that pass, whatever their status. */
const PASSING: readonly string[] = [
  "InternalError",
  "OperationAborted",
  "RequestTimeout",
  "ServiceUnavailable",
  "SlowDown",
  // Another writer is at that object right now: the next try finds out who was first.
  "ConditionalRequestConflict",
];
/** Characters of a store's own words in a message. */
const SHOWN_CHARACTERS = 300;

/** Whether the same request may fare better later. */
export function isPassing(answer: S3Answer): boolean {
  return worthAnotherTry({ kind: "answered", answer }) || PASSING.includes(answer.code);
}

/** An answer that is not what S3 says. */
export function malformed(
  store: S3Store,
  action: string,
  found: string,
): Err<BucketFailure> {
  return fail(
    "other",
    `Cannot ${action} in ${store.label}: ${placeOf(store)} answered with ${found} in it`,
    "Check that the endpoint speaks the API of Amazon S3",
  );
}

/** The next step for each code with which S3 refuses the caller. */
const REFUSED: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: "Check the access key's id; the store does not know it",
  SignatureDoesNotMatch: "Check the secret access key",
  ExpiredToken: "Log in again: the keys have expired",
  InvalidToken: "Check the session token, or log in again",
  TokenRefreshRequired: "Log in again: the keys have expired",
  RequestTimeTooSkewed: "Set the clock of this machine: it is more than 15 minutes off",
};

/** Why an answer is a failure. */
export function answerFailure(store: S3Store, action: string, answer: S3Answer): BucketFailure {
  const { status, code, xml, headers } = answer;
  const words = xml === null ? "" : (firstText(xml, "Message") ?? "").slice(0, SHOWN_CHARACTERS);
  const said = [`HTTP ${status}`, code, words === "" ? "" : JSON.stringify(words)]
    .filter((part) => part !== "").join(", ");
  const message = `Cannot ${action} in ${store.label}: ${placeOf(store)} answered ${said}`;
  const region = headers.get("x-amz-bucket-region") ?? (xml && firstText(xml, "Region"));
  if (region !== null && region !== store.region && /^[a-z0-9-]+$/.test(region)) {
    return {
      code: "other",
      message: `${message}: the bucket is in ${region}, not in ${store.region}`,
      next: `Set AWS_REGION to ${region}, or add ?region=${region} to the bucket's URL`,
    };
  }
  const refused = Object.hasOwn(REFUSED, code) ? REFUSED[code] : undefined;
  if (refused !== undefined || status === 401 || status === 403) {
    return {
      code: "denied",
      message: `${message} to the keys of ${store.credentials.label}`,
      next: refused ??
        `Grant those keys s3:GetObject, s3:PutObject and s3:ListBucket on the bucket ${store.bucket}; pruning needs s3:DeleteObject too`,
    };
  }
  if (code === "NoSuchBucket") {
    return { code: "other", message, next: `Create the bucket ${store.bucket}, or check its name` };
  }
  if (status >= 300 && status < 400) {
    const place = xml && firstText(xml, "Endpoint");
    const next = place === null ? "Name" : `The store names ${place}; name`;
    return { code: "other", message, next: `${next} the right ?endpoint= in the bucket's URL` };
  }
  if (status === 507 || code === "QuotaExceeded" || /StorageFull|InsufficientCapacity/.test(code)) {
    return { code: "full", message, next: "Free some space in the store" };
  }
  if (status === 501 || code === "NotImplemented") {
    return { code: "unsupported", message, next: "Publish to a store that has this part of S3" };
  }
  if (isPassing(answer)) {
    return { code: "unreachable", message, next: "Try again later" };
  }
  return { code: "other", message, next: "Check the bucket's URL and the rights of those keys" };
}

/** The server that a store is asked at. */
export function placeOf({ address }: S3Store): string {
  return new URL(address).origin;
}
