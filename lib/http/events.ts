import { type JobRegistry, PAYLOAD_CAP, problemAnswer, wholeJson } from "../agent/mod.ts";
import type { JobEvent } from "../core/jobs.ts";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Sequenced } from "../core/ring.ts";
import { eventStream, type StreamReader } from "./event-stream.ts";

/** The job to follow. */
export interface JobStreamOptions extends StreamReader {
  readonly jobs: JobRegistry;
  readonly id: string;
  /** The `Last-Event-ID` of a reader that reconnects: `<job>:<n>`. */
  readonly lastEventId: string | null;
}

/**
 * Streams the events of a job as server-sent events (HTTP-5): past events, then new ones until the
 * job ends. A disconnected reader does not stop the job.
 *
 * @returns 204 for a reader that reconnects when there is nothing more, even if the job is
 * forgotten, so that it does not reconnect again. 404 for an unknown job, 503 when too many streams
 * are open.
 */
export function followJob(options: JobStreamOptions): Result<Response, Problem> {
  const { jobs, id, lastEventId } = options;
  const job = jobs.get(id);
  if (!job.ok) return lastEventId === null ? job : ok(nothingMore());
  const { state, lastSeq } = job.value;
  const seen = lastEventId === null ? 0 : seqOf(lastEventId, id);
  if (seen === null || (state !== "running" && seen >= lastSeq)) return ok(nothingMore());
  let events: ReturnType<JobRegistry["events"]> | null = null;
  return eventStream(`: ${id}\n\n`, async (signal) => {
    events ??= jobs.events(id, Math.min(seen, lastSeq), signal);
    const { done, value } = await events.next();
    return done === true ? null : eventText(id, value);
  }, options);
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

function eventText(id: string, { seq, event, data }: Sequenced<JobEvent>): string {
  const json = event === "problem" ? problemAnswer(data, PAYLOAD_CAP).text : wholeJson(data);
  return `id: ${id}:${seq}\nevent: ${event}\ndata: ${json}\n\n`;
}
