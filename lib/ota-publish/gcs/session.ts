import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import type { BodyParts } from "../store/body-parts.ts";
import type { BucketFailure } from "../store/bucket.ts";
import { answerFailure, type GcsStore } from "./requests.ts";
import {
  exchangeFailure,
  type RequestEnd,
  sendOnce,
  type StoreAnswer,
  type StoreRequest,
  storeTries,
  waitForNext,
  worthAnotherTry,
} from "../store/requests.ts";

// Resumable uploads (https://cloud.google.com/storage/docs/resumable-uploads). The address of an
// upload is its credential: no token is sent with it, and no message shows it.

/** A started upload. Its condition was sent with the first request. */
export interface UploadSession {
  /** The upload's store. */
  readonly store: GcsStore;
  /** Action, for messages. */
  readonly action: string;
  /** The upload's own address. */
  readonly url: string;
  /** Bytes of the object. */
  readonly size: number;
}

/** The end of an upload. */
export type SessionEnd =
  /** Written, with the store's own sum if it reports one. */
  | { readonly kind: "written"; readonly crc32c: string | null }
  /** The condition does not hold, perhaps because a try of ours was heard after all. */
  | { readonly kind: "refused" }
  /** The store no longer knows the upload, or lost parts of it. */
  | { readonly kind: "gone" }
  | { readonly kind: "failed"; readonly failure: BucketFailure };

/** Bytes of a chunk: a multiple of 256 KiB, as the store demands of all but the last. */
const CHUNK_BYTES = 8 * 1024 * 1024;
/** The timeout for cancelling an upload, in milliseconds: the request is only a courtesy. */
const CANCEL_MS = 5_000;
/** Answers of an upload are an object's facts. */
const MAX_ANSWER_BYTES = 256 * 1024;

/**
 * Sends a body chunk by chunk. After a lost connection it asks the store how much arrived, and
 * sends the rest of the chunk again.
 */
export async function sendChunks(session: UploadSession, parts: BodyParts): Promise<SessionEnd> {
  const buffer = new Uint8Array(Math.min(CHUNK_BYTES, session.size));
  for (let start = 0; start < session.size; start += buffer.length) {
    const chunk = buffer.subarray(0, Math.min(buffer.length, session.size - start));
    await parts.fill(chunk);
    const end = await sendChunk(session, chunk, start);
    if (end !== null) return end;
  }
  return { kind: "gone" }; // all chunks were accepted but no object was made
}

/** Cancels an upload, so that nothing of it remains. A failure does no harm. */
export async function cancelSession({ store, url }: UploadSession): Promise<void> {
  const { fetch, clock } = store; // without the caller's signal: it may be why the upload ends
  await sendOnce({ fetch, clock, deadlineMs: CANCEL_MS }, {
    method: "DELETE",
    url,
    headers: {},
    maxAnswerBytes: MAX_ANSWER_BYTES,
  });
}

/** Sends one chunk. @returns `null` when the store has it and waits for more. */
async function sendChunk(
  session: UploadSession,
  chunk: Uint8Array<ArrayBuffer>,
  start: number,
): Promise<SessionEnd | null> {
  const end = start + chunk.length;
  let from = start;
  let tries = storeTries();
  while (from < end) {
    let exchange = await sendOnce(session.store, {
      method: "PUT",
      url: session.url,
      headers: { "content-range": `bytes ${from}-${end - 1}/${session.size}` },
      body: chunk.subarray(from - start),
      maxAnswerBytes: MAX_ANSWER_BYTES,
    });
    let isCounted = false; // by error: 429 is not a failure (PUB-34)
    while (worthAnotherTry(exchange)) {
      isCounted = true;
      if (!await waitForNext(tries, exchange, session.store)) {
        return { kind: "failed", failure: failureOf(session, exchange) };
      }
      exchange = await sendOnce(session.store, askHowMuch(session));
    }
    if (exchange.kind !== "answered") {
      return { kind: "failed", failure: failureOf(session, exchange) };
    }
    const { answer } = exchange;
    switch (answer.status) {
      case 200:
      case 201:
        return end === session.size
          ? { kind: "written", crc32c: crc32cIn(answer) }
          : { kind: "failed", failure: endedEarly(session, end) };
      case 308: {
        const stored = storedBytes(answer);
        if (stored < from || stored > end) return { kind: "gone" };
        if (stored > from) tries = storeTries();
        else if (!isCounted && tries.failed.next() === null) return { kind: "gone" };
        from = stored;
        break;
      }
      case 412:
        return { kind: "refused" };
      case 404:
      case 410:
        return { kind: "gone" };
      default:
        return { kind: "failed", failure: failureOf(session, exchange) };
    }
  }
  return null;
}

function askHowMuch({ url, size }: UploadSession): StoreRequest {
  return {
    method: "PUT",
    url,
    headers: { "content-range": `bytes */${size}` },
    maxAnswerBytes: MAX_ANSWER_BYTES,
  };
}

function crc32cIn({ bytes }: StoreAnswer): string | null {
  const object = parseJson(bytes);
  const sum = isRecord(object) ? object["crc32c"] : undefined;
  return typeof sum === "string" ? sum : null;
}

/** Returns the bytes that the store has: `Range: bytes=0-N`, none without that header. */
function storedBytes({ headers }: StoreAnswer): number {
  const match = /^bytes=0-([0-9]{1,15})$/.exec(headers.get("range") ?? "");
  return match?.[1] === undefined ? 0 : Number(match[1]) + 1;
}

function failureOf({ store, action }: UploadSession, exchange: RequestEnd): BucketFailure {
  return exchange.kind === "answered"
    ? answerFailure(store, action, exchange.answer)
    : exchangeFailure(exchange, { ...store, address: store.endpoint, action });
}

function endedEarly({ store, action, size }: UploadSession, sent: number): BucketFailure {
  return {
    code: "other",
    message:
      `Cannot ${action} in ${store.label}: the store ended the upload after ${sent} of ${size} bytes`,
    next: "Remove that object, it is cut short",
  };
}
