import { parseJson } from "../../core/json-text.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { isRecord } from "../../core/json.ts";
import { err, fail, ok, type Result } from "../../core/result.ts";
import { isTransient } from "../../core/retry.ts";
import type { BucketFailure, BucketResult } from "../store/bucket.ts";
import type { ByteBudget } from "../store/byte-budget.ts";
import type { GcsCredentials } from "./credentials.ts";
import { nameOf } from "../store/names.ts";
import {
  exchangeFailure,
  sendWithRetries,
  type StoreAnswer,
  type StoreRequest,
  type StoreRequestDependencies,
} from "../store/requests.ts";

// Google Cloud Storage over its JSON API (https://cloud.google.com/storage/docs/json_api/v1).

/** A bucket on Google Cloud Storage, and how it is reached. */
export interface GcsStore extends StoreRequestDependencies {
  /** The bucket's name. */
  readonly bucket: string;
  /** Precedes every key; without slashes at its ends, empty for none. */
  readonly prefix: string;
  /** The store's address, without a slash at its end. */
  readonly endpoint: string;
  /** Credentials of the caller. */
  readonly credentials: GcsCredentials;
  /** The bucket in words, for messages. */
  readonly label: string;
  /** Memory budget of all uploads together. */
  readonly memory: ByteBudget;
}

/** One call of the JSON API. */
export interface GcsCall {
  /** Action, for messages: `write "release.json"`. */
  readonly action: string;
  /** Such as `GET`. */
  readonly method: string;
  /** The path below the endpoint, encoded. */
  readonly path: string;
  /** The query; `undefined` members are omitted. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** More headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes as they are, or a value to send as JSON. */
  readonly body?: Uint8Array<ArrayBuffer> | Readonly<Record<string, unknown>>;
  /** Statuses other than 2xx that the caller handles; all others are failures. */
  readonly accept?: readonly number[];
  /** Inclusive bound of the answer, in bytes; default 4 MiB. */
  readonly maxAnswerBytes?: number;
}

/** The requested facts about an object. */
export interface GcsObject {
  /** Its name in the bucket, prefix included. */
  readonly name: string;
  /** Bytes, as it is stored. */
  readonly size: number;
  /** Bytes once decoded, for an object that is stored gzip-coded. */
  readonly decodedSize?: number;
  /** The store's own CRC-32C of the stored bytes, if it was requested. */
  readonly crc32c: string | null;
  /** Milliseconds since the epoch. */
  readonly updated: number;
  /** Identifies the write that made it. */
  readonly generation: string;
  /** The id that our write of it gave, if it was one of ours. */
  readonly writeId: string | null;
}

/** The custom metadata that identifies our own write after a lost answer. */
export const WRITE_ID = "slipway-write";
/** The custom metadata with the decoded size of a coded object. */
export const DECODED_SIZE = "slipway-size";

/** Bytes of an answer: a page of 1,000 objects with names of 1,024 bytes fits well. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** Characters of a store's own words in a message. */
const SHOWN_CHARACTERS = 300;
/** A generation as the store spells it. */
const GENERATION = /^[0-9]{1,19}$/;
/** A size in the store's notation. */
const SIZE = /^[0-9]{1,15}$/;

/** Calls the store, with all tries; an expired token is renewed once. */
export async function call(store: GcsStore, gcsCall: GcsCall): BucketResult<StoreAnswer> {
  let token: string | null = null;
  const tell = (used: string | null) => token = used;
  const first = await callOnce(store, gcsCall, tell);
  if (!first.ok || first.value.status !== 401 || token === null) {
    return judged(store, gcsCall, first);
  }
  store.credentials.forget(token);
  return judged(store, gcsCall, await callOnce(store, gcsCall, tell));
}

async function callOnce(
  store: GcsStore,
  gcsCall: GcsCall,
  tell: (token: string | null) => void,
): BucketResult<StoreAnswer> {
  const settled = await sendWithRetries(store, async () => {
    const token = await store.credentials.token();
    if (!token.ok) return token;
    tell(token.value);
    return ok(prepare(store, gcsCall, token.value));
  });
  if (!settled.ok) return settled;
  const exchange = settled.value;
  return exchange.kind === "answered"
    ? ok(exchange.answer)
    : err(exchangeFailure(exchange, { ...store, address: store.endpoint, action: gcsCall.action }));
}

