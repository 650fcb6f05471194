import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf, ok } from "../../lib/core/result.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { createGcsBucket } from "../../lib/ota-publish/gcs/bucket.ts";
import { createCrc32c } from "../../lib/ota-publish/gcs/crc32c.ts";
import type { GcsCredentials } from "../../lib/ota-publish/gcs/credentials.ts";
import { createTestClock } from "../support/store-world.ts";

// A tiny Google Cloud Storage in this process, true to the JSON API in what the product uses, and
// able to misbehave on demand. fake-gcs-server is the real emulator (tests/contract); this one has
// what that one leaves out: offsets of resumable uploads, conditions of copies, rules for origins.

/** One request as it came in. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Uint8Array;
}

/** How a request is mistreated. */
export type Fault =
  | {
    readonly kind: "status";
    readonly status: number;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  }
  /** What was asked is done, and something on the way answers with another status. */
  | { readonly kind: "status-after"; readonly status: number }
  /** The connection breaks before anything is done. */
  | { readonly kind: "break-before" }
  /** What was asked is done, and the connection breaks before the answer. */
  | { readonly kind: "break-after" }
  /** No answer ever comes. */
  | { readonly kind: "hang" }
  /** Of a chunk only so many bytes are kept. */
  | { readonly kind: "keep"; readonly bytes: number }
  /** Of an upload only so many bytes are left, though more were acknowledged. */
  | { readonly kind: "forget"; readonly bytes: number }
  /** Conditions are not looked at. */
  | { readonly kind: "ignore-conditions" };

/** An object at rest. */
export interface Stored {
  readonly bytes: Uint8Array;
  readonly generation: number;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The store, laid open. */
export interface TinyGcs {
  readonly url: string;
  readonly objects: Map<string, Stored>;
  readonly sessions: Map<string, { size: number; bytes: Uint8Array }>;
  readonly requests: Seen[];
  /** The bucket's rules for other origins. */
  cors: unknown;
  /** The time, if an object may be written only once a second. */
  now?: () => number;
  /** Called with every request; what it answers happens. */
  fault: (seen: Seen) => Fault | null;
}

interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
}

const B = "/storage/v1/b/games";
const UPLOAD = "/upload/storage/v1/b/games/o";

