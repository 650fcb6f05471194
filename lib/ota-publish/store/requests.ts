import { readAtMost } from "../../core/bytes.ts";
import { causeOf } from "../../core/cause.ts";
import { messageOf, ok, type Result } from "../../core/result.ts";
import { isTransient, retryAfterMs, type RetryRules, Tries } from "../../core/retry.ts";
import { TimeoutError, withTimeout } from "../../core/timeout.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { BucketFailure, BucketResult, PutOutcome } from "./bucket.ts";

// How every store over HTTP is asked: bounded answers, a deadline for each try, and the same tries
// again when a store or the way to it stumbles. A write may therefore arrive twice, and Deno's own
// fetch sends one again, unasked, when a connection that was kept open breaks. Who is told that the
// condition of a write does not hold has to look whether what stands there is its own.

/** Dependencies of requests to a store. */
export interface StoreRequestDependencies {
  /** The network. */
  readonly fetch: Fetch;
  /** Deadlines, and the waits between tries. */
  readonly clock: Clock;
  /** Cancels every request. */
  readonly signal?: AbortSignal;
  /** Deadline of one try, in milliseconds, in addition to the time for its bytes; default 60 s. */
  readonly deadlineMs?: number;
}

/** One request. A redirect is an answer, never followed: it would carry secrets elsewhere. */
export interface StoreRequest {
  /** Such as `GET`. */
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  /** Signed and all. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent whole, with its length. */
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Inclusive bound of a good answer's body, in bytes. */
  readonly maxAnswerBytes: number;
}

/** Response of a store. */
export interface StoreAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Its headers. */
  readonly headers: Headers;
  /** Its body, whole; empty when it is long and the status no success. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The end of a request. Only `network` and `timeout` are worth another try. */
export type RequestEnd =
  | { readonly kind: "answered"; readonly answer: StoreAnswer }
  /** The connection failed; the store may or may not have done what was asked. */
  | { readonly kind: "network"; readonly message: string }
  /** The deadline passed; the store may or may not have done what was asked. */
  | { readonly kind: "timeout"; readonly message: string }
  /** The answer passed its bound. */
  | { readonly kind: "too-large"; readonly message: string }
  /** The caller's signal was aborted. */
  | { readonly kind: "cancelled"; readonly message: string };

/** Tries at a request to any store, and the waits between them. */
const RETRIES: RetryRules = { tries: 5, firstWaitMs: 500, longestWaitMs: 60_000 };
/**
 * After 429: a store takes one write a second of one object, which all publishers share (PUB-34). Two
 * minutes of truncated exponential backoff, as Google Cloud Storage asks for.
 */
const BUSY: RetryRules = { tries: 9, firstWaitMs: 1_000, longestWaitMs: 32_000 };
/** Deadline of one try, in milliseconds. */
const DEADLINE_MS = 60_000;
/** The slowest line that is waited for, in bytes a millisecond, when all lanes send at once. */
const SLOWEST_BYTES_PER_MS = 16;
/** Longest text of a store's failure, in bytes. */
const MAX_WORDS_BYTES = 64 * 1024;
/** Answers up to this many bytes get no more time than the deadline. */
const QUICK_BYTES = 1024 * 1024;

/** Sends a request once. Never throws. */
export async function sendOnce(
  { fetch, clock, signal, deadlineMs = DEADLINE_MS }: StoreRequestDependencies,
  request: StoreRequest,
): Promise<RequestEnd> {
  const { body, maxAnswerBytes } = request;
  const bytesThatTakeTime = Math.max(body?.length ?? 0, maxAnswerBytes - QUICK_BYTES, 0);
  const timeoutMs = Math.ceil(deadlineMs + bytesThatTakeTime / SLOWEST_BYTES_PER_MS);
  try {
    const exchange = (ended: AbortSignal) => exchangeOf(fetch, request, ended);
    return await withTimeout(exchange, { clock, timeoutMs, signal });
  } catch (thrown) {
    if (signal?.aborted) return cancelled(signal);
    return thrown instanceof TimeoutError
      ? { kind: "timeout", message: `no answer within ${timeoutMs} ms` }
      : { kind: "network", message: innermost(thrown) };
  }
}

