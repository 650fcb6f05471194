import { inTime } from "../core/in-time.ts";
import { messageOf } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { Fetch } from "../ports/fetch.ts";
import { StageError } from "./transfer.ts";

/** What a download works with. */
export interface DownloadDependencies {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** The longest that a server may send nothing, in milliseconds. */
  readonly stallMs: number;
  readonly signal?: AbortSignal;
}

/** Tries in a row that bring no byte. */
const TRIES = 5;
/** Tries in all: a line that breaks after every byte is given up one day. */
const MOST_TRIES = 50;
/** The wait after the first try, in milliseconds; it doubles with every one that brings nothing. */
const FIRST_WAIT_MS = 250;
/** The longest wait, whatever a server asks for, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;

/** A try that failed in a way that may pass. */
class Interrupted extends Error {
  /** What the server asked to be waited, in milliseconds; 0 for nothing. */
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** How far a download is. */
interface Position {
  readonly url: string;
  /** Bytes in all, as the manifest says. */
  readonly size: number;
  /** Bytes that were handed on. */
  done: number;
  /** The strong tag of what they came from. */
  tag: string | null;
  /** Whether the server may be asked for a range: one that got it wrong is not asked again. */
  ranged: boolean;
}

/**
 * Opens a URL as a stream of bytes. What may pass (a lost connection, a stall, an answer that is cut
 * short, 408, 429, 5xx) is tried again with backoff and jitter, and goes on where it stopped: by
 * `Range`, or, where a server knows none, by passing over what was had before. No byte is handed on
 * twice (DEV-13), so progress never goes back. That both halves belong together is shown by the hash
 * at the end, whatever a server makes of `If-Range`: servers behind one name tag equal bytes
 * differently, so another tag alone does not begin anew.
 *
 * @param size Bytes in all, as the manifest says. Fewer is a connection that was lost, unless the
 *   server itself named the smaller size: then that is what it has.
 */
export function openDownload(
  dependencies: DownloadDependencies,
  url: string,
  size: number,
): ReadableStream<Uint8Array> {
  const given = dependencies.signal;
  const unread = new AbortController();
  const signal = given === undefined ? unread.signal : AbortSignal.any([given, unread.signal]);
  const position: Position = { url, size, done: 0, tag: null, ranged: true };
  const bytes = downloadAll({ ...dependencies, signal }, position);
  return new ReadableStream<Uint8Array>({
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
      await bytes.return().catch(() => undefined); // whoever cancels has heard why
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
): AsyncGenerator<Uint8Array, void, undefined> {
  const { clock, signal } = download;
  let barren = 0;
  for (let tries = 1;; tries++) {
    const before = position.done;
    try {
      yield* downloadOnce(download, position);
      return;
    } catch (thrown) {
      if (!(thrown instanceof Interrupted)) throw thrown;
      if (position.done === position.size && position.done > before) return; // only the end is lost
      barren = position.done > before ? 1 : barren + 1;
      if (barren >= TRIES || tries >= MOST_TRIES) {
        throw new StageError("download", `${thrown.message}; given up after ${tries} tries`);
      }
      const backoff = FIRST_WAIT_MS * 2 ** (barren - 1) * (0.5 + Math.random());
      const wait = Math.min(Math.max(backoff, thrown.retryAfterMs), LONGEST_WAIT_MS);
      await clock.sleep(wait, signal).catch(() => undefined); // the next try tells
    }
  }
}

/** One request, from where the last one stopped. */
async function* downloadOnce(
  download: Download,
  position: Position,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { fetch, signal: cancelled } = download;
  const { url, size } = position;
  const abort = new AbortController();
  const signal = AbortSignal.any([cancelled, abort.signal]);
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const init = { signal, cache: "no-store", headers: rangeOf(position) } as const;
    const response = await attempt(fetch(url, init));
    reader = response.body?.getReader();
    let skip = skippedBytes(response, position);
    while (reader !== undefined) {
      const { done, value } = await attempt(reader.read());
      if (done) break;
      const fresh = value.subarray(Math.min(skip, value.length));
      skip -= value.length - fresh.length;
      if (fresh.length === 0) continue;
      position.done += fresh.length;
      yield fresh;
    }
    if (position.done < size && !isShort(response, position)) {
      throw new Interrupted(`${url} ended after ${position.done} of ${size} bytes`);
    }
  } finally {
    abort.abort(); // also when whoever reads has had enough
    reader?.cancel().catch(() => undefined); // it has ended already, one way or the other
  }

  async function attempt<T>(step: Promise<T>): Promise<T> {
    try {
      return await inTime(step, download);
    } catch (thrown) {
      if (cancelled.aborted) throw new StageError("cancelled", `${url} was cancelled`);
      throw new Interrupted(`${url} broke off: ${messageOf(thrown)}`);
    }
  }
}

function rangeOf({ done, tag, ranged }: Position): Record<string, string> {
  if (done === 0 || !ranged) return {};
  // Offsets are of the file itself: not of a compressed form that a server may make of it.
  const range = { range: `bytes=${done}-`, "accept-encoding": "identity" };
  return tag === null ? range : { ...range, "if-range": tag };
}

/**
 * Looks at an answer's beginning. @returns How many of its first bytes were had before.
 *
 * @throws {Interrupted} When asking again may help, {@linkcode StageError} when it does not.
 */
function skippedBytes(response: Response, position: Position): number {
  const { status, headers } = response;
  const { url, done } = position;
  if (url.startsWith("https:") && response.url.startsWith("http:")) {
    throw new StageError("download", `${url} leads to plain http at ${response.url}`);
  }
  if (status === 408 || status === 429 || status >= 500) {
    throw new Interrupted(`${url} answered ${status}`, retryAfterMs(headers));
  }
  if (done > 0 && position.ranged) {
    const coded = headers.get("content-encoding") !== null; // some engines do not decode it here
    if (status === 206 && !coded && isRest(headers, position)) return 0;
    if (status === 206 || status === 416 || coded) {
      position.ranged = false;
      throw new Interrupted(`${url} answered ${status} without the bytes from ${done} on`);
    }
  }
  if (status !== 200) throw new StageError("download", `${url} answered ${status}, expected 200`);
  const tag = headers.get("etag");
  position.tag = tag !== null && /^"[^"]*"$/.test(tag) ? tag : null;
  return done;
}

/** Whether an answer holds the bytes that are still missing. */
function isRest(headers: Headers, { done, size }: Position): boolean {
  const [, first, total] = /^bytes ([0-9]+)-[0-9]+\/([0-9]+|\*)$/
    .exec(headers.get("content-range") ?? "") ?? [];
  return Number(first) === done && (total === "*" || Number(total) === size);
}

/** Whether the server has fewer bytes than the manifest says, and sent them all. */
function isShort({ status, headers }: Response, { done }: Position): boolean {
  const length = headers.get("content-length");
  return status === 200 && headers.get("content-encoding") === null && length !== null &&
    Number(length) === done;
}

/** `Retry-After` in seconds; dates are not worth a clock that may be years off. */
function retryAfterMs(headers: Headers): number {
  const seconds = /^[0-9]+$/.exec(headers.get("retry-after") ?? "");
  return seconds === null ? 0 : Number(seconds[0]) * 1_000;
}
