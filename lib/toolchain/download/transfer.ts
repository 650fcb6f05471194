import { basicCredentials } from "../../core/proxy.ts";
import { codingOf, rangeHeaders, validatorOf } from "../../core/ranges.ts";
import { type RetryRules, Tries } from "../../core/retry.ts";
import { TimeoutError, withTimeout } from "../../core/timeout.ts";
import { readAnswer } from "./answer.ts";
import { DownloadEnd, downloadEnd, type DownloadSubject, noAnswer, SET_MIRROR } from "./failure.ts";
import { networkFailure } from "./network-failure.ts";
import type { PartialDownload } from "./partial.ts";
import type { DownloadRequest, ToolDownloadDependencies } from "./request.ts";

const RETRIES: RetryRules = {
  tries: 5,
  mostTries: 50,
  firstWaitMs: 500,
  longestWaitMs: 60_000,
};
const STALL_MS = 30_000;

/** One download under way. */
export interface Transfer {
  readonly subject: DownloadSubject;
  readonly request: DownloadRequest;
  readonly dependencies: ToolDownloadDependencies;
  /** Inclusive. */
  readonly maxBytes: number;
}

/** Result of a transfer. */
export interface Sent {
  /** Bytes that came over the network. */
  readonly bytes: number;
  /** Whether they came in more than one answer, so that they may be of two files. */
  readonly isPieced: boolean;
  /** Note for a wrong hash, or empty. */
  readonly note: string;
}

/** The end of one request. */
type Outcome =
  | { readonly kind: "complete" }
  | { readonly kind: "restart"; readonly reason: string }
  | { readonly kind: "again"; readonly end: DownloadEnd; readonly afterMs: number };

/** Bytes received so far. */
interface Tally {
  bytes: number;
  answers: number;
  note: string;
}

/**
 * Fetches the rest of a download. Transient failures (a name that is not found, a lost connection, a stall, a
 * truncated answer, 408, 425, 429, 5xx) are retried with backoff and jitter, from the last byte on.
 *
 * @throws {DownloadEnd} When asking again does not help; `FileError`; the signal's reason.
 */
export async function transfer(partial: PartialDownload, job: Transfer): Promise<Sent> {
  const { clock, random = Math.random } = job.dependencies;
  const { progress, artifact, signal } = job.request;
  const sent: Tally = { bytes: 0, answers: 0, note: "" };
  let isRanged = true;
  const tries = new Tries(RETRIES, random);
  let furthest = partial.done;
  for (;;) {
    const outcome = await ask(partial, job, { sent, isRanged });
    if (outcome.kind === "complete") {
      return { bytes: sent.bytes, isPieced: sent.answers > 1, note: sent.note };
    }
    if (outcome.kind === "restart") {
      progress.log(`${artifact.name}: ${outcome.reason}; it starts over`);
      await partial.discard();
      furthest = 0;
      isRanged = false; // a server that got it wrong once is not asked again
      continue;
    }
    // Not the bytes that came: a server without ranges may send the same beginning for ever.
    const { end: { failure }, afterMs } = outcome;
    const waitMs = tries.next({ further: partial.done > furthest, afterMs });
    furthest = Math.max(furthest, partial.done);
    if (waitMs === null) {
      const message = `${failure.message}; gave up after ${tries.failed} tries`;
      throw new DownloadEnd({ ...failure, message });
    }
    progress.log(`${failure.message}; trying again in ${Math.ceil(waitMs / 1_000)} s`);
    await clock.sleep(waitMs, signal);
  }
}

/** One request, from where the last one stopped. */
async function ask(
  partial: PartialDownload,
  job: Transfer,
  { sent, isRanged }: { readonly sent: Tally; readonly isRanged: boolean },
): Promise<Outcome> {
  const { subject, request: { artifact, signal: cancelled }, dependencies } = job;
  const { fetch, clock, stallMs = STALL_MS } = dependencies;
  const from = isRanged ? partial.done : 0;
  const totalBytes = artifact.bytes ?? partial.source.total;
  if (from > 0 && from === totalBytes) return { kind: "complete" };
  const over = new AbortController();
  const signal = cancelled === undefined ? over.signal : AbortSignal.any([cancelled, over.signal]);
  const timeout = { clock, timeoutMs: stallMs, signal: cancelled };
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const { url, headers } = withoutUser(subject.url);
    const { validator } = partial.source;
    const init = {
      headers: { ...headers, ...artifact.headers, ...rangeHeaders(from, validator) },
      signal,
      cache: "no-store",
    } as const;
    const response = await withTimeout(() => fetch(url, init), timeout);
    const body = reader = response.body?.getReader();
    const verdict = readAnswer(response, { subject, from, validator, now: clock.now() });
    if (verdict.kind === "refused") throw verdict.end;
    if (verdict.kind !== "whole" && verdict.kind !== "rest") return verdict;
    if (verdict.total !== null) checkSize(verdict.total, noteOf(response.headers), job);
    if (verdict.kind === "whole") {
      if (partial.done > 0) {
        job.request.progress.log(`${artifact.name}: the server sends it from its beginning`);
      }
      await partial.begin({ validator: validatorOf(response.headers), total: verdict.total });
      sent.answers = 0;
      sent.note = noteOf(response.headers);
    }
    sent.answers++;
    const read = async () =>
      body === undefined ? { done: true } : await withTimeout(() => body.read(), timeout);
    return await receive(partial, { ...job, sent, total: verdict.total }, read);
  } catch (thrown) {
    cancelled?.throwIfAborted();
    if (thrown instanceof TimeoutError) {
      return { kind: "again", end: stalled(job, partial), afterMs: 0 };
    }
    if (reader !== undefined || thrown instanceof DownloadEnd) throw thrown;
    const failure = networkFailure(thrown);
    const end = noAnswer(subject, failure);
    if (!failure.isTransient) throw end;
    return { kind: "again", end, afterMs: 0 };
  } finally {
    over.abort();
    reader?.cancel().catch(() => undefined); // it has ended already, one way or the other
  }
}

