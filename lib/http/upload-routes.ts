import type { Services } from "../agent/mod.ts";
import { concatBytes } from "../core/bytes.ts";
import { eventLoopTurn } from "../core/cooperative.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import { TimeoutError, withTimeout } from "../core/timeout.ts";
import type { Clock } from "../ports/clock.ts";
import type { Uploads } from "../project/mod.ts";
import { documentResponse } from "./respond.ts";
import type { Exchange, Route } from "./route.ts";

/**
 * Bytes that a sender has to send within {@linkcode PORTION_MS}, unless the file ends: 17 kbit/s. A
 * timeout for silence alone would keep the connection of a sender of a few bytes per second open.
 */
const PORTION_BYTES = 64 * 1024;
/** Maximum wait for a portion, in milliseconds; the time that writing takes does not count. */
const PORTION_MS = 30_000;
/** Chunks of a portion before they are joined: an array of one byte takes a hundred. */
const MAX_CHUNKS = 1_000;

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
    const detail = `Less than ${PORTION_BYTES / 1024} KiB of the file arrived within ` +
      `${PORTION_MS / 1000} s`;
    const next = "Send it again over a faster connection; nothing was stored";
    return refuse(400, "body-too-slow", detail, next);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Yields the chunks of a body. @throws {TimeoutError} if the sender is too slow. */
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
      const chunks = await withTimeout(() => readPortion(reader), {
        clock: patient,
        timeoutMs: PORTION_MS,
        signal,
      });
      if (chunks.length === 0) return;
      yield* chunks;
    }
  } finally {
    await reader.cancel().catch(() => {}); // drops unread chunks
  }
}

/** Reads {@linkcode PORTION_BYTES} or more; less only at the end of the body. */
async function readPortion(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<readonly Uint8Array[]> {
  let chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes < PORTION_BYTES;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    chunks.push(value);
    if (chunks.length === MAX_CHUNKS) chunks = [concatBytes(chunks)];
  }
  return chunks;
}

function noName(): Result<never, Problem> {
  const detail = "Cannot take a file: name is missing";
  return refuse(400, "missing-argument", detail, "POST /api/uploads?name=chair.glb");
}