function prepare(store: GcsStore, gcsCall: GcsCall, token: string | null): StoreRequest {
  const { method, path, query = {}, headers = {}, body, maxAnswerBytes } = gcsCall;
  const url = new URL(`${store.endpoint}${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  const isBytes = body instanceof Uint8Array;
  return {
    method,
    url: url.href,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || isBytes ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isBytes ? body : encodeUtf8(JSON.stringify(body)) }),
    maxAnswerBytes: maxAnswerBytes ?? MAX_ANSWER_BYTES,
  };
}

function judged(
  store: GcsStore,
  { action, accept = [] }: GcsCall,
  answer: Result<StoreAnswer, BucketFailure>,
): Result<StoreAnswer, BucketFailure> {
  if (!answer.ok) return answer;
  const { status } = answer.value;
  return (status >= 200 && status < 300) || accept.includes(status)
    ? answer
    : err(answerFailure(store, action, answer.value));
}

/** The path of one object. */
export function objectPath(store: GcsStore, key: string): string {
  return `${objectsPath(store)}/${encodeURIComponent(nameOf(store, key))}`;
}

/** The path of all objects. */
export function objectsPath(store: GcsStore): string {
  return `${bucketPath(store)}/o`;
}

/** The path of the bucket itself. */
export function bucketPath({ bucket }: GcsStore): string {
  return `/storage/v1/b/${encodeURIComponent(bucket)}`;
}

/** Returns the path for new objects. */
export function uploadPath({ bucket }: GcsStore): string {
  return `/upload/storage/v1/b/${encodeURIComponent(bucket)}/o`;
}

/** Returns the facts about an object, or `null` if it is missing. */
export async function findObject(store: GcsStore, key: string): BucketResult<GcsObject | null> {
  const action = `look at ${JSON.stringify(key)}`;
  const answer = await call(store, {
    action,
    method: "GET",
    path: objectPath(store, key),
    query: { fields: "name,size,updated,generation,metadata,contentEncoding,crc32c" },
    accept: [404],
  });
  if (!answer.ok) return answer;
  return answer.value.status === 404 ? ok(null) : readObject(store, action, answer.value.bytes);
}

/** Reads an object's facts from an answer. */
function readObject(
  store: GcsStore,
  action: string,
  bytes: Uint8Array,
): Result<GcsObject, BucketFailure> {
  const object = parseObject(parseJson(bytes));
  return object === null ? malformed(store, action, "no object") : ok(object);
}

/** Reads an object's facts; `null` if `value` is not an object. */
export function parseObject(value: unknown): GcsObject | null {
  if (!isRecord(value)) return null;
  const { name, size, updated, generation, contentEncoding, crc32c } = value;
  const metadata = isRecord(value["metadata"]) ? value["metadata"] : {};
  if (typeof name !== "string" || typeof updated !== "string") return null;
  if (!isGeneration(generation) || typeof size !== "string" || !SIZE.test(size)) return null;
  const time = Date.parse(updated);
  if (Number.isNaN(time)) return null;
  const { [WRITE_ID]: writeId, [DECODED_SIZE]: decoded } = metadata;
  const isCoded = contentEncoding === "gzip" && typeof decoded === "string" && SIZE.test(decoded);
  return {
    name,
    size: Number(size),
    ...(isCoded && { decodedSize: Number(decoded) }),
    crc32c: typeof crc32c === "string" ? crc32c : null,
    updated: time,
    generation,
    writeId: typeof writeId === "string" ? writeId : null,
  };
}

/** Whether `value` is a generation: a decimal number of 64 bits, kept as text. */
export function isGeneration(value: unknown): value is string {
  return typeof value === "string" && GENERATION.test(value);
}

/** Creates the failure for an answer outside the API. */
export function malformed(
  store: GcsStore,
  action: string,
  found: string,
): Result<never, BucketFailure> {
  return fail(
    "other",
    `Cannot ${action} in ${store.label}: ${store.endpoint} answered with ${found} in it`,
    "Check that the endpoint speaks the JSON API of Google Cloud Storage",
  );
}

/** Why an answer is a failure. */
export function answerFailure(
  store: GcsStore,
  action: string,
  { status, bytes }: Pick<StoreAnswer, "status" | "bytes">,
): BucketFailure {
  const words = wordsOf(bytes);
  const said = `HTTP ${status}${words === "" ? "" : `, ${JSON.stringify(words)}`}`;
  const message = `Cannot ${action} in ${store.label}: ${store.endpoint} answered ${said}`;
  const { label } = store.credentials;
  if (status === 401) {
    return {
      code: "denied",
      message: `${message} to ${label}`,
      next: "Run gcloud auth application-default login, or set GOOGLE_APPLICATION_CREDENTIALS",
    };
  }
  if (status === 403) {
    return {
      code: "denied",
      message: `${message} to ${label}`,
      next: `Grant that account roles/storage.objectUser on the bucket ${store.bucket}`,
    };
  }
  if (status === 404) {
    return { code: "other", message, next: `Check that the bucket ${store.bucket} exists` };
  }
  if (isTransient(status)) {
    return { code: "unreachable", message, next: "Try again later" };
  }
  return { code: "other", message, next: "Check the bucket and the rights of that account" };
}

/** The store's own words, shortened. */
function wordsOf(bytes: Uint8Array): string {
  const answer = parseJson(bytes);
  const error = isRecord(answer) ? answer["error"] : undefined;
  const words = isRecord(error) ? error["message"] : undefined;
  return typeof words === "string" ? words.slice(0, SHOWN_CHARACTERS) : "";
}
