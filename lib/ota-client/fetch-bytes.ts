import { readAtMost } from "../core/bytes.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { Aborted, bounded, DEADLINE_MS, reasonOf, type WaitBounds } from "./bounded.ts";
import { followPace, mayRead } from "./pace.ts";

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
  | "insecure"
  | "broken-off";

/** The network, and how long an answer is waited for. Default 15 s. */
export interface FetchDependencies extends WaitBounds {
  readonly fetch: ClientFetch;
  /** Called with the bytes of a body, piece by piece. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** A file, and how it is read. */
export interface BytesRequest {
  readonly url: string;
  /** Inclusive; the body is cut off as soon as it passes. */
  readonly maxBytes: number;
  /**
   * Whether the deadline applies to each pause, and a body that arrives fast enough may take longer
   * (CHECK-10); otherwise it applies to the request as one.
   */
  readonly byPace: boolean;
}

/**
 * Fetches a small file completely, past every cache of the web view: a captive portal's answer must
 * not stay. Never throws.
 */
export async function fetchBytes(
  dependencies: FetchDependencies,
  { url, maxBytes, byPace }: BytesRequest,
): Promise<Result<Uint8Array<ArrayBuffer>, Failure<FetchFailureCode>>> {
  const { fetch, deadlineMs = DEADLINE_MS, onBytes } = dependencies;
  const pace = followPace();
  const onChunk = ({ length }: Uint8Array) => {
    pace.add(length);
    onBytes?.(length);
  };
  const leftMs = (awakeMs: number) => {
    const now = pace.at(awakeMs);
    return mayRead(now, deadlineMs) ? deadlineMs - now.idleMs : 0;
  };
  try {
    return await bounded(
      url,
      { ...dependencies, deadlineMs },
      (signal) => transfer(fetch, { url, maxBytes, signal, onChunk }),
      byPace ? leftMs : undefined,
    );
  } catch (thrown) {
    if (!(thrown instanceof Aborted)) return fail("broken-off", `${url}: ${reasonOf(thrown)}`);
    return thrown.code === "timeout" && byPace
      ? fail(thrown.code, `${url} is too slow: ${pace.at(0).bytes} of ${maxBytes} bytes`)
      : fail(thrown.code, thrown.message);
  }
}

/** Allowed addresses: over plain HTTP, except from this device, a response can be replaced on the way. */
const SAFE = /^https:\/\/|^http:\/\/([\w-]+\.)*(localhost|127\.[.\d]+|\[::1])(:\d+)?\//i;

interface Transfer {
  readonly url: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly onChunk: (chunk: Uint8Array) => void;
}

async function transfer(
  fetch: ClientFetch,
  { url, maxBytes, signal, onChunk }: Transfer,
): Promise<Result<Uint8Array<ArrayBuffer>, Failure<FetchFailureCode>>> {
  if (!SAFE.test(url)) return fail("insecure", `${url}, expected https`);
  const init = { cache: "no-store", credentials: "omit", signal } as const;
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (thrown) {
    // A web view reports a missing cross-origin rule as a network failure. A request that reads no
    // answer distinguishes the two: it succeeds only if the server is reachable.
    const reason = reasonOf(thrown);
    try {
      const { status } = await fetch(url, { ...init, method: "HEAD", mode: "no-cors" });
      return status === 0
        ? fail("cors", `${url} allows no cross-origin GET`)
        : fail("unreachable", `${url} could not be read: ${reason}`);
    } catch {
      return fail("unreachable", `${url} is out of reach: ${reason}`);
    }
  }
  const { status, body, url: from } = response;
  const refuse = (code: FetchFailureCode, why: string) => {
    body?.cancel().catch(() => undefined);
    return fail(code, `${url} ${why}`);
  };
  if (status !== 200) return refuse("http-status", `answered ${status}, expected 200`);
  // Some engines do not report the address of an answer.
  if (from && !SAFE.test(from)) {
    return refuse("insecure-redirect", `leads to ${from}, expected https`);
  }
  // A response without a body is empty.
  const bytes = body === undefined
    ? await readUnstreamed(response, maxBytes)
    : body === null
    ? new Uint8Array(0)
    : await readAtMost(body, maxBytes, signal, onChunk);
  return bytes === null ? refuse("too-large", `has more than ${maxBytes} bytes`) : ok(bytes);
}

/** For engines without streams: a response without a length exceeds every cap. */
async function readUnstreamed(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const length = response.headers.get("content-length");
  if (length === null || !(Number(length) <= maxBytes)) return null;
  const bytes = new Uint8Array(await response.arrayBuffer());
  return bytes.length > maxBytes ? null : bytes; // it may have been sent compressed
}
