import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { messageOf } from "../../lib/core/result.ts";
import type { Bucket } from "../../lib/ota-publish/store/bucket.ts";
import { createS3Bucket, type S3BucketOptions } from "../../lib/ota-publish/s3/bucket.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { createTestClock } from "../support/store-world.ts";

// A tiny S3 in this process that misbehaves on demand. How S3 behaves is held against a real store
// (tests/contract/bucket-s3.test.ts); this one breaks connections, ignores conditions and lies.

/** One request as it came in. */
export interface Seen {
  readonly method: string;
  /** Decoded, with the bucket: `/games/mine/a`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: Uint8Array;
}

/** How a request is mistreated. */
export type Fault =
  /** Nothing is done, and this is the answer. */
  | ({ readonly kind: "answer" } & Reply)
  /** What was asked is done, and this is the answer. */
  | ({ readonly kind: "answer-after" } & Reply)
  /** The connection breaks before anything is done. */
  | { readonly kind: "break-before" }
  /** What was asked is done, and the connection breaks before the answer. */
  | { readonly kind: "break-after" }
  /** No answer ever comes. */
  | { readonly kind: "hang" }
  /** Conditions are not looked at. */
  | { readonly kind: "ignore-conditions" }
  /** Checksums are neither compared nor kept. */
  | { readonly kind: "ignore-checksums" };

/** An answer. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** An object at rest. */
export interface Stored {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** The store, laid open. */
export interface TinyS3 {
  readonly url: string;
  /** By path, such as `/games/mine/a`. */
  readonly objects: Map<string, Stored>;
  /** Parts by upload. */
  readonly uploads: Map<string, { path: string; headers: Stored["headers"]; parts: Uint8Array[] }>;
  readonly requests: Seen[];
  /** The document with the bucket's rules for other origins. */
  cors: string | null;
  /** Called with every request; what it answers happens. */
  fault: (seen: Seen) => Fault | null;
}

/** Runs `work` with an empty store. */
export async function withTinyS3(work: (s3: TinyS3) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    receive(request).then((seen) => serve(seen, response)).catch((thrown: unknown) => {
      response.writeHead(500).end(messageOf(thrown));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const s3: TinyS3 = {
    url: `http://127.0.0.1:${port}`,
    objects: new Map(),
    uploads: new Map(),
    requests: [],
    cors: null,
    fault: () => null,
  };

  function serve(seen: Seen, response: ServerResponse): void {
    s3.requests.push(seen);
    const fault = s3.fault(seen);
    if (fault?.kind === "hang") return;
    if (fault?.kind === "break-before") return void response.destroy();
    const reply = fault?.kind === "answer" ? fault : answer(s3, seen, fault);
    if (fault?.kind === "break-after") return void response.destroy();
    const { status, headers, body = "" } = fault?.kind === "answer-after" ? fault : reply;
    response.writeHead(status, { ...headers }).end(body);
  }

  try {
    await work(s3);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function receive(request: IncomingMessage): Promise<Seen> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const url = new URL(request.url ?? "/", "http://tiny");
  const { method = "", headers } = request;
  const body = Buffer.concat(chunks);
  return { method, path: decodeURIComponent(url.pathname), query: url.searchParams, headers, body };
}

function answer(s3: TinyS3, seen: Seen, fault: Fault | null): Reply {
  const { method, path, query, headers, body } = seen;
  const there = s3.objects.get(path);
  const refused = fault?.kind === "ignore-conditions" ? null : refusal(there, headers);
  const write = (
    bytes: Uint8Array,
    { [CHECKSUM]: checksum, ...rest }: Stored["headers"],
  ): Reply => {
    const ignored = checksum === undefined || fault?.kind === "ignore-checksums";
    s3.objects.set(path, { bytes, headers: ignored ? rest : { ...rest, [CHECKSUM]: checksum } });
    return { status: 200, headers: { etag: etagOf(bytes) } };
  };

  if (query.has("cors")) {
    if (method === "PUT") s3.cors = new TextDecoder().decode(body);
    return s3.cors === null
      ? error(404, "NoSuchCORSConfiguration")
      : { status: 200, body: s3.cors };
  }
  if (query.has("uploads")) {
    if (method === "GET") return uploadPage(s3, query);
    const id = crypto.randomUUID();
    s3.uploads.set(id, { path, headers: kept(headers), parts: [] });
    return document("InitiateMultipartUploadResult", `<UploadId>${id}</UploadId>`);
  }
  if (query.has("uploadId")) {
    const id = query.get("uploadId") ?? "";
    const upload = s3.uploads.get(id);
    if (upload === undefined) return error(404, "NoSuchUpload");
    if (method === "PUT") {
      if (headers[CHECKSUM] !== undefined && headers[CHECKSUM] !== sha256(body)) {
        return error(400, "BadDigest");
      }
      upload.parts[Number(query.get("partNumber")) - 1] = body;
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    if (method === "POST" && refused !== null) return refused;
    s3.uploads.delete(id);
    if (method === "DELETE") return { status: 204 };
    const checksum = `${sha256(Buffer.concat(upload.parts.map(digest)))}-${upload.parts.length}`;
    const isChecked = upload.headers["x-amz-checksum-algorithm"] === "SHA256";
    write(Buffer.concat(upload.parts), {
      ...upload.headers,
      ...(isChecked && { [CHECKSUM]: checksum }),
    });
    return document("CompleteMultipartUploadResult", "");
  }
  if (query.has("list-type")) return objectPage(s3, query);
  const source = headers["x-amz-copy-source"];
  if (typeof source === "string") {
    const from = s3.objects.get(decodeURIComponent(source));
    if (from === undefined) return error(404, "NoSuchKey");
    if (refused !== null) return refused;
    const expected = headers["x-amz-copy-source-if-match"] ?? etagOf(from.bytes);
    if (expected !== etagOf(from.bytes)) return error(412, "PreconditionFailed");
    write(from.bytes, { ...kept(headers), [CHECKSUM]: sha256(from.bytes) });
    return document("CopyObjectResult", "");
  }
  if (method === "PUT") {
    const checksum = headers[CHECKSUM];
    if (checksum !== undefined && checksum !== sha256(body)) return error(400, "BadDigest");
    return refused ?? write(body, kept(headers));
  }
  if (method === "DELETE") {
    s3.objects.delete(path);
    return { status: 204 };
  }
  if (there === undefined) return error(404, "NoSuchKey");
  const { [CHECKSUM]: checksum, ...served } = there.headers;
  const facts = {
    ...served,
    ...(checksum && headers["x-amz-checksum-mode"] === "ENABLED" && { [CHECKSUM]: checksum }),
    "etag": etagOf(there.bytes),
    "content-length": String(there.bytes.length),
  };
  return { status: 200, headers: facts, ...(method === "GET" ? { body: there.bytes } : {}) };
}

function refusal(there: Stored | undefined, headers: Seen["headers"]): Reply | null {
  const expected = headers["if-match"];
  if (headers["if-none-match"] === "*" && there) return error(412, "PreconditionFailed");
  if (expected === undefined) return null;
  if (there === undefined) return error(404, "NoSuchKey");
  return expected === etagOf(there.bytes) ? null : error(412, "PreconditionFailed");
}

function kept(headers: Seen["headers"]): Stored["headers"] {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(cache-control|content-type|content-encoding|x-amz-meta-.*|x-amz-checksum-.*)$/.test(name)
        ? [[name, String(value)]]
        : []
    ),
  );
}

const CHECKSUM = "x-amz-checksum-sha256";

function digest(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}

function sha256(bytes: Uint8Array): string {
  return Buffer.from(digest(bytes)).toString("base64");
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash("md5").update(bytes).digest("hex")}"`;
}

/** Two uploads a page. */
function uploadPage(s3: TinyS3, query: URLSearchParams): Reply {
  const marker = query.get("upload-id-marker");
  const ids = [...s3.uploads.keys()];
  const rest = marker === null ? ids : ids.slice(ids.indexOf(marker) + 1);
  const page = rest.slice(0, 2);
  const items = page.map((id) =>
    `<Upload><Key>${s3.uploads.get(id)?.path.replace("/games/", "")}</Key>` +
    `<UploadId>${id}</UploadId><Initiated>2026-01-01T00:00:00.000Z</Initiated></Upload>`
  );
  const last = page[page.length - 1] ?? "";
  const next = `<IsTruncated>${rest.length > 2}</IsTruncated>` +
    `<NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>${last}</NextUploadIdMarker>`;
  return document("ListMultipartUploadsResult", `${items.join("")}${next}`);
}

function objectPage(s3: TinyS3, query: URLSearchParams): Reply {
  const prefix = query.get("prefix") ?? "";
  const folders = new Set<string>();
  const items = [...s3.objects].flatMap(([path, { bytes }]) => {
    const name = path.replace("/games/", "");
    if (!name.startsWith(prefix)) return [];
    const slash = query.has("delimiter") ? name.indexOf("/", prefix.length) : -1;
    if (slash >= 0) {
      folders.add(name.slice(0, slash + 1));
      return [];
    }
    return [
      `<Contents><Key>${encodeURIComponent(name)}</Key><Size>${bytes.length}</Size>` +
      `<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>`,
    ];
  });
  for (const folder of folders) {
    items.push(`<CommonPrefixes><Prefix>${encodeURIComponent(folder)}</Prefix></CommonPrefixes>`);
  }
  return document("ListBucketResult", `<EncodingType>url</EncodingType>${items.join("")}`);
}

/** A document of S3. */
export function document(root: string, content: string): Reply {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  return {
    status: 200,
    body:
      `${declaration}<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${root}>`,
  };
}

/** A failure as S3 words it. */
export function error(status: number, code: string, more = ""): Reply {
  return {
    status,
    body:
      `<?xml version="1.0"?><Error><Code>${code}</Code><Message>It says ${code}.</Message>${more}</Error>`,
  };
}

const { hashing } = await loadRuntime();

/** A bucket on the tiny store. */
export function tinyBucket(s3: TinyS3, over: Partial<S3BucketOptions> = {}): Bucket {
  return createS3Bucket({
    fetch: (url, init) => fetch(url, init),
    clock: createTestClock(),
    hashing,
    credentials: { label: "the test", accessKeyId: "AKID", secretAccessKey: "secret-word" },
    bucket: "games",
    prefix: "mine",
    endpoint: s3.url,
    region: "eu-central-1",
    ...over,
  });
}
