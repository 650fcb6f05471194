import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld, type Tree } from "../support/ota-world.ts";
import { makeActive } from "../support/phone-life.ts";

// What a phone does where one content of a delta cannot be had, however the server is wrong: the whole
// bundle comes in the same check (CHECK-7), and neither way costs much more than it has bytes.

const MIB = 1024 * 1024;
const KEPT = new Uint8Array(randomBytes(9_000_000));
const LEVEL = new Uint8Array(randomBytes(3_150_000));
const SMALL = LEVEL.subarray(0, 1_000_000);
const OLD: Tree = { "index.html": "one", "keep.bin": KEPT };
const PAGE = new TextEncoder().encode(`<!doctype html>${" ".repeat(1_948)}`);
const CODED = { "content-encoding": "gzip" };

/** What the server makes of a request: headers, and bytes that end with the connection or before. */
interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Bytes after which the connection is lost. */
  readonly cutAfter?: number;
}

/** Answers the request of the content that begins at a byte; `null`: nobody answers. */
type Content = (from: number) => Reply | null;

/** Some bytes from one on, as a store has them. */
function ranged(bytes: Uint8Array, from: number): Reply {
  const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
  return from === 0
    ? { headers: { "content-length": `${bytes.length}` }, body: bytes }
    : { status: 206, headers: { "content-range": range }, body: bytes.subarray(from) };
}

interface Row {
  readonly what: string;
  readonly content: Content;
  readonly way: "zip" | "delta";
  /** What it should be. */
  readonly level?: Uint8Array;
  /** Bytes that may be sent in vain. Default 1 MiB. */
  readonly inVain?: number;
}

const answers = (status: number, headers = {}): Content => () => ({ status, headers, body: PAGE });
const page = (headers: Record<string, string>): Content => () => ({ headers, body: PAGE });

const ROWS: readonly Row[] = [
  { what: "is refused with 403", content: answers(403), way: "zip" },
  { what: "is a page with its length", content: page({ "content-length": "1963" }), way: "zip" },
  {
    what: "is a page that says what it is",
    content: page({ "content-type": "text/html; charset=utf-8" }),
    way: "zip",
  },
  { what: "is a page in chunks", content: page({}), way: "zip" },
  { what: "is a page under a coding", content: page(CODED), way: "zip" },
  { what: "is answered with 500 for good", content: answers(500), way: "zip" },
  { what: "is answered with 501", content: answers(501), way: "zip" },
  {
    what: "is to be asked for in an hour",
    content: answers(503, { "retry-after": "3600" }),
    way: "zip",
  },
  { what: "is answered by nobody", content: () => null, way: "zip" },
  {
    what: "is other bytes", // which nothing tells before its end
    content: (from) => ranged(KEPT.subarray(0, SMALL.length), from),
    way: "zip",
    level: SMALL,
  },
  { // DEV-70
    what: "is other bytes, more than a way may cost",
    content: (from) => ranged(KEPT.subarray(0, LEVEL.length), from),
    way: "zip",
    inVain: LEVEL.length,
  },
  {
    what: "is coded, on a line that breaks after 1 MB",
    content: () => ({ headers: CODED, body: LEVEL, cutAfter: 1_000_000 }),
    way: "zip",
  },
  {
    what: "is had without ranges, on a line that breaks after 1 MB",
    content: () => ({ body: LEVEL, cutAfter: 1_000_000 }),
    way: "zip",
  },
  {
    what: "is right, on a line that breaks after 1 MB",
    content: (from) => ({ ...ranged(LEVEL, from), cutAfter: 1_000_000 }),
    way: "delta",
  },
  {
    what: "is coded, on a line that breaks once, soon",
    content: (() => {
      let asked = 0;
      return () => ({ headers: CODED, body: LEVEL, ...(asked++ === 0 && { cutAfter: 100_000 }) });
    })(),
    way: "delta",
  },
];

/** A line, and how many bytes the server sent on it, by what they are of. */
interface Line {
  readonly fetch: Fetch;
  readonly sent: { content: number; zip: number };
}

/** Files of buckets that do not change; each is requested many times. */
const files = new Map<string, Uint8Array>();

function servedAt(path: string): Uint8Array {
  const bytes = files.get(path) ?? new Uint8Array(readFileSync(path));
  files.set(path, bytes);
  return bytes;
}

/** Serves the bucket, but for one content. */
function openLine(
  world: OtaWorld,
  { level = LEVEL, content = (from) => ranged(level, from) }: Partial<Row>,
  zipFails = false,
): Line {
  const sent = { content: 0, zip: 0 };
  const bucket = join(world.folder, "bucket");
  const fetch: Fetch = (url, init) => {
    const path = new URL(url).pathname.slice(1);
    const from = Number(
      /^bytes=(\d+)-/.exec(new Headers(init?.headers).get("range") ?? "")?.[1] ?? 0,
    );
    const isZip = path.endsWith(".zip");
    const bytes = servedAt(join(bucket, path));
    const isContent = Buffer.compare(bytes, level) === 0;
    if (isZip && zipFails) return Promise.resolve(new Response(null, { status: 501 }));
    const reply = isContent ? content(from) : ranged(bytes, from);
    if (reply === null) return Promise.reject(new TypeError("connection refused"));
    const count = (n: number) => {
      if (isZip) sent.zip += n;
      if (isContent) sent.content += n;
    };
    return Promise.resolve(respond(reply, count));
  };
  return { fetch, sent };
}

