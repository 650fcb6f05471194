import { parentPort } from "node:worker_threads";
import { deflateRawSync, gzipSync } from "node:zlib";
import { concatBytes } from "../../lib/core/bytes.ts";
import { DEFLATE_LEVEL } from "../node/deflating.ts";
import type { DeflateAbandon, DeflateAnswer, DeflateRequest } from "./deflate-thread.ts";

// The worker of `DeflateThread`. It answers each request, with a failure if zlib throws.

interface OpenStream {
  readonly writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  /** Output since the last answer. */
  output: Uint8Array[];
  /** Settled at the end of the output. */
  readonly read: Promise<void>;
}

const streams = new Map<number, OpenStream>();

parentPort?.on("message", (request: DeflateRequest | DeflateAbandon) => {
  if ("abandoned" in request) return abandon(request.abandoned);
  const { id, buffer: spare } = request;
  answer(request).then(
    ({ buffer }) => send({ id, buffer, spare }),
    (thrown: unknown) => send({ id, failure: String(thrown), spare }),
  );
});

function send(message: DeflateAnswer): void {
  const { buffer, spare } = message;
  parentPort?.postMessage(message, buffer === undefined ? [spare] : [buffer, spare]);
}

async function answer(request: DeflateRequest): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(request.buffer, 0, request.bytes);
  if (request.stream !== undefined) {
    if (request.part === "first") openStream(request.stream);
    return await deflateChunk(request.stream, bytes, request.part === "last");
  }
  const deflate = request.framing === "raw" ? deflateRawSync : gzipSync;
  const deflated = deflate(bytes, { level: DEFLATE_LEVEL });
  return new Uint8Array(deflated); // a buffer of its own, which can be moved
}

async function deflateChunk(
  id: number,
  chunk: Uint8Array<ArrayBuffer>,
  isEnd: boolean,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = streams.get(id);
  if (stream === undefined) throw new Error(`the thread has no stream ${id}: it was abandoned`);
  if (!isEnd) await stream.writer.write(chunk);
  else {
    streams.delete(id);
    await Promise.all([stream.writer.close(), stream.read]);
  }
  const bytes = concatBytes(stream.output);
  stream.output = [];
  return bytes;
}

function openStream(id: number): void {
  const { readable, writable } = new CompressionStream("deflate-raw");
  const stream: OpenStream = { writer: writable.getWriter(), output: [], read: collect(readable) };
  // If zlib fails, the request fails, too. An unhandled rejection of these would end the thread.
  stream.read.catch(() => undefined);
  stream.writer.closed.catch(() => undefined);
  streams.set(id, stream);

  async function collect(source: ReadableStream<Uint8Array>): Promise<void> {
    for await (const bytes of source) stream.output.push(bytes);
  }
}

/** Frees what zlib holds for a stream. A chunk of it that is under way fails. */
function abandon(id: number): void {
  const stream = streams.get(id);
  streams.delete(id);
  stream?.writer.abort().catch(() => undefined);
}
