import { readAtMost } from "../core/bytes.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";

/** The part of `fetch` that the client uses. */
export type ClientFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Why bytes could not be had. */
export type FetchFailureCode =
  | "unreachable"
  | "cors"
  | "timeout"
  | "cancelled"
  | "http-status"
  | "too-large"
  | "insecure-redirect"
  | "broken-off";

/** One bounded request. */
export interface BytesRequest {
  readonly fetch: ClientFetch;
  readonly url: string;
  /** Inclusive; the body is cut off as soon as it passes. */
  readonly maxBytes: number;
  /** For the whole request, in milliseconds. */
  readonly deadlineMs: number;
  /** `no-store` for the one file that changes. */
  readonly cache?: "no-store";
  readonly signal?: AbortSignal;
}

/** Fetches a small file whole. Never throws. */
export async function fetchBytes(
  request: BytesRequest,
): Promise<Result<Uint8Array<ArrayBuffer>, Failure<FetchFailureCode>>> {
  const { url, maxBytes, deadlineMs, signal } = request;
  const abort = new AbortController();
  let stopped: "timeout" | "cancelled" | null = null;
  const stop = (why: "timeout" | "cancelled") => {
    stopped ??= why;
    abort.abort();
  };
  const timer = setTimeout(() => stop("timeout"), deadlineMs);
  const onAbort = () => stop("cancelled");
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  // A fetch that ignores its signal must not hold the game up either.
  const cut = new Promise<never>((_, reject) => {
    abort.signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
  });
  cut.catch(() => undefined);
  try {
    const outcome = await Promise.race([transfer(request, abort.signal), cut]);
    return outcome ??
      fail("too-large", `${url} has more than ${maxBytes} bytes, expected at most so many`);
  } catch (thrown) {
    if (stopped === "timeout") {
      return fail("timeout", `${url} was not there within ${deadlineMs} ms`);
    }
    if (stopped === "cancelled") return fail("cancelled", `The request of ${url} was cancelled`);
    return thrown instanceof BrokenOff
      ? fail("broken-off", `${url} broke off: ${thrown.message}`)
      : await explainUnreachable(request, messageOf(thrown));
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

class BrokenOff extends Error {}

async function transfer(
  { fetch, url, maxBytes, cache }: BytesRequest,
  signal: AbortSignal,
): Promise<Result<Uint8Array<ArrayBuffer>, Failure<FetchFailureCode>> | null> {
  const response = await fetch(url, { cache: cache ?? "default", credentials: "omit", signal });
  if (!response.ok) {
    await response.body?.cancel();
    return fail("http-status", `${url} answered ${response.status}, expected 200`);
  }
  if (url.startsWith("https:") && response.url.startsWith("http:")) {
    await response.body?.cancel();
    return fail("insecure-redirect", `${url} leads to ${response.url}, expected https`);
  }
  if (response.body === null) return ok(new Uint8Array(0));
  try {
    const bytes = await readAtMost(response.body, maxBytes, signal);
    return bytes === null ? null : ok(bytes);
  } catch (thrown) {
    throw new BrokenOff(messageOf(thrown));
  }
}

/**
 * A web view reports a missing cross-origin rule as if the network were down. A request that asks
 * to read nothing tells the two apart: it passes only when the server is there.
 */
async function explainUnreachable(
  { fetch, url }: BytesRequest,
  reason: string,
): Promise<Result<never, Failure<FetchFailureCode>>> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), 2_000);
  try {
    const response = await fetch(url, {
      method: "HEAD",
      mode: "no-cors",
      cache: "no-store",
      credentials: "omit",
      signal: abort.signal,
    });
    if (response.status !== 0) return fail("unreachable", `${url} could not be read: ${reason}`);
    return fail("cors", `${url} is there, but its bucket does not allow cross-origin GET`);
  } catch {
    return fail("unreachable", `${url} could not be reached (offline?): ${reason}`);
  } finally {
    clearTimeout(timer);
  }
}