function respond(reply: Reply, count: (bytes: number) => void): Response {
  const { status = 200, headers = {}, body = new Uint8Array(), cutAfter = Infinity } = reply;
  let at = 0;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= body.length) return controller.close();
      if (at >= cutAfter) return controller.error(new TypeError("connection lost"));
      const chunk = body.slice(at, Math.min(at + 50_000, cutAfter));
      at += chunk.length;
      count(chunk.length);
      controller.enqueue(chunk);
    },
  }, { highWaterMark: 0 });
  return new Response(stream, { status, headers: { ...headers } });
}

/** No wait takes time, but for one that never ends: the deadline of a server that says nothing. */
const STALL_MS = 600_000;
const clock: Clock = {
  now: () => 0,
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (ms < STALL_MS) return resolve();
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
};

const treeOf = ({ level = LEVEL }: Row): Tree => ({
  "index.html": "two",
  "keep.bin": KEPT,
  "level.bin": level,
});

const prepared = mkdtempSync(join(tmpdir(), "slipway-ways-"));
afterTests(() => rmSync(prepared, { recursive: true, force: true }));

/** Both releases on a bucket, and a phone on which the first is active. */
async function prepare(row: Row, folder: string): Promise<OtaWorld> {
  const world = await openOtaWorld(folder);
  await world.publish("v1", OLD);
  await makeActive(world, world.device());
  await world.publish("v2", treeOf(row));
  return world;
}

/** Worlds by the content that rows share: publishing 12 MB takes longer than what they test. */
const worlds = new Map<Uint8Array, Promise<OtaWorld>>();

/** A row's world: the phone has a folder of its own, the bucket does not change. */
async function openWorld(folder: string, row: Row): Promise<Phone> {
  const { level = LEVEL } = row;
  const opening = worlds.get(level) ?? prepare(row, join(prepared, `${worlds.size}`));
  worlds.set(level, opening);
  const world = await opening;
  const root = join(folder, "phone");
  cpSync(join(world.folder, "phone"), root, { recursive: true, preserveTimestamps: true });
  return { world, root };
}

/** A phone, and the world that it is in. */
interface Phone {
  readonly world: OtaWorld;
  readonly root: string;
}

function assertStaged({ root }: Phone, row: Row): void {
  for (const [path, bytes] of Object.entries(treeOf(row))) {
    const found = readFileSync(join(root, "shell/v2", path));
    assert.equal(Buffer.compare(found, Buffer.from(bytes)), 0, path);
  }
}

/** The update check over a connection. */
const check = ({ world, root }: Phone, { fetch }: Line) =>
  world.check(world.device({ fetch, clock, root, stallMs: STALL_MS }));

// CHECK-7, DEV-36, DEV-37
for (const row of ROWS) {
  const { what, way, level = LEVEL, inVain = MIB } = row;
  test(`a content of a delta that ${what}: the ${way} is staged, and little is sent in vain`, () =>
    withFolder(async (folder) => {
      const phone = await openWorld(folder, row);
      const { world } = phone;
      const line = openLine(world, row);
      assert.equal((await check(phone, line)).result, "staged");
      assertStaged(phone, row);
      const { sent } = line;
      const zip = statSync(join(world.folder, "bucket/bundles/shell/v2/bundle.zip")).size;
      if (way === "zip") {
        assert.ok(sent.zip <= 1.05 * zip, `${sent.zip} of ${zip} bytes`);
        assert.ok(sent.content <= inVain, `${sent.content} bytes in vain`);
      } else {
        assert.equal(sent.zip, 0);
        assert.ok(sent.content <= 1.05 * level.length, `${sent.content} of ${level.length} bytes`);
      }
    }));
}

// DEV-36
for (const row of ROWS.filter(({ way }) => way === "zip")) {
  const { what, level = LEVEL } = row;
  test(`a content that ${what}, and is right at the next check: it is sent once`, () =>
    withFolder(async (folder) => {
      const phone = await openWorld(folder, row);
      const { world } = phone;
      assert.equal((await check(phone, openLine(world, row, true))).result, "stage-failed");
      const line = openLine(world, { level });
      assert.equal((await check(phone, line)).result, "staged");
      assertStaged(phone, row);
      assert.equal(line.sent.zip, 0);
      const most = 1.05 * level.length;
      assert.ok(line.sent.content <= most, `${line.sent.content} bytes, expected ${most}`);
    }));
}
