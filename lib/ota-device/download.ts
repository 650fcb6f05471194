import { codingOf, lengthOf, rangeHeaders, readRange, validatorOf } from "../core/ranges.ts";
import { messageOf } from "../core/result.ts";
import { type RetryRules, Tries } from "../core/retry.ts";
import { TimeoutError, withTimeout } from "../core/timeout.ts";
import type { ContentRef } from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fetch } from "../ports/fetch.ts";
import { StageError } from "./transfer.ts";

/** Dependencies of a download. */
export interface DownloadDependencies {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** The longest silence of a server, in milliseconds. */
  readonly stallMs: number;
  readonly signal?: AbortSignal;
  /** Bytes that a restarted download may cost; absent if there is no other way. */
  readonly mostAgain?: number;
}

/** Expected content: its size, and the bytes sent for it if it is coded. */
export type Awaited = Pick<ContentRef, "size" | "served">;

/** Fewer bytes of an answer that does not say how many there are may be anything: a page, half a page. */
const DOUBTFUL_BYTES = 64 * 1024;

const RETRIES: RetryRules = {
  tries: 5,
  mostTries: 50,
  firstWaitMs: 250,
  longestWaitMs: 30_000,
};

/** A try that failed in a way that may pass. */
class Interrupted extends Error {
  /** Wait that the server asked for, in milliseconds; 0 for none. */
  readonly afterMs: number;

  constructor(message: string, afterMs = 0) {
    super(message);
    this.afterMs = afterMs;
  }
}

/** The progress of a download. */
interface Position {
  readonly url: string;
  /** Bytes in total, according to the manifest. */
  readonly size: number;
  /** Bytes that the server sends for one byte of the content: less than 1 if it is compressed. */
  readonly rate: number;
  /** Bytes that were there before. */
  readonly from: number;
  /** Yielded bytes, plus those present before. */
  done: number;
  /** Received bytes, including skipped ones. */
  came: number;
  /** Validator of the bytes. */
  validator: string | null;
  /** Whether to ask the server for a range: not again after a wrong answer. */
  ranged: boolean;
}

/**
 * Opens a URL as a stream of bytes. Temporary failures (a lost connection, a stall, a truncated
 * answer, 408, 425, 429, 5xx) are tried again with backoff and jitter, from the point of
 * interruption: by `Range`, or, if a server does not support it, by skipping the bytes received
 * before. No byte is yielded twice (DEV-13), so progress never goes back. The hash at the end
 * proves that both parts belong together, however the server treats `If-Range`: servers behind one
 * name tag equal bytes differently, so a different tag alone does not restart.
 *
 * The bytes of an interrupted response are kept if it named the right size or brought more than 64
 * KiB: a page served in place of a content is not its beginning (DEV-36).
 *
 * @param content Its size, according to the manifest. Fewer bytes count as a lost connection, unless
 * the server itself named the smaller size: then that is its content.
 * @param from Bytes that are present already: the first yielded one comes after them.
 */
export function openDownload(
  dependencies: DownloadDependencies,
  url: string,
  { size, served = size }: Awaited,
  from = 0,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const given = dependencies.signal;
  const unread = new AbortController();
  const signal = given === undefined ? unread.signal : AbortSignal.any([given, unread.signal]);
  // Ranges of a coded content are ranges of the coded form.
  const [ranged, rate] = [served === size, size === 0 ? 1 : served / size];
  const begun = { url, size, rate, from, done: from, came: 0 };
  const position: Position = { ...begun, validator: null, ranged };
  const bytes = downloadAll({ ...dependencies, signal }, position);
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      try {
        const { done, value } = await bytes.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (thrown) {
        controller.error(thrown);
      }
    },
    async cancel() {
      unread.abort(); // the generator may be waiting, and returns only after that
      await bytes.return().catch(() => undefined); // the caller knows why it cancelled
    },
  }, { highWaterMark: 0 });
}

/** {@linkcode DownloadDependencies} of one download, which its reader may also end. */
interface Download extends DownloadDependencies {
  readonly signal: AbortSignal;
}

async function* downloadAll(
  download: Download,
  position: Position,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { clock, signal } = download;
  const tries = new Tries(RETRIES);
  for (;;) {
    const before = position.done;
    try {
      yield* downloadOnce(download, position);
      return;
    } catch (thrown) {
      if (!(thrown instanceof Interrupted)) throw thrown;
      if (position.done === position.size && position.done > before) return; // only the end is lost
      if (!position.ranged) requireWorth(download, position, thrown.message);
      const { afterMs } = thrown;
      const waitMs = tries.next({ further: position.done > before, afterMs });
      if (waitMs === null) {
        throw new StageError("download", `${thrown.message}; gave up after ${tries.failed} tries`);
      }
      await clock.sleep(waitMs, signal).catch(() => undefined); // the next try reports the error
    }
  }
}

