import { AwsV4Signer } from "aws4fetch";
import { decodeUtf8 } from "../core/bytes.ts";
import { type Err, err, fail, ok, type Result } from "../core/result.ts";
import type { Hashing } from "../ports/hashing.ts";
import type { BucketFailure, BucketResult } from "./bucket.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { S3Credentials } from "./s3-credentials.ts";
import { parseXml, textOf, type XmlElement } from "./s3-xml.ts";
import {
  backOff,
  type Exchange,
  sendOnce,
  type StoreAnswer,
  type StoreRequest,
  type StoreRequestDependencies,
  TRIES,
  worthAnotherTry,
} from "./store-requests.ts";

/** A bucket of an S3 store, as its requests see it. */
export interface S3Store extends StoreRequestDependencies {
  /** What signatures are made of. */
  readonly hashing: Hashing;
  readonly bucket: string;
  /** Stands before every key; no slash at its end; empty for none. */
  readonly prefix: string;
  /** The bucket's own address, without a slash at its end. */
  readonly address: string;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** The bucket in words. */
  readonly label: string;
  /** What all uploads together may hold. */
  readonly memory: ByteBudget;
  /** Keys that signatures are made with, by day; they are costly to make. */
  readonly signingKeys: Map<string, ArrayBuffer>;
}

/** One request. */
export interface S3Call {
  /** What it is for, such as `read "a"`. */
  readonly action: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The object's name in the bucket; none for the bucket itself. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** What the root of a good answer is called, where a status of 200 may still be a failure. */
  readonly expects?: string;
  /** Codes of S3, or statuses, that are answers and no failures. */
  readonly accept?: readonly (string | number)[];
  /** 4 MiB unless told. */
  readonly maxAnswerBytes?: number;
  /** 5 unless told. */
  readonly tries?: number;
  /** The store works for long before it answers. */
  readonly slow?: boolean;
}

/** What a store said. */
export interface S3Answer extends StoreAnswer {
  /** S3's own code for a failure, such as `NoSuchKey`; empty when it said none. */
  readonly code: string;
  /** The root of its document; `null` when it sent none. */
  readonly xml: XmlElement | null;
}

/** Bytes of an answer: a page of 1,000 names of 1,024 bytes, each written as three. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Deadlines of slow requests: as many times the usual one. */
const SLOW = 5;
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
/** The deadline of one try, in milliseconds, unless told. */
const DEADLINE_MS = 60_000;

/** Calls the store, with all tries. */
export async function call(store: S3Store, s3Call: S3Call): BucketResult<S3Answer> {
  const { deadlineMs = DEADLINE_MS } = store;
  const { tries = TRIES } = s3Call;
  const dependencies = { ...store, deadlineMs: deadlineMs * (s3Call.slow ? SLOW : 1) };
  for (let attempt = 1;; attempt++) {
    const exchange = await sendOnce(dependencies, await signed(store, s3Call));
    const answer = exchange.kind === "answered" ? understood(s3Call, exchange.answer) : null;
    const passing = worthAnotherTry(exchange) || PASSING.includes(answer?.code ?? "");
    if (attempt < tries && passing && await backOff(store, attempt)) continue;
    if (exchange.kind !== "answered") return err(exchangeFailure(store, s3Call.action, exchange));
    if (answer !== null) return judged(store, s3Call, answer);
  }
}

function judged(
  store: S3Store,
  { action, accept = [], expects }: S3Call,
  answer: S3Answer,
): Result<S3Answer, BucketFailure> {
  const { status, code, xml } = answer;
  if (accept.includes(status) || accept.includes(code)) return ok(answer);
  if (status < 200 || status >= 300 || code !== "") {
    return err(answerFailure(store, action, answer));
  }
  return expects === undefined || xml?.name === expects
    ? ok(answer)
    : malformed(store, action, `no ${expects}`);
}

/** Reads the store's document, where there is one: an object that was read is none. */
function understood({ expects }: S3Call, answer: StoreAnswer): S3Answer {
  const { status, bytes } = answer;
  const isDocument = expects !== undefined || status < 200 || status >= 300;
  const xml = isDocument ? parseXml(decodeUtf8(bytes) ?? "") : null;
  const code = xml?.name === "Error" ? textOf(xml, "Code") ?? "" : "";
  return { ...answer, xml, code };
}

