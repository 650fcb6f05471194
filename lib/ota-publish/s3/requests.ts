import { AwsV4Signer } from "aws4fetch";
import { decodeUtf8 } from "../../core/bytes.ts";
import { err, fail, ok, type Result } from "../../core/result.ts";
import type { BucketFailure, BucketResult } from "../store/bucket.ts";
import { answerFailure, isPassing, malformed, placeOf } from "./failures.ts";
import type { S3Answer, S3Store } from "./store.ts";
import { firstText, parseXml } from "./xml.ts";
import {
  exchangeFailure,
  sendOnce,
  type StoreAnswer,
  type StoreRequest,
  storeTries,
  waitForNext,
  worthAnotherTry,
} from "../store/requests.ts";

/** One request. */
export interface S3Call {
  /** The action, for messages, such as `read "a"`. */
  readonly action: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The object's name in the bucket; none for the bucket itself. */
  readonly name?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** {@linkcode hashOf} the body, if it is already known. */
  readonly bodyHash?: string;
  /** Root element of a good answer, if even status 200 may be a failure. */
  readonly expects?: string;
  /** Codes of S3, or statuses, that are answers and no failures. */
  readonly accept?: readonly (string | number)[];
  /** Inclusive bound of the answer, in bytes; default 64 KiB. */
  readonly maxAnswerBytes?: number;
  /** Whether the request is only a courtesy: it is not tried again. */
  readonly once?: true;
  /** Whether the store works for a long time before it answers. */
  readonly slow?: boolean;
}

/** Bytes of an answer that is a word or two. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Deadlines of slow requests: as many times the usual one. */
const SLOW = 5;
/** The deadline of one try, in milliseconds, unless told. */
const DEADLINE_MS = 60_000;

/** Calls the store, with all tries. */
export async function call(store: S3Store, s3Call: S3Call): BucketResult<S3Answer> {
  const { deadlineMs = DEADLINE_MS } = store;
  const { action, name = "" } = s3Call;
  if (name.split("/").some((segment) => segment === "." || segment === "..")) {
    // It would be taken for a way up, and name another object.
    const found = `Cannot ${action} in ${store.label}: no URL can hold "." or ".." as a folder`;
    return fail("other", found, "Rename the object");
  }
  const dependencies = { ...store, deadlineMs: deadlineMs * (s3Call.slow ? SLOW : 1) };
  const tries = storeTries();
  for (;;) {
    const exchange = await sendOnce(dependencies, await signed(store, s3Call));
    const answer = exchange.kind === "answered" ? understood(s3Call, exchange.answer) : null;
    const passing = answer === null ? worthAnotherTry(exchange) : isPassing(answer);
    if (passing && !s3Call.once && await waitForNext(tries, exchange, store)) continue;
    if (exchange.kind !== "answered") {
      return err(exchangeFailure(exchange, { ...store, address: placeOf(store), action }));
    }
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

/** Reads the store's document, where there is one: an object that was read is not one. */
function understood({ expects }: S3Call, answer: StoreAnswer): S3Answer {
  const { status, bytes } = answer;
  const isDocument = expects !== undefined || status < 200 || status >= 300;
  const xml = isDocument ? parseXml(decodeUtf8(bytes) ?? "") : null;
  const code = xml?.name === "Error" ? firstText(xml, "Code") ?? "" : "";
  return { ...answer, xml, code };
}

/** Signs a request, its body's hash included: what arrives damaged is refused by the store. */
async function signed(store: S3Store, s3Call: S3Call): Promise<StoreRequest> {
  const { method, name, query = {}, headers = {}, body, maxAnswerBytes } = s3Call;
  const { bodyHash = hashOf(store, body) } = s3Call;
  const path = name === undefined ? "" : `/${name.split("/").map(encodeStrictly).join("/")}`;
  const search = Object.entries(query)
    .flatMap(([key, value]) => value === undefined ? [] : `${key}=${encodeStrictly(value)}`)
    .join("&");
  const url = `${store.address}${path}${search === "" ? "" : `?${search}`}`;
  const { accessKeyId, secretAccessKey, sessionToken } = store.credentials;
  const signer = new AwsV4Signer({
    method,
    url,
    headers: { ...headers, "x-amz-content-sha256": bodyHash },
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

/** SHA-256 of a body or of none, lower-case hex. */
export function hashOf(
  { hashing }: Pick<S3Store, "hashing">,
  body: Uint8Array = new Uint8Array(),
): string {
  const hash = hashing.createSha256();
  hash.update(body);
  return hash.hex();
}

/** Percent-encodes all but what S3's signatures leave as it is (RFC 3986, unreserved). */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`);
}
