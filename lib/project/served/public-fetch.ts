import { readAtMost } from "../../core/bytes.ts";
import { causeOf } from "../../core/cause.ts";
import { isTransient, retryAfterMs, type RetryRules, Tries } from "../../core/retry.ts";
import { TimeoutError, withTimeout } from "../../core/timeout.ts";
import type { ContentRef } from "../../ota-format/mod.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Fetch } from "../../ports/fetch.ts";
import type { Hashing } from "../../ports/hashing.ts";

// How a publisher reads what players are served: the addresses are foreign, so every wait has an
// end, every body a bound, and every caller a way to cancel.

/** How public addresses are requested. */
export interface Asking {
  /** Asks the address. */
  readonly fetch: Fetch;
  /** Waits between the attempts. */
  readonly clock: Pick<Clock, "sleep">;
  /** The longest silence of a server, in milliseconds. Default 30 s. */
  readonly stallMs?: number;
  /** Cancels the request, whatever the server does. */
  readonly signal?: AbortSignal;
}

/** A question to an address. */
export interface AddressRequest {
  /** Absolute. */
  readonly url: string;
  /** Default `GET`. */
  readonly method?: "GET" | "HEAD";
  /** Sent in addition to those of `fetch`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The origin of an app's page, as its web view sends it. */
const APP_ORIGIN = "https://localhost";

/**
 * Wraps `fetch` as the page of an app. The addresses come from a project, and servers may redirect
 * them anywhere: this service would take a request without an origin for one of the user's own
 * programs, and start work (HTTP-2, decision 104).
 */
export function asAppsPage(fetch: Fetch): Fetch {
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set("origin", APP_ORIGIN);
    return await fetch(url, { ...init, headers });
  };
}

/** Why an app's page cannot read a response (CORS); `null` if it can. */
export function crossOriginRefusal(headers: Headers): string | null {
  const allowed = headers.get("access-control-allow-origin");
  if (allowed === "*" || allowed === APP_ORIGIN) return null;
  const name = "Access-Control-Allow-Origin";
  return allowed === null ? `no ${name}` : `${name} ${allowed}`;
}

/**
 * Describes how a response's headers differ from the record about the served bytes; `null` if they
 * agree or are missing. A difference harms no phone, which only takes the more expensive way.
 */
export function servedDiffers(headers: Headers, { served }: ContentRef): string | null {
  const length = headers.get("content-length");
  if (served === undefined || length === null || Number(length) === served) return null;
  const coding = headers.get("content-encoding");
  return `${length} bytes are served${coding === null ? "" : `, coded as ${coding}`}; ` +
    `the record that names it tells ${served}`;
}

/** Wraps `fetch` so that errors name their first cause rather than the failed call. */
export function tellingCauses(fetch: Fetch): Fetch {
  return async (url, init) => {
    try {
      return await fetch(url, init);
    } catch (thrown) {
      throw new Error(causeOf(thrown), { cause: thrown });
    }
  };
}

/** The answer of an address. */
export interface PublicAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** Of the last answer, after redirects. */
  readonly headers: Headers;
  /** The final address. */
  readonly url: string;
}

const STALL_MS = 30_000;
/** A person may be waiting. */
const RETRIES: RetryRules = { tries: 3, firstWaitMs: 400, longestWaitMs: 10_000 };

/**
 * Requests an address. Temporary failures (no answer, a stall, a truncated answer, a status that
 * {@linkcode isTransient}) are tried again, from the beginning.
 *
 * @param take Reads the body of a 200, once a try; bytes that it does not read are not requested.
 * @throws {Error} If the last try gets no answer, or a truncated one; the signal's reason as soon
 * as
 *   it is aborted.
 */
