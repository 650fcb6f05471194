import { setTimeout as sleep } from "node:timers/promises";
import { readAtMost } from "../../lib/core/bytes.ts";
import { messageOf } from "../../lib/core/result.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";

/** How one address is asked. */
export interface Asking {
  readonly fetch: Fetch;
  /** The longest that a server may send nothing, in milliseconds. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/** What an address answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Where it came from in the end. */
  readonly url: string;
}

/** Tries of one address. */
const TRIES = 3;
/** A page's origin, as a web view sends it. */
export const ORIGIN = "https://localhost";

/**
 * Asks for an address as a web view would, and hands its bytes on. What may pass is tried again.
 *
 * @param take Gets the body, once a try; `null` for a `HEAD`.
 * @throws {Error} When nobody answers, or the answer breaks off, at the last try.
 */
export async function ask(
  { fetch, stallMs, signal }: Asking,
  { url, method = "GET" }: { readonly url: string; readonly method?: "GET" | "HEAD" },
  take: (body: ReadableStream<Uint8Array> | null) => Promise<void>,
): Promise<Answer> {
  for (let attempt = 1;; attempt++) {
    signal.throwIfAborted();
    const stall = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stall.abort(new Error(`nothing came for ${stallMs} ms`)), stallMs);
    };
    alive();
    try {
      const response = await fetch(url, {
        method,
        headers: { origin: ORIGIN },
        cache: "no-store",
        signal: AbortSignal.any([signal, stall.signal]),
      });
      const { status, headers } = response;
      if (attempt < TRIES && (status === 429 || status >= 500)) {
        await response.body?.cancel();
      } else {
        const watched = response.body?.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform(chunk, controller) {
              alive();
              controller.enqueue(chunk);
            },
          }),
        );
        await take(watched ?? null);
        return { status, headers, url: response.url || url };
      }
    } catch (thrown) {
      if (attempt === TRIES || signal.aborted) throw new Error(reasonOf(thrown));
    } finally {
      clearTimeout(timer);
    }
    await sleep(200 * 2 ** attempt);
  }
}

/** A small answer, whole; `null` for one over the bound, which is not read on. */
export async function askWhole(
  asking: Asking,
  url: string,
  maxBytes: number,
): Promise<Answer & { readonly bytes: Uint8Array<ArrayBuffer> | null }> {
  let bytes: Uint8Array<ArrayBuffer> | null = new Uint8Array();
  const answer = await ask(asking, { url }, async (body) => {
    bytes = body === null ? new Uint8Array() : await readAtMost(body, maxBytes);
  });
  return { ...answer, bytes };
}

function reasonOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return messageOf(cause);
}
