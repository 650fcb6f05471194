import { readAtMost } from "../core/bytes.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { Aborted, bounded, type Bounds, DEADLINE_MS, reasonOf } from "./bounded.ts";

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

/** The network, and how long an answer with its body is waited for. Default 15 s. */
export interface FetchDependencies extends Bounds {
  readonly fetch: ClientFetch;
}

/**
 * Fetches a small file whole, past every cache of the web view: what a captive portal once answered
 * must not be the answer for good. Never throws.
 *
 * @param maxBytes Inclusive; the body is cut off as soon as it passes.
 */
export async function fetchBytes(
  { fetch, deadlineMs = DEADLINE_MS, signal: until }: FetchDependencies,
  url: string,
  maxBytes: number,
): Promise<Result<Uint8Array<ArrayBuffer>, Failure<FetchFailureCode>>> {
  try {
    const bounds = { deadlineMs, signal: until };
    return await bounded(url, bounds, (signal) => transfer(fetch, { url, maxBytes, signal }));
  } catch (thrown) {
    const code = thrown instanceof Aborted ? thrown.code : "broken-off";
    return fail(code, `${thrown instanceof Aborted ? "" : `${url}: `}${reasonOf(thrown)}`);
  }
}

async function transfer(
  fetch: ClientFetch,
  { url, maxBytes, signal }: {
    readonly url: string;
    readonly maxBytes: number;
    readonly signal: AbortSignal;
  },
): Promise<Result<Uint8Array<ArrayBuffer>, Failure<FetchFailureCode>>> {
  const init = { cache: "no-store", credentials: "omit", signal } as const;
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (thrown) {
    // A web view reports a missing cross-origin rule as if the network were down. A request that
    // asks to read nothing tells the two apart: it passes only when the server is there.
    const reason = reasonOf(thrown);
    try {
      const { status } = await fetch(url, { ...init, method: "HEAD", mode: "no-cors" });
      return status === 0
        ? fail("cors", `${url} is there, but its bucket does not allow cross-origin GET`)
        : fail("unreachable", `${url} could not be read: ${reason}`);
    } catch {
      return fail("unreachable", `${url} could not be reached (offline?): ${reason}`);
    }
  }
  const { status, body, url: from } = response;
  const refuse = (code: FetchFailureCode, why: string) => {
    body?.cancel().catch(() => undefined);
    return fail(code, `${url} ${why}`);
  };
  if (status !== 200) return refuse("http-status", `answered ${status}, expected 200`);
  if (/^https:/i.test(url) && /^http:/i.test(from)) {
    return refuse("insecure-redirect", `leads to ${from}, expected https`);
  }
  const read = body === undefined ? readUnstreamed : readStreamed;
  const bytes = await read(response, maxBytes, signal);
  return bytes === null ? refuse("too-large", `has more than ${maxBytes} bytes`) : ok(bytes);
}

/** A response without a body is empty. @returns `null` over the cap. */
async function readStreamed(
  { body }: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | null> {
  return body ? await readAtMost(body, maxBytes, signal) : new Uint8Array(0);
}

/** Engines without streams: what a response does not say the length of is over every cap. */
async function readUnstreamed(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const length = response.headers.get("content-length");
  if (length === null || !(Number(length) <= maxBytes)) return null;
  const bytes = new Uint8Array(await response.arrayBuffer());
  return bytes.length > maxBytes ? null : bytes; // it may have been sent compressed
}