/** One request and its whole answer. @throws What `fetch` does, or the signal's reason. */
async function exchangeOf(
  fetch: Fetch,
  { method, url, headers, body, maxAnswerBytes }: StoreRequest,
  signal: AbortSignal,
): Promise<RequestEnd> {
  const response = await fetch(url, {
    method,
    headers: { ...headers },
    redirect: "manual",
    signal,
    ...(body === undefined ? {} : { body }),
  });
  // The body of a failure is only a message: a longer one is omitted.
  const maxBytes = response.ok ? maxAnswerBytes : MAX_WORDS_BYTES;
  const bytes = response.body === null
    ? new Uint8Array()
    : await readAtMost(response.body, maxBytes, signal);
  if (bytes === null && response.ok) {
    return { kind: "too-large", message: `the answer has more than ${maxBytes} bytes` };
  }
  const { status, headers: answered } = response;
  return {
    kind: "answered",
    answer: { status, headers: answered, bytes: bytes ?? new Uint8Array() },
  };
}

/**
 * Sends a request up to five times, or for longer if the store answers that there are too many. Tries
 * again after a lost connection, a passed deadline, and an answer that {@linkcode isTransient}; the waits
 * double, with jitter, or are as long as the store asks.
 *
 * @param prepare Makes each try's request again: signatures and tokens age.
 */
export async function sendWithRetries<E>(
  dependencies: StoreRequestDependencies,
  prepare: () => Promise<Result<StoreRequest, E>>,
): Promise<Result<RequestEnd, E>> {
  const tries = storeTries();
  for (;;) {
    const request = await prepare();
    if (!request.ok) return request;
    const exchange = await sendOnce(dependencies, request.value);
    if (!worthAnotherTry(exchange)) return ok(exchange);
    if (!await waitForNext(tries, exchange, dependencies)) {
      const { signal } = dependencies;
      return ok(signal?.aborted ? cancelled(signal) : exchange);
    }
  }
}

/** {@linkcode sendWithRetries} of a request that stays as it is. */
export async function sendRepeatedly(
  dependencies: StoreRequestDependencies,
  request: StoreRequest,
): Promise<RequestEnd> {
  const sent = await sendWithRetries<never>(dependencies, () => Promise.resolve(ok(request)));
  return sent.ok ? sent.value : sent.error;
}

/** The tries of one request: those that the store had no time for are counted by themselves. */
export interface StoreTries {
  readonly failed: Tries;
  readonly busy: Tries;
}

/** Begins to count. */
export function storeTries(): StoreTries {
  return { failed: new Tries(RETRIES), busy: new Tries(BUSY) };
}

/** Waits before the next try. @returns Whether it may be made. */
export async function waitForNext(
  { failed, busy }: StoreTries,
  exchange: RequestEnd,
  { clock, signal }: Pick<StoreRequestDependencies, "clock" | "signal">,
): Promise<boolean> {
  const isBusy = exchange.kind === "answered" && exchange.answer.status === 429;
  const tries = isBusy ? busy : failed;
  const afterMs = exchange.kind === "answered"
    ? retryAfterMs(exchange.answer.headers, clock.now())
    : 0;
  const waitMs = tries.next({ afterMs });
  return waitMs !== null && await clock.sleep(waitMs, signal).then(() => true, () => false);
}

/** Whether the same request may fare better later. */
export function worthAnotherTry(exchange: RequestEnd): boolean {
  if (exchange.kind !== "answered") {
    return exchange.kind === "network" || exchange.kind === "timeout";
  }
  return isTransient(exchange.answer.status);
}

function cancelled({ reason }: AbortSignal): RequestEnd {
  return { kind: "cancelled", message: `cancelled: ${messageOf(reason)}` };
}

/** Why nobody answered. Queries of addresses are left out, they may be secrets. */
function innermost(thrown: unknown): string {
  return causeOf(thrown).replace(/(https?:\/\/[^\s?)]*)\?[^\s)]*/g, "$1?…");
}

/**
 * Judges a refused condition: the response to an earlier attempt may have been lost, so the object may be
 * our own.
 *
 * @param existing What stands there.
 */
export async function resolveRefused(
  existing: BucketResult<{ readonly writeId: string | null } | null>,
  id: string,
): BucketResult<PutOutcome> {
  const there = await existing;
  return there.ok ? ok(there.value?.writeId === id ? "written" : "lost") : there;
}

/** Why an exchange without an answer failed: of which bucket what was asked, and where. */
export function exchangeFailure(
  exchange: Exclude<RequestEnd, { kind: "answered" }>,
  { label, address, action }: {
    readonly label: string;
    readonly address: string;
    readonly action: string;
  },
): BucketFailure {
  const message = `Cannot ${action} in ${label}: ${exchange.message}`;
  switch (exchange.kind) {
    case "network":
    case "timeout":
      return {
        code: "unreachable",
        message: `${message} (${address})`,
        next: "Check the endpoint and the network, and try again",
      };
    case "too-large":
    case "cancelled":
      return { code: "other", message };
  }
}