/** Signs a request, its body's hash included: what arrives damaged is refused by the store. */
async function signed(store: S3Store, s3Call: S3Call): Promise<StoreRequest> {
  const { method, name, query = {}, headers = {}, body, maxAnswerBytes } = s3Call;
  const hash = store.hashing.createSha256();
  if (body !== undefined) hash.update(body);
  const path = name === undefined ? "" : `/${name.split("/").map(encodeStrictly).join("/")}`;
  const search = Object.entries(query)
    .flatMap(([key, value]) => value === undefined ? [] : `${key}=${encodeStrictly(value)}`)
    .join("&");
  const url = `${store.address}${path}${search === "" ? "" : `?${search}`}`;
  const { accessKeyId, secretAccessKey, sessionToken } = store.credentials;
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { ...headers, "x-amz-content-sha256": hash.hex() },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: "s3",
    region: store.region,
    cache: store.signingKeys,
    datetime: new Date(store.clock.now()).toISOString().replace(/[:-]|\.\d{3}/g, ""),
  });
  const { headers: signedHeaders } = await signer.sign();
  return {
    method,
    url,
    // Not signed, since what lies between may change it: sizes are of the object as it is.
    headers: { ...Object.fromEntries(signedHeaders), "accept-encoding": "identity" },
    ...(body === undefined ? {} : { body }),
    maxAnswerBytes: maxAnswerBytes ?? MAX_ANSWER_BYTES,
  };
}

/** Percent-encodes all but what S3's signatures leave as it is (RFC 3986, unreserved). */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The name of a key in the bucket. */
export function nameOf({ prefix }: Pick<S3Store, "prefix">, key: string): string {
  return prefix === "" ? key : key === "" ? prefix : `${prefix}/${key}`;
}

/** What the names of everything below a key begin with. */
export function folderOf(store: Pick<S3Store, "prefix">, key: string): string {
  const name = nameOf(store, key);
  return name === "" ? "" : `${name}/`;
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

/** Why an exchange without an answer failed. */
function exchangeFailure(
  store: S3Store,
  action: string,
  exchange: Exclude<Exchange, { kind: "answered" }>,
): BucketFailure {
  const message = `Cannot ${action} in ${store.label}: ${exchange.message}`;
  switch (exchange.kind) {
    case "network":
    case "timeout":
      return {
        code: "unreachable",
        message: `${message} (${placeOf(store)})`,
        next: "Check the endpoint and the network, and try again",
      };
    case "too-large":
    case "given-up":
      return { code: "other", message };
  }
}

/** What to do about codes of S3 that refuse who asks. */
const REFUSED: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: "Check the access key's id; the store does not know it",
  SignatureDoesNotMatch: "Check the secret access key",
  ExpiredToken: "Log in again: the keys have ended",
  InvalidToken: "Check the session token, or log in again",
  TokenRefreshRequired: "Log in again: the keys have ended",
  RequestTimeTooSkewed: "Set the clock of this machine: it is more than 15 minutes off",
};

/** Why an answer is a failure. */
function answerFailure(store: S3Store, action: string, answer: S3Answer): BucketFailure {
  const { status, code, xml, headers } = answer;
  const words = xml === null ? "" : (textOf(xml, "Message") ?? "").slice(0, SHOWN_CHARACTERS);
  const said = [`HTTP ${status}`, code, words === "" ? "" : JSON.stringify(words)]
    .filter((part) => part !== "").join(", ");
  const message = `Cannot ${action} in ${store.label}: ${placeOf(store)} answered ${said}`;
  const region = headers.get("x-amz-bucket-region") ?? (xml && textOf(xml, "Region"));
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
        `Grant those keys s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload, and s3:ListBucket on the bucket ${store.bucket}`,
    };
  }
  if (code === "NoSuchBucket") {
    return { code: "other", message, next: `Create the bucket ${store.bucket}, or check its name` };
  }
  if (status >= 300 && status < 400) {
    const place = xml && textOf(xml, "Endpoint");
    const next = place === null ? "Name" : `The store names ${place}; name`;
    return { code: "other", message, next: `${next} the right ?endpoint= in the bucket's URL` };
  }
  if (status === 507 || code === "QuotaExceeded" || /StorageFull|InsufficientCapacity/.test(code)) {
    return { code: "full", message, next: "Free some space in the store" };
  }
  if (status === 501 || code === "NotImplemented") return { code: "unsupported", message };
  if (worthAnotherTry({ kind: "answered", answer }) || PASSING.includes(code)) {
    return { code: "unreachable", message, next: "Try again later" };
  }
  return { code: "other", message };
}

function placeOf({ address }: S3Store): string {
  return new URL(address).origin;
}