/** Reads a body to its end, or as far as it goes; what was read is on the disk afterwards. */
async function receive(
  partial: PartialDownload,
  job: Transfer & { readonly sent: Tally; readonly total: number | null },
  read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>,
): Promise<Outcome> {
  const { subject, request: { artifact, progress }, maxBytes, sent } = job;
  const expected = artifact.bytes ?? job.total;
  const report = () =>
    progress.progress({
      phase: "download",
      label: artifact.name,
      done: partial.done,
      total: expected ?? artifact.roughBytes ?? 0,
      unit: "bytes",
    });
  let broken: string | null = null;
  for (;;) {
    let step: Awaited<ReturnType<typeof read>>;
    try {
      step = await read();
    } catch (thrown) {
      await partial.flush();
      report(); // the caller learns how much is kept
      job.request.signal?.throwIfAborted();
      if (thrown instanceof TimeoutError) throw thrown;
      broken = networkFailure(thrown).found;
      break;
    }
    if (step.value === undefined) break;
    if (partial.done + step.value.length > maxBytes) {
      await partial.discard();
      throw tooLarge(job, `more than ${maxBytes}${sent.note}`);
    }
    sent.bytes += step.value.length;
    if (await partial.add(step.value)) report();
  }
  await partial.flush();
  report();
  const { done } = partial;
  if (broken === null && (expected === null || done === expected)) return { kind: "complete" };
  if (broken === null && sent.note !== "") {
    await partial.discard();
    throw short(job, `${done}${sent.note}`);
  }
  const of = expected === null ? "" : ` of ${expected}`;
  const end = downloadEnd(subject, "short", {
    found: `it broke off after ${done}${of} bytes${broken === null ? "" : ` (${broken})`}`,
    next: `Try again: it goes on where it stopped; if it always breaks off, ${SET_MIRROR}`,
  });
  return { kind: "again", end, afterMs: 0 };
}

/** User name and password of an address as a header: `fetch` takes no address that has them. */
function withoutUser(address: string): { url: string; headers: Record<string, string> } {
  const url = new URL(address);
  const authorization = basicCredentials(url);
  if (authorization === null) return { url: address, headers: {} };
  url.username = "";
  url.password = "";
  return { url: url.href, headers: { authorization } };
}

/** Refuses a file by the size that the server announces, before its bytes. */
function checkSize(total: number, note: string, job: Transfer): void {
  const { artifact } = job.request;
  if (total > job.maxBytes) throw tooLarge(job, `${total}${note}`);
  if (artifact.bytes !== undefined && total < artifact.bytes) throw short(job, `${total}${note}`);
}

function short({ subject, request: { artifact } }: Transfer, found: string): DownloadEnd {
  return downloadEnd(subject, "short", {
    found: `the server has ${found} bytes, expected ${artifact.bytes}`,
    next: `The server has another file: try again later, or ${SET_MIRROR} that has this one`,
  });
}

function tooLarge(job: Transfer, found: string): DownloadEnd {
  const { subject, request: { artifact: { bytes } }, maxBytes } = job;
  const expected = bytes === undefined ? `at most ${maxBytes}` : String(bytes);
  return downloadEnd(subject, "too-large", {
    found: `the server sends ${found} bytes, expected ${expected}`,
    next: `The server has another file: try again later, or ${SET_MIRROR} that has this one`,
  });
}

function stalled(
  { subject, dependencies: { stallMs = STALL_MS } }: Transfer,
  { done }: PartialDownload,
) {
  return downloadEnd(subject, "stalled", {
    found: `the server sent nothing for ${stallMs} ms, after ${done} bytes`,
    next: "Check the connection and try again: it goes on where it stopped",
  });
}

function noteOf(headers: Headers): string {
  const encoding = codingOf(headers);
  return encoding === null ? "" : ` (with Content-Encoding ${encoding})`;
}
