import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Device } from "../../lib/ota-device/device.ts";
import { createDevice } from "../support/device-under-test.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { StageUpdateDeltaRequest } from "../../lib/ota-format/native.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { type RangeServer, startRangeServer } from "./range-server.ts";

// Contents on a real server that counts what it sends, and a phone that fetches them.

/** Files of a version by path. */
export type Contents = Readonly<Record<string, Uint8Array>>;

/** The SHA-256 of bytes. */
export function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The bytes of all files. */
export function sizeOf(contents: Contents): number {
  return Object.values(contents).reduce((sum, { length }) => sum + length, 0);
}

/** A server that counts what it sends. */
export interface ContentServer extends RangeServer {
  /** Bytes of all answers so far. */
  readonly sent: () => number;
  /** After so many bytes every connection hangs. */
  allow(bytes: number): void;
}

/** How a server holds a content: as it is, or gzip-coded as S3 or as Cloud Storage serves that. */
export type Stored = "raw" | "s3" | "gcs";

/** Serves contents by their hash. */
export async function startContentServer(
  contents: Contents,
  stored: Stored = "raw",
): Promise<ContentServer> {
  const bodies = new Map(
    Object.values(contents).map((bytes) => [
      `/${hashOf(bytes)}`,
      stored === "raw" ? bytes : new Uint8Array(gzipSync(bytes)),
    ]),
  );
  let left = Infinity;
  let sent = 0;
  const server = await startRangeServer(({ path, headers }) => {
    const complete = bodies.get(path);
    if (complete === undefined) return { status: 404 };
    if (stored === "gcs" && !headers["accept-encoding"]?.includes("gzip")) {
      // Decoded for who does not take it coded, in one chunk, and no range is known.
      const decoded = gunzipSync(complete);
      const head = Buffer.from(`${decoded.length.toString(16)}\r\n`);
      const body = Buffer.concat([head, decoded, Buffer.from("\r\n0\r\n\r\n")]);
      return { body, length: null, headers: { "transfer-encoding": "chunked" } };
    }
    const coding = stored === "raw" ? {} : { "content-encoding": "gzip" };
    const from = Number(/^bytes=([0-9]+)-$/.exec(headers["range"] ?? "")?.[1] ?? 0);
    const rest = complete.subarray(from);
    const body = rest.subarray(0, left);
    left -= body.length;
    sent += body.length;
    const range = { "content-range": `bytes ${from}-${complete.length - 1}/${complete.length}` };
    return {
      body,
      status: from > 0 ? 206 : 200,
      headers: { ...coding, ...(from > 0 && range) },
      length: rest.length,
      ending: body.length === rest.length ? "close" : "hang",
    };
  });
  return { ...server, sent: () => sent, allow: (bytes) => void (left = bytes) };
}

/** A delta on the embedded bundle that downloads all. */
export function deltaOf(
  version: string,
  contents: Contents,
  origin: string,
): StageUpdateDeltaRequest {
  const files = Object.fromEntries(
    Object.entries(contents).map(([path, bytes]) => [path, {
      hash: hashOf(bytes),
      size: bytes.length,
    }]),
  );
  return {
    name: "shell",
    version,
    manifest: serializeManifest({ schema: 1, name: "shell", version, engineApi: 1, files }),
    base: "embedded",
    copy: [],
    download: Object.entries(files).map(([path, { hash }]) => ({ path, url: `${origin}/${hash}` })),
  };
}

/** A phone over real files, and one app process after another. */
export async function openPhone(folder: string) {
  const root = join(folder, "phone");
  const embedded = join(folder, "embedded");
  mkdirSync(embedded, { recursive: true });
  const runtime = await loadRuntime();
  return {
    root,
    embedded,
    device: (signal?: AbortSignal): Device =>
      createDevice({ ...runtime, root, embedded, ...(signal && { signal }) }),
    /** Bytes in `.partial`. */
    lying(): number {
      try {
        const folder = join(root, ".partial");
        return readdirSync(folder)
          .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
      } catch {
        return 0; // not there yet, or just being renamed
      }
    },
    assertStaged(version: string, contents: Contents): void {
      for (const [path, bytes] of Object.entries(contents)) {
        assert.deepEqual(readFileSync(join(root, "shell", version, path)), Buffer.from(bytes));
      }
      assert.equal(this.lying(), 0, "nothing is left over");
    },
  };
}
