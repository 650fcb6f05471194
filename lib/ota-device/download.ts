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

/** Opens a URL as a stream of bytes that ends, fails, or is given up when it stalls. */
export async function openDownload(
  { fetch, clock, stallMs, signal }: DownloadDependencies,
  url: string,
): Promise<ReadableStream<Uint8Array>> {
  const abort = new AbortController();
  const forward = () => abort.abort(new StageError("cancelled", "The staging was cancelled"));
  signal?.addEventListener("abort", forward, { once: true });
  if (signal?.aborted) forward();
  const finish = () => signal?.removeEventListener("abort", forward);
  const inTime = <T>(step: Promise<T>) => withStallDeadline({ clock, stallMs, abort, url }, step);
  let response: Response;
  try {
    response = await inTime(fetch(url, { signal: abort.signal, cache: "no-store" }));
  } catch (thrown) {
    finish();
    throw asStageError(thrown, url);
  }
  const { body } = response;
  if (
    !response.ok || body === null || (url.startsWith("https:") && response.url.startsWith("http:"))
  ) {
    finish();
    abort.abort();
    throw new StageError(
      "download",
      `${url} answered ${response.status} from ${response.url || url}`,
    );
  }
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await inTime(reader.read());
        if (!done) return controller.enqueue(value);
        finish();
        controller.close();
      } catch (thrown) {
        finish();
        controller.error(asStageError(thrown, url));
      }
    },
    async cancel(reason) {
      finish();
      abort.abort(reason);
      await reader.cancel(reason).catch(() => undefined);
    },
  });
}

function asStageError(thrown: unknown, url: string): StageError {
  return thrown instanceof StageError
    ? thrown
    : new StageError("download", `${url} broke off: ${messageOf(thrown)}`);
}

interface StallDeadline {
  readonly clock: Clock;
  readonly stallMs: number;
  readonly abort: AbortController;
  readonly url: string;
}

async function withStallDeadline<T>(
  { clock, stallMs, abort, url }: StallDeadline,
  step: Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  const stalled = clock.sleep(stallMs, timer.signal).then(() => {
    const error = new StageError("download", `${url} sent nothing for ${stallMs} ms`);
    abort.abort(error);
    throw error;
  });
  const aborted = new Promise<never>((_, reject) => {
    abort.signal.addEventListener("abort", () => reject(abort.signal.reason), {
      once: true,
      signal: timer.signal,
    });
    if (abort.signal.aborted) reject(abort.signal.reason);
  });
  stalled.catch(() => undefined); // the race has its own reader
  aborted.catch(() => undefined);
  try {
    return await Promise.race([step, stalled, aborted]);
  } finally {
    timer.abort();
  }
}