export async function askPublic(
  asking: Asking,
  request: AddressRequest,
  take: (body: ReadableStream<Uint8Array>) => Promise<unknown> = (body) => body.cancel(),
): Promise<PublicAnswer> {
  const { clock, signal } = asking;
  const tries = new Tries(RETRIES);
  for (;;) {
    let waitMs: number | null;
    try {
      const answer = await askOnce(asking, request, take);
      if (!isTransient(answer.status)) return answer;
      waitMs = tries.next({ afterMs: retryAfterMs(answer.headers) });
      if (waitMs === null) return answer;
    } catch (thrown) {
      signal?.throwIfAborted();
      waitMs = tries.next();
      if (waitMs === null) throw new Error(causeOf(thrown));
    }
    await clock.sleep(waitMs, signal);
  }
}

/**
 * {@linkcode askPublic} for a small object, read completely.
 *
 * @param request `maxBytes`: inclusive; one byte more ends the answer.
 * @returns The bytes; `null` for more than `maxBytes`, empty for an answer that is not 200.
 */
export async function askWhole(
  asking: Asking,
  { maxBytes, ...request }: AddressRequest & { readonly maxBytes: number },
): Promise<PublicAnswer & { readonly bytes: Uint8Array<ArrayBuffer> | null }> {
  let bytes: Uint8Array<ArrayBuffer> | null = new Uint8Array();
  const answer = await askPublic(asking, request, async (body) => {
    bytes = await readAtMost(body, maxBytes, asking.signal);
  });
  return { ...answer, bytes };
}

/**
 * {@linkcode askPublic} for a large object, hashed as it arrives.
 *
 * @param request `maxBytes`: inclusive; one byte more ends the answer. `keep`: reads the hashed
 * bytes
 *   to their end, by default into nothing.
 * @returns Its size and hash, `null` for an answer that is not 200. The size exceeds `maxBytes` if
 *   the answer was ended for that; the hash is then of its beginning.
 */
export async function askHash(
  { hashing, ...asking }: Asking & { readonly hashing: Hashing },
  { maxBytes, keep = drain, ...request }: AddressRequest & {
    readonly maxBytes: number;
    readonly keep?: (body: ReadableStream<Uint8Array>) => Promise<unknown>;
  },
): Promise<PublicAnswer & { readonly found: ContentRef | null }> {
  let found: ContentRef | null = null;
  const answer = await askPublic(asking, request, async (body) => {
    const hash = hashing.createSha256();
    let size = 0;
    await keep(body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          size += chunk.length;
          if (size > maxBytes) return controller.terminate();
          hash.update(chunk);
          controller.enqueue(chunk);
        },
      }),
    ));
    found = { hash: hash.hex(), size };
  });
  return { ...answer, found };
}

function drain(body: ReadableStream<Uint8Array>): Promise<void> {
  return body.pipeTo(new WritableStream());
}

async function askOnce(
  { fetch, clock, stallMs = STALL_MS, signal }: Asking,
  { url, method = "GET", headers = {} }: AddressRequest,
  take: (body: ReadableStream<Uint8Array>) => Promise<unknown>,
): Promise<PublicAnswer> {
  signal?.throwIfAborted();
  const end = new AbortController();
  const ended = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]);
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  try {
    const init = { method, headers: { ...headers }, cache: "no-store", signal: ended } as const;
    const response = await attempt(() => asAppsPage(fetch)(url, init));
    reader = response.body?.getReader();
    if (response.status === 200) await take(bodyOf(reader));
    return { status: response.status, headers: response.headers, url: response.url || url };
  } finally {
    end.abort(); // the rest is not needed
    reader?.cancel().catch(() => undefined); // it has ended already, one way or the other
  }

  function bodyOf(
    from: ReadableStreamDefaultReader<Uint8Array> | undefined,
  ): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        const next = from === undefined ? undefined : await attempt(() => from.read());
        if (next === undefined || next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => end.abort(),
    }, { highWaterMark: 0 });
  }

  async function attempt<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await withTimeout(step, { clock, timeoutMs: stallMs, signal: ended });
    } catch (thrown) {
      if (!(thrown instanceof TimeoutError)) throw thrown;
      throw new Error(`${url} sent nothing for ${stallMs} ms`);
    }
  }
}
