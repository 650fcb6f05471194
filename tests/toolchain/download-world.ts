import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "../../lib/ports/clock.ts";
import {
  download,
  type DownloadArtifact,
  type DownloadRequest,
  type ToolDownloadDependencies,
} from "../../lib/toolchain/download/download.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";

export const runtime = await loadRuntime();

/** A file of several writes to the disk, the same every time. */
export const BODY = noise(700_001);
/** As many other bytes. */
export const OTHER = noise(700_001, 7);

export function noise(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let i = 0; i < length; i++) {
    state = Math.imul(state, 1_664_525) + 1_013_904_223 | 0;
    bytes[i] = state >>> 24;
  }
  return bytes;
}

export function hashOf(bytes: Uint8Array, algorithm: "sha256" | "sha1" = "sha256"): string {
  return createHash(algorithm).update(bytes).digest("hex");
}

export type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers each request by the next of its answers; the last one is repeated. */
export interface FaultServer {
  readonly origin: string;
  /** The headers of each request. */
  readonly seen: IncomingMessage["headers"][];
  /** Who answers from now on. */
  answer(...answers: readonly Answering[]): void;
  close(): Promise<void>;
}

export async function startFaultServer(...first: readonly Answering[]): Promise<FaultServer> {
  let answers = first;
  const seen: IncomingMessage["headers"][] = [];
  const open = new Set<Socket>();
  const server = createServer((request, response) => {
    const answering = answers[Math.min(seen.length, answers.length - 1)];
    seen.push(request.headers);
    response.on("error", () => undefined);
    if (answering === undefined) response.writeHead(404).end();
    else answering(request, response);
  });
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => open.delete(socket));
  });
  const port = await listen(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    answer(...next) {
      answers = next;
      seen.length = 0;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
        for (const socket of open) socket.destroy();
      }),
  };
}

/** Listens on a port of its own. @returns The port. */
export async function listen(
  server: {
    listen(port: number, host: string, ready: () => void): unknown;
    address(): AddressInfo | string | null;
  },
): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** How {@linkcode serving} answers. */
export interface Serving {
  readonly body?: Uint8Array;
  readonly etag?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** Knows no ranges. */
  readonly noRanges?: boolean;
  /** Sends no `Content-Length`. */
  readonly chunked?: boolean;
  /** Ends the connection after so many bytes of the answer's body. */
  readonly cutAfter?: number;
  /** Sends nothing more after so many. */
  readonly hangAfter?: number;
}

/** A server as it should be, but for what is asked otherwise. */
export function serving(how: Serving = {}): Answering {
  const { body = BODY, etag = '"one"', headers = {}, noRanges = false, chunked = false } = how;
  return (request, response) => {
    const [, first] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
    const matches = request.headers["if-range"] === undefined ||
      request.headers["if-range"] === etag;
    const from = first === undefined || noRanges || !matches ? 0 : Number(first);
    const rest = body.subarray(from);
    const isRange = from > 0;
    response.writeHead(how.status ?? (isRange ? 206 : 200), {
      ...(etag !== "" && { etag }),
      ...(!chunked && { "content-length": String(rest.length) }),
      ...(isRange && { "content-range": `bytes ${from}-${body.length - 1}/${body.length}` }),
      ...headers,
    });
    const stop = how.cutAfter ?? how.hangAfter;
    if (stop === undefined) return void response.end(rest);
    response.write(rest.subarray(0, stop), () => {
      if (how.cutAfter !== undefined) setImmediate(() => request.socket.destroy());
    });
  };
}

/** An answer of headers and text alone. */
export function answering(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  text = "",
): Answering {
  return (_, response) => void response.writeHead(status, headers).end(text);
}

/** A download of {@linkcode BODY} and all that it told. */
export interface DownloadRun {
  readonly result: Awaited<ReturnType<typeof download>>;
  readonly log: readonly string[];
  /** Waits between tries, in milliseconds. */
  readonly waits: readonly number[];
}

/** Downloads with the real parts, but for waits between tries, which pass at once. */
export async function run(
  url: string,
  to: string,
  { artifact = {}, dependencies = {}, ...request }:
    & { artifact?: Partial<DownloadArtifact>; dependencies?: Partial<ToolDownloadDependencies> }
    & Partial<Omit<DownloadRequest, "artifact">> = {},
): Promise<DownloadRun> {
  const log: string[] = [];
  const waits: number[] = [];
  const { stallMs = 30_000 } = dependencies;
  const clock: Clock = {
    now: () => Date.parse("2026-01-01T00:00:00Z"),
    monotonic: () => 0,
    sleep(ms, signal) {
      if (ms === stallMs) return runtime.clock.sleep(ms, signal);
      waits.push(ms);
      return Promise.resolve();
    },
  };
  const result = await download({
    artifact: { name: "Tool 1.0", url, sha256: hashOf(BODY), bytes: BODY.length, ...artifact },
    to,
    progress: { log: (line) => log.push(line), progress: () => undefined },
    ...request,
  }, { ...runtime, clock, random: () => 0.5, ...dependencies });
  return { result, log, waits };
}
