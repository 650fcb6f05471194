import { editorPart, type JobRegistry, type Services } from "../agent/mod.ts";
import { type Problem, refuse } from "../core/problem.ts";
import type { Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import { ChangeLog } from "./change-log.ts";
import { eventStream } from "./event-stream.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { Exchange, Route } from "./route.ts";

/** Maximum characters of changes in one chunk, unless a single change has more. */
const SENT_AT_ONCE = 64 * 1024;

/** An event that the page sees: without it, a dead network looks like an idle service. */
const HEARTBEAT = { text: "event: alive\ndata: {}\n\n", everyMs: 4_000 };

interface ChangeParts {
  readonly services: Services & { readonly jobs: JobRegistry };
  readonly clock: Pick<Clock, "sleep">;
  readonly streams: OpenStreams;
}

/** Creates the route of the single stream of all changes (HTTP-8). */
export function changeRoutes(parts: ChangeParts): readonly Route[] {
  const { services } = parts;
  let log: ChangeLog | null = null; // the log compares and keeps nothing before the first reader
  return [{
    method: "GET",
    path: "/api/changes",
    doc: "all that happens, as it happens: an event stream",
    changesState: false,
    query: ["since"],
    handle(exchange) {
      const changes = editorPart(services, "changes");
      if (!changes.ok) return Promise.resolve(changes);
      log ??= new ChangeLog(changes.value, services);
      return Promise.resolve(follow(log, exchange, parts));
    },
  }];
}

/** Streams the events after a reader's position, or only new ones. */
function follow(
  log: ChangeLog,
  { request: { headers, signal }, query }: Exchange,
  { clock, streams }: ChangeParts,
): Result<Response, Problem> {
  // A browser that reconnects sends the last id that it saw, and its original address.
  const since = headers.get("last-event-id") ?? query["since"];
  const place = since === undefined ? null : placeIn(since);
  if (since !== undefined && place === null) return badSince(since);
  const isKnown = place?.epoch === log.epoch && log.after(place.seq) !== null;
  let at = isKnown && place !== null ? place.seq : log.lastSeq;
  const text = (kind: string, data: string) =>
    `id: ${log.epoch}:${at}\nevent: ${kind}\ndata: ${data}\n\n`;
  const first = isKnown ? HEARTBEAT.text : text(place === null ? "hello" : "reset", "{}");
  return eventStream(first, async (signal) => {
    await log.grown(at, signal);
    if (signal.aborted) return null;
    const changes = log.after(at);
    if (changes === null) { // it was too slow
      at = log.lastSeq;
      return text("reset", "{}");
    }
    let sent = "";
    for (const { seq, kind, text: data } of changes) {
      if (sent !== "" && sent.length + data.length > SENT_AT_ONCE) break;
      at = seq;
      sent += text(kind, data);
    }
    return sent;
  }, { clock, streams, signal, heartbeat: HEARTBEAT });
}

function placeIn(since: string): { readonly epoch: string; readonly seq: number } | null {
  const [, epoch, seq] = /^([\w-]{1,40}):(\d{1,15})$/.exec(since) ?? [];
  return epoch === undefined ? null : { epoch, seq: Number(seq) };
}

function badSince(found: string): Result<never, Problem> {
  return refuse(
    400,
    "bad-since",
    `Found since ${JSON.stringify(found.slice(0, 80))}, expected the id of an event: <epoch>:<n>`,
    "Leave it out: the stream then starts with hello, and reports new changes",
  );
}