/** Runs `work` with an empty store. */
export async function withTinyGcs(work: (gcs: TinyGcs) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    receive(request).then((seen) => serve(seen, response)).catch((thrown: unknown) => {
      response.writeHead(500).end(messageOf(thrown));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${port(server.address())}`;
  const gcs: TinyGcs = {
    url,
    objects: new Map(),
    sessions: new Map(),
    requests: [],
    cors: undefined,
    fault: () => null,
  };

  function serve(seen: Seen, response: ServerResponse): void {
    gcs.requests.push(seen);
    const fault = gcs.fault(seen);
    if (fault?.kind === "hang") return;
    if (fault?.kind === "break-before") return void response.destroy();
    if (fault?.kind === "status") {
      return void response.writeHead(fault.status, fault.headers).end(fault.body ?? "");
    }
    const reply = answer(gcs, seen, fault);
    if (fault?.kind === "status-after") return void response.writeHead(fault.status).end();
    if (fault?.kind === "break-after") return void response.destroy();
    response.writeHead(reply.status, { ...reply.headers });
    response.end(reply.bytes ?? (reply.body === undefined ? "" : JSON.stringify(reply.body)));
  }

  try {
    await work(gcs);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function port(address: AddressInfo | string | null): number {
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function receive(request: IncomingMessage): Promise<Seen> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const url = new URL(request.url ?? "/", "http://tiny");
  const { method = "", headers } = request;
  return {
    method,
    path: url.pathname,
    query: url.searchParams,
    headers,
    body: Buffer.concat(chunks),
  };
}

/** The time of the last write of each object, by store. */
const written = new WeakMap<TinyGcs, Map<string, number>>();

/** Whether an object was written within the last second: the store refuses another write. */
function isTooSoon(gcs: TinyGcs, name: string): boolean {
  if (gcs.now === undefined) return false;
  const last = written.get(gcs) ?? new Map<string, number>();
  written.set(gcs, last);
  const now = gcs.now();
  const isTooSoon = now - (last.get(name) ?? -Infinity) < 1_000;
  if (!isTooSoon) last.set(name, now);
  return isTooSoon;
}

let lastGeneration = 1_795_000_000_000_000;

function answer(gcs: TinyGcs, seen: Seen, fault: Fault | null): Reply {
  const { method, path, query, headers, body } = seen;
  const refuses = (name: string): boolean => {
    const expected = query.get("ifGenerationMatch");
    if (fault?.kind === "ignore-conditions" || expected === null) return false;
    return Number(expected) !== (gcs.objects.get(name)?.generation ?? 0);
  };
  const write = (name: string, bytes: Uint8Array, metadata: Record<string, unknown>): Reply => {
    if (refuses(name)) return { status: 412 };
    const expected = metadata["crc32c"];
    if (expected !== undefined && expected !== sumOf(bytes)) return { status: 400 };
    if (isTooSoon(gcs, name)) return { status: 429 };
    const object = { bytes, generation: ++lastGeneration, metadata };
    gcs.objects.set(name, object);
    return { status: 200, body: facts(name, object) };
  };

  if (path === UPLOAD && query.has("session")) {
    const id = query.get("session") ?? "";
    const session = gcs.sessions.get(id);
    if (session === undefined) return { status: 404 };
    if (method === "DELETE") {
      gcs.sessions.delete(id);
      return { status: 499 };
    }
    const range = /^bytes (?:(\d+)-\d+|\*)\/\d+$/.exec(headers["content-range"] ?? "");
    if (range === null) return { status: 400 };
    // What is there already is skipped; a gap is refused.
    const known = session.bytes.length - Number(range[1] ?? session.bytes.length);
    if (known < 0) return { status: 503 };
    const kept = (fault?.kind === "keep" ? body.subarray(0, fault.bytes) : body).subarray(known);
    session.bytes = fault?.kind === "forget"
      ? session.bytes.subarray(0, fault.bytes)
      : Buffer.concat([session.bytes, kept]);
    const { length } = session.bytes;
    if (length < session.size) {
      return { status: 308, headers: length === 0 ? {} : { range: `bytes=0-${length - 1}` } };
    }
    gcs.sessions.delete(id);
    return write(query.get("name") ?? "", session.bytes, parse(query.get("metadata") ?? ""));
  }
  if (path === UPLOAD && query.get("uploadType") === "resumable") {
    const name = query.get("name") ?? "";
    if (refuses(name)) return { status: 412 };
    const id = crypto.randomUUID();
    const size = Number(headers["x-upload-content-length"]);
    gcs.sessions.set(id, { size, bytes: new Uint8Array() });
    const session = new URLSearchParams({ session: id, name, metadata: body.toString() });
    session.set("ifGenerationMatch", query.get("ifGenerationMatch") ?? "");
    return { status: 200, headers: { location: `${gcs.url}${UPLOAD}?${session}` } };
  }
  if (path === UPLOAD && query.get("uploadType") === "multipart") {
    const { metadata, content } = parts(headers["content-type"] ?? "", body);
    return write(String(metadata["name"]), content, metadata);
  }
  if (path === B && method === "GET") {
    return { status: 200, body: { metageneration: "7", cors: gcs.cors } };
  }
  if (path === B && method === "PATCH") {
    if (query.get("ifMetagenerationMatch") !== "7") return { status: 412 };
    gcs.cors = parse(body.toString())["cors"];
    return { status: 200, body: { metageneration: "8", cors: gcs.cors } };
  }
  if (path === `${B}/o`) return page(gcs, query);
  const [, source = "", target] =
    /^\/storage\/v1\/b\/games\/o\/([^/]+)(?:\/rewriteTo\/b\/games\/o\/([^/]+))?$/
      .exec(path) ?? [];
  const name = decodeURIComponent(source);
  const object = gcs.objects.get(name);
  if (object === undefined) return { status: 404 };
  if (target !== undefined) {
    const to = decodeURIComponent(target);
    if (refuses(to)) return { status: 412 };
    const source = query.get("ifSourceGenerationMatch") ?? String(object.generation);
    if (source !== String(object.generation)) return { status: 412 };
    // A large copy takes more than one call.
    if (object.bytes.length > 1_000 && query.get("rewriteToken") !== "half") {
      return { status: 200, body: { done: false, rewriteToken: "half" } };
    }
    write(to, object.bytes, parse(body.toString()));
    return { status: 200, body: { done: true } };
  }
  if (method === "DELETE") {
    gcs.objects.delete(name);
    return { status: 204 };
  }
  return query.get("alt") === "media"
    ? {
      status: 200,
      headers: { "x-goog-generation": String(object.generation) },
      bytes: object.bytes,
    }
    : { status: 200, body: facts(name, object) };
}

/** Two objects a page, the token names the next one; folders come again on every page. */
function page(gcs: TinyGcs, query: URLSearchParams): Reply {
  const prefix = query.get("prefix") ?? "";
  const folders = new Set<string>();
  const names: string[] = [];
  for (const name of [...gcs.objects.keys()].sort()) {
    if (!name.startsWith(prefix)) continue;
    const slash = query.has("delimiter") ? name.indexOf("/", prefix.length) : -1;
    if (slash >= 0) folders.add(name.slice(0, slash + 1));
    else if (name >= (query.get("pageToken") ?? "")) names.push(name);
  }
  const items = names.slice(0, 2).map((name) => facts(name, gcs.objects.get(name)));
  return { status: 200, body: { prefixes: [...folders], items, nextPageToken: names[2] } };
}

function facts(name: string, object: Stored | undefined): Record<string, unknown> {
  const { bytes, generation, metadata } = object ?? assert.fail(`${name} is not there`);
  return {
    name,
    size: String(bytes.length),
    generation: String(generation),
    updated: new Date(generation / 1_000).toISOString(),
    metadata: metadata["metadata"],
    contentEncoding: metadata["contentEncoding"],
    crc32c: sumOf(bytes),
  };
}

const sums = new WeakMap<Uint8Array, string>();

function sumOf(bytes: Uint8Array): string {
  const known = sums.get(bytes);
  if (known !== undefined) return known;
  const crc = createCrc32c();
  crc.update(bytes);
  const sum = crc.base64();
  sums.set(bytes, sum);
  return sum;
}

/** Takes a multipart/related message apart. */
function parts(contentType: string, body: Uint8Array) {
  const boundary = `--${contentType.split("boundary=")[1]}`;
  const text = Buffer.from(body).toString("latin1");
  const [, first = "", second = ""] = text.split(boundary);
  const afterHead = (part: string) => part.slice(part.indexOf("\r\n\r\n") + 4, -2);
  return {
    metadata: parse(Buffer.from(afterHead(first), "latin1").toString()),
    content: Buffer.from(afterHead(second), "latin1"),
  };
}

function parse(text: string): Record<string, unknown> {
  return JSON.parse(text);
}

/** Credentials that are a word. */
export const WORD: GcsCredentials = {
  label: "the test",
  token: () => Promise.resolve(ok("secret-word")),
  forget: () => undefined,
};

/** A bucket on the tiny store. */
export function tinyBucket(
  gcs: TinyGcs,
  over: Partial<Parameters<typeof createGcsBucket>[0]> = {},
): Bucket {
  return createGcsBucket({
    fetch: (url, init) => fetch(url, init),
    clock: createTestClock(),
    credentials: WORD,
    bucket: "games",
    prefix: "mine",
    endpoint: gcs.url,
    ...over,
  });
}
