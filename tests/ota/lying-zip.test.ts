import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { createDevice } from "../support/device-under-test.ts";
import { withFolder } from "../support/folder.ts";
import { buildZip } from "../support/hostile-zips.ts";
import { manifestOfZip } from "../support/zip-manifest.ts";
import { openPhone } from "./content-world.ts";

// A server whose first answer for a whole bundle is wrong, and whose later ones are right: the wrong
// bytes are not taken for the beginning of the archive, so that the rest is not fetched in vain (DEV-36).

const KIB = 1024;
const MIB = 1024 * KIB;

const CONTENTS = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [`art/${at}.bin`, randomBytes(150 * KIB)]),
);
const ENTRIES = Object.entries(CONTENTS).map(([name, body]) => ({
  name,
  body,
  method: 0 as const,
}));
const ZIP = buildZip({ entries: ENTRIES });
const PAGE = new TextEncoder().encode(`<!doctype html>${"<p>Welcome</p>".repeat(8_000)}`);

/** The archive with another byte at an offset. */
function withWrongByte(at: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(ZIP);
  bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  return bytes;
}

/** Where a name is in the archive: in its local header, and in the directory. */
function placesOf(name: string): [number, number] {
  const bytes = Buffer.from(ZIP);
  return [bytes.indexOf(name), bytes.lastIndexOf(name)];
}

interface Row {
  readonly what: string;
  /** The first answer. */
  readonly body: Uint8Array<ArrayBuffer>;
  readonly namesLength: boolean;
}

const ROWS: readonly Row[] = [
  { what: "a page of 110 KB that does not say so", body: PAGE, namesLength: false },
  {
    what: "the archive with a wrong byte in a file",
    body: withWrongByte(100_000),
    namesLength: true,
  },
  {
    what: "the archive with a wrong byte in a later file",
    body: withWrongByte(700_000),
    namesLength: true,
  },
  {
    what: "the archive with a wrong byte in its last file",
    body: withWrongByte(5_900_000),
    namesLength: true,
  },
  {
    what: "the archive with a wrong byte in the header of a late file",
    body: withWrongByte(placesOf("art/38.bin")[0] - 10),
    namesLength: true,
  },
  {
    what: "the archive with a wrong byte in its directory",
    body: withWrongByte(placesOf("art/38.bin")[1]),
    namesLength: true,
  },
  { what: "the archive with a wrong first byte", body: withWrongByte(0), namesLength: true },
  {
    what: "the archive without its last half",
    body: ZIP.slice(0, ZIP.length >> 1),
    namesLength: false,
  },
];

/** Sends the first answer once, then the archive by range; counts the bytes. */
function lyingOnce({ body, namesLength }: Row): { fetch: Fetch; sent: () => number } {
  let asked = 0;
  let sent = 0;
  const stream = (bytes: Uint8Array<ArrayBuffer>) => {
    let at = 0;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        const chunk = bytes.slice(at, at + 50_000);
        at += chunk.length;
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    }, { highWaterMark: 0 });
  };
  const fetch: Fetch = (_url, init) => {
    const range = new Headers(init?.headers).get("range") ?? "bytes=0-";
    const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1]);
    if (asked++ === 0) {
      const headers = namesLength ? { "content-length": `${body.length}` } : {};
      return Promise.resolve(new Response(stream(body), { headers }));
    }
    const rest = new Uint8Array(ZIP.subarray(from));
    const part = { "content-range": `bytes ${from}-${ZIP.length - 1}/${ZIP.length}` };
    const headers = { "content-length": `${rest.length}`, ...(from > 0 && part) };
    return Promise.resolve(new Response(stream(rest), { status: from > 0 ? 206 : 200, headers }));
  };
  return { fetch, sent: () => sent };
}

/** No wait takes time, but for the deadline of a server that says nothing. */
const STALL_MS = 600_000;
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (ms < STALL_MS) return resolve();
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
};

for (const row of ROWS) {
  // DEV-36, DEV-73
  test(`a whole bundle of which first came ${row.what}: it is sent once more at most`, () =>
    withFolder(async (folder) => {
      const phone = await openPhone(folder);
      const { root, embedded } = phone;
      const { fetch, sent } = lyingOnce(row);
      const runtime = await loadRuntime();
      const device = createDevice({ ...runtime, fetch, clock, root, embedded, stallMs: STALL_MS });
      const staged = await device.stageUpdate({
        name: "shell",
        version: "v1",
        manifest: serializeManifest(manifestOfZip("v1", ZIP, CONTENTS)),
        zipUrl: "https://cdn.example/bundle.zip",
      });
      assert.deepEqual(staged, { ok: true });
      phone.assertStaged("v1", CONTENTS);
      const most = 1.05 * ZIP.length + MIB;
      assert.ok(sent() <= most, `${sent()} bytes of ${ZIP.length}, expected at most ${most}`);
    }));
}
