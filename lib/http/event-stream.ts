import { encodeUtf8 } from "../core/bytes.ts";
import type { Problem } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import { TimeoutError, withTimeout } from "../core/timeout.ts";
import type { Clock } from "../ports/clock.ts";
import type { OpenStreams } from "./open-streams.ts";

/** Sign of life of an idle stream, so that readers do not take it for a dead one. */
interface Heartbeat {
  readonly text: string;
  /** Idle time before it is sent, in milliseconds. */
  readonly everyMs: number;
}

/**
 * A comment, invisible to readers, that keeps intermediaries from closing the connection (HTTP-5).
 */
const COMMENT: Heartbeat = { text: ":\n\n", everyMs: 15_000 };

/** The reader of an event stream. */
export interface StreamReader {
  readonly clock: Pick<Clock, "sleep">;
  readonly streams: OpenStreams;
  /** Aborted when the reader disconnects. */
  readonly signal: AbortSignal;
  /** A comment every 15 s when absent. */
  readonly heartbeat?: Heartbeat;
}

/**
 * Creates a response of server-sent events. Asks for the next events only after the reader has
 * taken the last ones.
 *
 * @param first Sent immediately, so that the headers go out.
 * @param next Resolves to the text of the next events; to `null` at the end and when the signal
 * aborts.
 * @returns 503 `too-many-streams`.
 */
export function eventStream(
  first: string,
  next: (signal: AbortSignal) => Promise<string | null>,
  { clock, streams, signal, heartbeat = COMMENT }: StreamReader,
): Result<Response, Problem> {
  const refusal = streams.refusal();
  if (refusal !== null) return err(refusal);
  const reading = new AbortController();
  const close = streams.open();
  const stop = () => {
    signal.removeEventListener("abort", stop);
    reading.abort();
    close();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  let pending: Promise<string | null> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encodeUtf8(first)),
    async pull(controller) {
      pending ??= next(reading.signal);
      const text = await textOrIdle(pending, { clock, timeoutMs: heartbeat.everyMs });
      if (text === "idle") return controller.enqueue(encodeUtf8(heartbeat.text));
      pending = null;
      if (text !== null) return controller.enqueue(encodeUtf8(text));
      stop();
      controller.close();
    },
    cancel: stop,
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
  return ok(new Response(body, { headers }));
}

async function textOrIdle(
  next: Promise<string | null>,
  timeout: { readonly clock: Pick<Clock, "sleep">; readonly timeoutMs: number },
): Promise<string | "idle" | null> {
  try {
    return await withTimeout(() => next, timeout);
  } catch (thrown) {
    if (thrown instanceof TimeoutError) return "idle";
    throw thrown;
  }
}
