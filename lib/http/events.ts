import { type JobRegistry, PAYLOAD_CAP, problemAnswer, wholeJson } from "../agent/mod.ts";
import type { JobEvent } from "../core/jobs.ts";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Sequenced } from "../core/ring.ts";
import { TimeoutError, withTimeout } from "../core/timeout.ts";
import type { Clock } from "../ports/clock.ts";
import type { OpenStreams } from "./open-streams.ts";

/** How often an idle stream says that it is alive, in milliseconds (HTTP-5). */
const KEEP_ALIVE_MS = 15_000;

/** The job to follow. */
export interface FollowOptions {
  readonly jobs: JobRegistry;
  readonly clock: Pick<Clock, "sleep">;
  readonly streams: OpenStreams;
  readonly id: string;
  /** The `Last-Event-ID` of a reader that comes back: `<job>:<n>`. */
  readonly lastEventId: string | null;
  readonly signal: AbortSignal;
}

/**
 * The events of a job as server-sent events (HTTP-5): what was told, then what comes, until
 * the job ends. Whoever stops reading does not stop the job.
 *
 * @returns 204 for a reader that comes back when there is nothing more, also when the job is
 * forgotten: it must not come back again. 404 for a job that never was, 503 when too many streams
 * are open.
 */
export function followJob(options: FollowOptions): Result<Response, Problem> {
  const { jobs, id, lastEventId } = options;
  const job = jobs.get(id);
  if (!job.ok) return lastEventId === null ? job : ok(nothingMore());
  const { state, lastSeq } = job.value;
  const seen = lastEventId === null ? 0 : seqOf(lastEventId, id);
  if (seen === null || (state !== "running" && seen >= lastSeq)) return ok(nothingMore());
  const refusal = options.streams.refusal();
  if (refusal !== null) return { ok: false, error: refusal };
  return ok(
    new Response(eventStream(options, Math.min(seen, lastSeq)), {
      headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    }),
  );
}

function nothingMore(): Response {
  return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
}

/** The number in `<job>:<n>`; `null` when that names another job, which is then over. */
function seqOf(lastEventId: string, id: string): number | null {
  const colon = lastEventId.lastIndexOf(":");
  const seq = lastEventId.slice(colon + 1);
  return lastEventId.slice(0, colon) === id && /^\d{1,15}$/.test(seq) ? Number(seq) : null;
}

function eventStream(
  { jobs, clock, streams, id, signal }: FollowOptions,
  after: number,
): ReadableStream<Uint8Array> {
  const reading = new AbortController();
  const close = streams.open();
  const stop = () => {
    reading.abort();
    close();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const events = jobs.events(id, after, reading.signal);
  const encoder = new TextEncoder();
  let next = events.next();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`: ${id}\n\n`)); // so that the headers go out at once
    },
    async pull(controller) {
      const turn = await nextOrIdle(next, clock);
      if (turn === "idle") {
        controller.enqueue(encoder.encode(":\n\n"));
      } else if (turn.done) {
        signal.removeEventListener("abort", stop);
        close();
        controller.close();
      } else {
        controller.enqueue(encoder.encode(eventText(id, turn.value)));
        next = events.next();
      }
    },
    cancel() {
      signal.removeEventListener("abort", stop);
      stop();
    },
  });
}

type Turn = IteratorResult<Sequenced<JobEvent>, unknown>;

async function nextOrIdle(
  next: Promise<Turn>,
  clock: Pick<Clock, "sleep">,
): Promise<Turn | "idle"> {
  try {
    return await withTimeout(() => next, { clock, timeoutMs: KEEP_ALIVE_MS });
  } catch (thrown) {
    if (thrown instanceof TimeoutError) return "idle";
    throw thrown;
  }
}

function eventText(id: string, { seq, event, data }: Sequenced<JobEvent>): string {
  const json = event === "problem" ? problemAnswer(data, PAYLOAD_CAP).text : wholeJson(data);
  return `id: ${id}:${seq}\nevent: ${event}\ndata: ${json}\n\n`;
}
