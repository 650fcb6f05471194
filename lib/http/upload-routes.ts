import type { Services } from "../agent/mod.ts";
import { eventLoopTurn } from "../core/cooperative.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { TimeoutError, withTimeout } from "../core/timeout.ts";
import type { Clock } from "../ports/clock.ts";
import type { Uploads } from "../project/mod.ts";
import { documentResponse } from "./respond.ts";
import type { Exchange, Route } from "./route.ts";

/** Idle timeout of a sender, in milliseconds. */
const SILENCE_MS = 30_000;

interface UploadParts {
  readonly services: Services;
  readonly clock: Pick<Clock, "sleep">;
}

/**
 * Creates the route of files that are imported from outside the project; none without a project
 * (HTTP-11).
 */
export function uploadRoutes({ services: { uploads }, clock }: UploadParts): readonly Route[] {
  if (uploads === undefined) return [];
  return [{
    method: "POST",
    path: "/api/uploads",
    doc:
      "stores the body as ?name= until import_file takes it; ?group= for files that belong together",
    changesState: true,
    body: "bytes",
    query: ["name", "group"],
    handle: (exchange) => receive(uploads, exchange, clock),
  }];
}

async function receive(
  uploads: Uploads,
  { request: { body, signal }, query: { name, group } }: Exchange,
  clock: Pick<Clock, "sleep">,
): Promise<Result<Response, Problem>> {
  if (name === undefined) return noName();
  try {
    const chunks = body === null ? nothing() : chunksOf(body, { clock, signal });
    const taken = await uploads.receive({ name, group, body: chunks, signal });
    return taken.ok ? ok(documentResponse(taken.value)) : taken;
  } catch (thrown) {
    if (!(thrown instanceof TimeoutError)) throw thrown;
    const detail = `No more data of the file arrived for ${SILENCE_MS / 1000} s`;
    return refuse(400, "body-too-slow", detail, "Send it again; nothing was stored");
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Yields the chunks of a body. @throws {TimeoutError} when the sender is silent too long. */
async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  { clock, signal }: { readonly clock: Pick<Clock, "sleep">; readonly signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  // A clock whose sleep may resolve immediately must not keep available chunks from being read.
  const patient = {
    async sleep(ms: number, ended?: AbortSignal) {
      await clock.sleep(ms, ended);
      await eventLoopTurn();
    },
  };
  try {
    for (;;) {
      const { done, value } = await withTimeout(() => reader.read(), {
        clock: patient,
        timeoutMs: SILENCE_MS,
        signal,
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {}); // drops unread chunks
  }
}

function noName(): Result<never, Problem> {
  const detail = "Cannot take a file: name is missing";
  return refuse(400, "missing-argument", detail, "POST /api/uploads?name=chair.glb");
}