/** Sends one request, from the point of interruption. */
async function* downloadOnce(
  download: Download,
  position: Position,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const { fetch, stallMs, signal: cancelled } = download;
  const { url, size } = position;
  const abort = new AbortController();
  const signal = AbortSignal.any([cancelled, abort.signal]);
  let reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  try {
    const { done: from, ranged, validator } = position;
    const headers = from > 0 && ranged ? rangeHeaders(from, validator) : {};
    const init = { signal, cache: "no-store", headers } as const;
    const response = await attempt(() => fetch(url, init));
    const body = reader = response.body?.getReader();
    let skip = skippedBytes(response, position);
    if (skip > 0 && ranged) requireWorth(download, position, `${url} knows no ranges`);
    const held: Uint8Array<ArrayBuffer>[] = [];
    let isDoubtful = !namesSize(response, position);
    let seen = position.done;
    while (body !== undefined) {
      const { done, value } = await attempt(() => body.read());
      if (done) break;
      position.came += value.length;
      const fresh = value.subarray(Math.min(skip, value.length));
      skip -= value.length - fresh.length;
      if (fresh.length === 0) continue;
      held.push(fresh);
      seen += fresh.length;
      isDoubtful &&= seen < size && seen - position.done <= DOUBTFUL_BYTES;
      if (!isDoubtful) yield* handOn(held.splice(0), position);
    }
    if (seen < size && !isShort(response, seen)) {
      throw new Interrupted(`${url} ended after ${seen} of ${size} bytes`);
    }
    yield* handOn(held, position);
  } finally {
    abort.abort(); // also if the reader stops early
    reader?.cancel().catch(() => undefined); // it has ended already, one way or the other
  }

  async function attempt<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await withTimeout(step, { ...download, timeoutMs: stallMs });
    } catch (thrown) {
      if (cancelled.aborted) throw new StageError("cancelled", `${url} was cancelled`);
      const isStalled = thrown instanceof TimeoutError;
      const why = isStalled ? `the server sent nothing for ${stallMs} ms` : messageOf(thrown);
      throw new Interrupted(`${url} was interrupted: ${why}`);
    }
  }
}

function* handOn(
  chunks: readonly Uint8Array<ArrayBuffer>[],
  position: Position,
): Generator<Uint8Array<ArrayBuffer>> {
  for (const chunk of chunks) {
    position.done += chunk.length;
    yield chunk;
  }
}

/**
 * Looks at an answer's beginning. @returns How many of its first bytes were had before.
 *
 * @throws {Interrupted} When asking again may help, {@linkcode StageError} when it does not.
 */
function skippedBytes(response: Response, position: Position): number {
  const { status, headers } = response;
  const { url, done, size } = position;
  if (url.startsWith("https:") && response.url.startsWith("http:")) {
    throw new StageError("download", `${url} redirects to plain http at ${response.url}`);
  }
  const from = position.ranged ? done : 0;
  const verdict = readRange(response, { from, validator: null });
  if (verdict.kind === "again") throw new Interrupted(`${url} answered ${status}`, verdict.afterMs);
  if (verdict.kind === "refused") {
    const code = status >= 400 && status < 500 ? "missing" : "download";
    throw new StageError(code, `${url} answered ${status}, expected 200`);
  }
  // No content is stored as a page: a rule of the host replaced it.
  const isPage = /^text\/html\b/i.test(headers.get("content-type") ?? "");
  const isAnswer = status === 200 || status === 206;
  if (isPage && isAnswer && !(status === 200 && namesSize(response, position))) {
    throw new StageError("missing", `${url} answered ${status} with a page, expected a file`);
  }
  if (verdict.kind === "rest" && (verdict.total === null || verdict.total === size)) return 0;
  // Some engines do not decode an unrequested coding: such bytes cannot be skipped.
  const isWhole = verdict.kind === "whole" && (from === 0 || codingOf(headers) === null);
  if (!isWhole) {
    position.ranged = false;
    throw new Interrupted(`${url} answered ${status} without the bytes from ${done} on`);
  }
  position.validator = validatorOf(headers);
  if (codingOf(headers) !== null) position.ranged = false; // its ranges would be of the coded form
  return done;
}

/** Returns whether the server has fewer bytes than the manifest says, and sent them all. */
function isShort({ status, headers }: Response, seen: number): boolean {
  return status === 200 && codingOf(headers) === null && lengthOf(headers) === seen;
}

/** Returns whether an answer itself names the right size of the content (DEV-36). */
function namesSize({ status, headers }: Response, { size }: Position): boolean {
  if (codingOf(headers) !== null) return false;
  const total = status === 206
    ? Number(/\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1])
    : lengthOf(headers);
  return total === size;
}

/** Bounds the bytes that are lost when a response has to be repeated (DEV-37). */
function requireWorth(
  { mostAgain = Infinity }: Download,
  { url, from, done, came, rate }: Position,
  why: string,
): void {
  const lost = done - from;
  if (lost === 0 || (came + lost) * rate <= mostAgain) return;
  throw new StageError(
    "download",
    `${why}; ${url} would cost ${Math.ceil(lost * rate)} bytes again`,
  );
}
