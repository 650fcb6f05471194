import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { openDownload } from "../../lib/ota-device/download.ts";
import { stageFailure, verified } from "../../lib/ota-device/transfer.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { OtaProgress, StageFailureCode, StageResult } from "../../lib/ota-format/native.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { CLOSED_PORT } from "../support/closed-port.ts";
import { createDevice, isNative } from "../support/device-under-test.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type Tree } from "../support/ota-world.ts";
import { until } from "../support/until.ts";
import { type Asked, type Reply, type Script, startRangeServer } from "./range-server.ts";

// Downloads over real connections that break in every place. The clock is not real: a pause between
// two tries takes no time and is noted; a stall happens when the test says so.

const STALL_MS = 12_347; // unlike any pause, and whole: the natives count no parts of one
const BODY = Uint8Array.from({ length: 1000 }, (_, i) => i * 7 % 251);
const HALF = 400;
const TAG = '"one"';

/** A count that can be waited for. */
function createCounter() {
  let count = 0;
  const waiting: { readonly at: number; readonly resolve: () => void }[] = [];
  return {
    add(more: number): void {
      count += more;
      for (const { at, resolve } of waiting) if (count >= at) resolve();
    },
    reach: (at: number): Promise<void> =>
      new Promise((resolve) => {
        waiting.push({ at, resolve });
        if (count >= at) resolve();
      }),
  };
}

type Counter = ReturnType<typeof createCounter>;

interface FakeClock extends Clock {
  /** Pauses between tries, in milliseconds. */
  readonly pauses: number[];
  readonly paused: Counter;
  /** Sleeps that have not ended. */
  readonly open: () => number;
}

/**
 * @param stall Lets one deadline pass, the first that runs when it resolves.
 * @param pause What every pause waits for; default nothing.
 */
function createFakeClock({ stall, pause }: {
  readonly stall?: Promise<void> | undefined;
  readonly pause?: Promise<void> | undefined;
}): FakeClock {
  const pauses: number[] = [];
  const paused = createCounter();
  let open = 0;
  let left = 1;
  return {
    now: () => 0,
    monotonic: () => 0,
    pauses,
    paused,
    open: () => open,
    async sleep(ms, signal) {
      open++;
      try {
        await new Promise<void>((resolve, reject) => {
          const onAbort = () => reject(signal?.reason);
          if (signal?.aborted) onAbort();
          signal?.addEventListener("abort", onAbort, { once: true });
          if (ms !== STALL_MS) {
            pauses.push(ms);
            paused.add(1);
            if (pause === undefined) resolve();
            else pause.then(resolve);
          } else {
            stall?.then(() => {
              if (signal?.aborted || left === 0) return;
              left = 0;
              resolve();
            });
          }
        });
      } finally {
        open--;
      }
    },
  };
}

/** What an honest server of those bytes answers. */
function honest(
  asked: Asked,
  { body = BODY, tag = TAG }: { body?: Uint8Array; tag?: string } = {},
) {
  const from = /^bytes=([0-9]+)-$/.exec(asked.headers["range"] ?? "")?.[1];
  const condition = asked.headers["if-range"];
  if (from === undefined || (condition !== undefined && condition !== tag)) {
    return { body, headers: { etag: tag } };
  }
  const at = Number(from);
  return part(at, { body, headers: { etag: tag } });
}

/** A 206 from `at` on. */
function part(at: number, { body = BODY, headers = {}, range }: {
  body?: Uint8Array;
  headers?: Record<string, string>;
  range?: string | null;
} = {}): Reply & { readonly body: Uint8Array } {
  const said = range === undefined ? `bytes ${at}-${body.length - 1}/${body.length}` : range;
  return {
    status: 206,
    body: body.subarray(at),
    headers: { ...headers, ...(said !== null && { "content-range": said }) },
  };
}

/** An answer that breaks off once `upTo` bytes have come through. */
function cut(had: Counter, upTo = HALF, headers: Record<string, string> = { etag: TAG }): Reply {
  return {
    body: BODY.subarray(0, upTo),
    length: BODY.length,
    headers,
    after: had.reach(upTo),
  };
}

interface Case {
  readonly name: string;
  readonly script: (had: Counter) => Script;
  /** Default ok. */
  readonly code?: StageFailureCode;
  readonly detail?: RegExp;
  /** `Range` of every request, `-` for none. */
  readonly ranges: readonly string[];
  /** `If-Range` of the last request. */
  readonly ifRange?: string;
  readonly pauses?: (pauses: readonly number[]) => void;
  /** What the manifest says; default {@linkcode BODY}. */
  readonly expected?: Uint8Array;
  readonly stall?: (had: Counter, asked: Counter) => Promise<void>;
}

interface Outcome {
  readonly result: StageResult;
  readonly bytes: number;
  readonly asked: readonly Asked[];
  readonly clock: FakeClock;
}

type Download = Pick<Case, "script" | "expected" | "stall">;

async function download(asked: Download): Promise<Outcome> {
  if (!isNative) return await downloadHere(asked);
  let outcome: Outcome | undefined;
  await withFolder(async (folder) => {
    outcome = await downloadByDevice(asked, folder);
  });
  assert.ok(outcome);
  return outcome;
}

/** The longest that a server may send nothing to a native, whose own network measures it by real time. */
const NATIVE_STALL_MS = 2_000;

/** By a device of another language and its own network: a delta of that one file. */
async function downloadByDevice(
  { script, expected = BODY }: Download,
  folder: string,
): Promise<Outcome> {
  const runtime = await loadRuntime();
  const clock = createFakeClock({});
  const had = createCounter();
  had.add(expected.length + BODY.length); // what was sent arrives before the end does
  const answer = script(had);
  const server = await startRangeServer((request, n) => answer(request, n));
  try {
    const root = join(folder, "phone");
    const embedded = join(folder, "embedded");
    mkdirSync(embedded);
    const options = { ...runtime, clock, root, embedded, stallMs: NATIVE_STALL_MS };
    const device = createDevice(options, { ownNetwork: true });
    const path = "bundle.zip"; // as it is called in what is refused
    const hash = createHash("sha256").update(expected).digest("hex");
    const files = { [path]: { hash, size: expected.length } };
    const result = await device.stageUpdateDelta({
      name: "shell",
      version: "v1",
      manifest: serializeManifest({ schema: 1, name: "shell", version: "v1", engineApi: 1, files }),
      base: "embedded",
      copy: [],
      download: [{ path, url: `${server.origin}/${path}` }],
    });
    const bytes = result.ok ? readFileSync(join(root, "shell/v1", path)).length : 0;
    await until("every connection is closed", () => server.idle().then(() => true));
    return { result, bytes, asked: server.asked, clock };
  } finally {
    await server.close();
  }
}

async function downloadHere(
  { script, expected = BODY, stall }: Download,
): Promise<Outcome> {
  const { fetch, hashing } = await loadRuntime();
  const had = createCounter();
  const asked = createCounter();
  const clock = createFakeClock({ stall: stall?.(had, asked) });
  const answer = script(had);
  const server = await startRangeServer((request, n) => {
    asked.add(1);
    return answer(request, n);
  });
  let bytes = 0;
  try {
    const hash = createHash("sha256").update(expected).digest("hex");
    const source = openDownload(
      { fetch, clock, stallMs: STALL_MS },
      `${server.origin}/bundle.zip`,
      { size: expected.length },
    );
    const checked = verified(source, { label: "bundle.zip", hash, size: expected.length }, {
      hash: hashing.createSha256(),
      onBytes(count) {
        bytes += count;
        had.add(count);
      },
    });
    const result = await checked.pipeTo(new WritableStream())
      .then((): StageResult => ({ ok: true }), stageFailure);
    await until("every connection is closed", () => server.idle().then(() => true));
    return { result, bytes, asked: server.asked, clock };
  } finally {
    await server.close();
  }
}

/** The first answers, then the last one again and again. */
function inTurn(...replies: readonly ((asked: Asked) => Reply)[]): Script {
  return (asked, n) => (replies[n - 1] ?? replies.at(-1) ?? honest)(asked);
}

const status = (code: number, headers: Record<string, string> = {}) => () => ({
  status: code,
  headers,
});
const FIRST = "-";
const REST = `bytes=${HALF}-`;
const backoffs = (...bases: readonly number[]) => (pauses: readonly number[]) => {
  assert.equal(pauses.length, bases.length);
  for (const [i, base] of bases.entries()) {
    const pause = pauses[i] ?? 0;
    assert.ok(pause >= base / 2 && pause <= base * 1.5, `${pause} is not ${base}, give or take`);
  }
};
const exactly = (...expected: readonly number[]) => (pauses: readonly number[]) =>
  assert.deepEqual(pauses, expected);

const retried: readonly Case[] = [
  ...[408, 425, 429, 500, 502, 503, 504, 599].map((code): Case => ({
    name: `${code}, then the file`,
    script: () => inTurn(status(code), honest),
    ranges: [FIRST, FIRST],
    pauses: backoffs(250),
  })),
  ...([
    ["7", exactly(7_000)],
    ["30", exactly(30_000)],
    ["31", exactly(30_000)],
    ["9999999999", exactly(30_000)],
    ["0", backoffs(250)],
    ["-5", backoffs(250)],
    ["1.5", backoffs(250)],
    ["Fri, 31 Dec 2099 23:59:59 GMT", backoffs(250)],
  ] as const).map(([after, pauses]): Case => ({
    name: `429 with Retry-After: ${after}`,
    script: () => inTurn(status(429, { "retry-after": after }), honest),
    ranges: [FIRST, FIRST],
    pauses,
  })),
  {
    name: "429 with Retry-After as a date, which counts from the answer's own",
    script: () =>
      inTurn(
        status(429, {
          date: "Thu, 01 Jan 1970 00:00:00 GMT",
          "retry-after": "Thu, 01 Jan 1970 00:00:09 GMT",
        }),
        honest,
      ),
    ranges: [FIRST, FIRST],
    pauses: exactly(9_000),
  },
  {
    name: "five answers of 503, and no more",
    script: () => inTurn(status(503)),
    code: "download",
    detail: /^http:\S+\/bundle\.zip answered 503; gave up after 5 tries$/,
    ranges: [FIRST, FIRST, FIRST, FIRST, FIRST],
    pauses: backoffs(250, 500, 1000, 2000),
  },
  {
    name: "no server at all: connections that end before a byte",
    script: () => inTurn(() => ({ silent: "close" })),
    code: "download",
    detail: /^http:\S+\/bundle\.zip was interrupted: .+; gave up after 5 tries$/,
    // Some platforms ask once more by themselves.
    ranges: isNative ? [] : [FIRST, FIRST, FIRST, FIRST, FIRST],
  },
  {
    name: "progress, which starts the count anew",
    script: (had) =>
      inTurn(
        status(503),
        status(503),
        status(503),
        status(503),
        () => cut(had),
        status(503),
        status(503),
        status(503),
        honest,
      ),
    ranges: [FIRST, FIRST, FIRST, FIRST, FIRST, REST, REST, REST, REST],
    pauses: backoffs(250, 500, 1000, 2000, 250, 500, 1000, 2000),
  },
  {
    name: "a byte a try, which is given up one day",
    script: (had) => (_asked, n) => {
      if (n === 1) return cut(had, 1);
      return {
        ...part(n - 1),
        body: BODY.subarray(n - 1, n),
        length: BODY.length - n + 1,
        after: had.reach(n),
      };
    },
    code: "download",
    detail: /gave up after 50 tries$/,
    ranges: [FIRST, ...Array.from({ length: 49 }, (_, i) => `bytes=${i + 1}-`)],
  },
  ...[400, 401, 403, 404, 410, 412, 501, 204, 300, 304].map((code): Case => ({
    name: `${code}, which asking again does not change`,
    script: () => inTurn(status(code), honest),
    code: code >= 400 && code < 500 ? "missing" : "download",
    detail: new RegExp(`^http:\\S+/bundle\\.zip answered ${code}, expected 200$`),
    ranges: [FIRST],
  })),
];

const resumed: readonly Case[] = [
  {
    name: "a lost connection: the rest alone is asked for, if it is of the same",
    script: (had) => inTurn(() => cut(had), honest),
    ranges: [FIRST, REST],
    ifRange: TAG,
    pauses: backoffs(250),
  },
  {
    name: "a lost connection, twice",
    script: (had) =>
      inTurn(
        () => cut(had),
        () => ({
          ...part(HALF),
          body: BODY.subarray(HALF, 700),
          length: 600,
          after: had.reach(700),
        }),
        honest,
      ),
    ranges: [FIRST, REST, "bytes=700-"],
    ifRange: TAG,
    pauses: backoffs(250, 250),
  },
  ...['W/"one"', "one", '"', ""].map((tag): Case => ({
    name: `the tag ${tag || "of no letters"}, which is no strong one: no If-Range`,
    script: (had) => inTurn(() => cut(had, HALF, { etag: tag }), honest),
    ranges: [FIRST, REST],
  })),
  {
    name: "no tag: no If-Range",
    script: (had) => inTurn(() => cut(had, HALF, {}), honest),
    ranges: [FIRST, REST],
  },
  {
    name: "200 to a range: what was had is passed over",
    script: (had) => inTurn(() => cut(had), () => ({ body: BODY })),
    ranges: [FIRST, REST],
    ifRange: TAG,
  },
  {
    name: "200 to a range, lost again before it brings anything new",
    script: (had) =>
      inTurn(() => cut(had), () => ({ body: BODY.subarray(0, 300), length: 1000 }), honest),
    ranges: [FIRST, REST, REST],
    pauses: backoffs(250, 500),
  },
  {
    name: "another tag for the same bytes: passed over, and they are right",
    script: (had) => inTurn(() => cut(had), (asked) => honest(asked, { tag: '"two"' })),
    ranges: [FIRST, REST],
    ifRange: TAG,
  },
  {
    name: "another tag for other bytes: the hash sees that both halves do not belong together",
    script: (had) =>
      inTurn(
        () => cut(had),
        (asked) => honest(asked, { tag: '"two"', body: Uint8Array.from(BODY, (b) => b ^ 1) }),
      ),
    code: "hash-mismatch",
    ranges: [FIRST, REST],
  },
  {
    name: "the tag of the answer that was read last",
    script: (had) =>
      inTurn(
        () => cut(had),
        () => ({
          body: BODY.subarray(0, 700),
          length: 1000,
          headers: { etag: '"two"' },
          after: had.reach(700),
        }),
        (asked) => honest(asked, { tag: '"two"' }),
      ),
    ranges: [FIRST, REST, "bytes=700-"],
    ifRange: '"two"',
  },
  {
    name: "416: the whole is asked for",
    script: (had) => inTurn(() => cut(had), status(416), honest),
    ranges: [FIRST, REST, FIRST],
    pauses: backoffs(250, 500),
  },
  {
    name: "416 to a request of the whole",
    script: () => inTurn(status(416), honest),
    code: "missing",
    detail: /answered 416, expected 200/,
    ranges: [FIRST],
  },
  ...([
    ["another start", part(HALF - 1)],
    ["a later start", part(HALF + 1)],
    ["another total", part(HALF, { range: `bytes ${HALF}-999/1001` })],
    ["no Content-Range", part(HALF, { range: null })],
    ["a Content-Range in another unit", part(HALF, { range: `items ${HALF}-999/1000` })],
    ["a Content-Range of nonsense", part(HALF, { range: "bytes */1000" })],
  ] as const).map(([what, reply]): Case => ({
    name: `206 with ${what}: the whole is asked for`,
    script: (had) => inTurn(() => cut(had), () => reply, honest),
    ranges: [FIRST, REST, FIRST],
  })),
  {
    name: "206 with a total that it does not know",
    script: (had) => inTurn(() => cut(had), () => part(HALF, { range: `bytes ${HALF}-999/*` })),
    ranges: [FIRST, REST],
  },
  {
    name: "206 that is wrong twice",
    script: (had) => inTurn(() => cut(had), () => part(HALF - 1)),
    code: "download",
    detail: /answered 206, expected 200/,
    ranges: [FIRST, REST, FIRST],
  },
  ...[200, 206].map((code): Case => ({
    name: `${code} with a body that is compressed, unasked: the whole is asked for`,
    script: (had) =>
      inTurn(() => cut(had), () => ({
        ...part(HALF),
        status: code,
        body: new Uint8Array(gzipSync(code === 200 ? BODY : BODY.subarray(HALF))),
        headers: { ...part(HALF).headers, "content-encoding": "gzip" },
      }), honest),
    ranges: [FIRST, REST, FIRST],
  })),
  {
    name: "206 to a request of the whole",
    script: () => inTurn(() => part(0), honest),
    code: "download",
    detail: /answered 206, expected 200/,
    ranges: [FIRST],
  },
  {
    name: "206 with more than the rest",
    script: (had) =>
      inTurn(() => cut(had), () => ({ ...part(HALF), body: new Uint8Array(BODY.length) })),
    code: "size-mismatch",
    ranges: [FIRST, REST],
  },
];

const ended: readonly Case[] = [
  {
    name: "fewer bytes, and the server says so: not asked again",
    script: () => inTurn(() => ({ body: BODY.subarray(0, HALF) })),
    code: "size-mismatch",
    detail: /bundle\.zip has 400 bytes, expected 1000/,
    ranges: [FIRST],
  },
  {
    name: "fewer bytes, and no word of how many there are",
    script: () => inTurn(() => ({ body: BODY.subarray(0, HALF), length: null }), honest),
    ranges: [FIRST, FIRST],
  },
  {
    name: "an empty answer, again and again",
    script: () => inTurn(() => ({ length: null })),
    code: "download",
    detail: /ended after 0 of 1000 bytes; gave up after 5 tries/,
    ranges: [FIRST, FIRST, FIRST, FIRST, FIRST],
  },
  {
    name: "an empty file",
    script: () => inTurn(() => ({})),
    expected: new Uint8Array(),
    ranges: [FIRST],
  },
  {
    name: "an empty file, behind a 503",
    script: () => inTurn(status(503), () => ({})),
    expected: new Uint8Array(),
    ranges: [FIRST, FIRST],
  },
  {
    name: "a byte where there should be none",
    script: () => inTurn(() => ({ body: BODY.subarray(0, 1) })),
    expected: new Uint8Array(),
    code: "size-mismatch",
    ranges: [FIRST],
  },
  {
    name: "one byte too many",
    script: () => inTurn(() => ({ body: Uint8Array.of(...BODY, 0) })),
    code: "size-mismatch",
    detail: /bundle\.zip has more than the 1000 bytes of its manifest/,
    ranges: [FIRST],
  },
  {
    name: "bytes without end: the connection is closed at once",
    script: () => inTurn(() => ({ body: BODY, ending: "endless" })),
    code: "size-mismatch",
    ranges: [FIRST],
  },
  {
    name: "every byte, and a connection that is lost before its end is told",
    script: (had) =>
      inTurn(() => ({
        headers: { "transfer-encoding": "chunked" },
        length: null,
        body: Uint8Array.of(...Buffer.from("3e8\r\n"), ...BODY),
        after: had.reach(BODY.length),
      })),
    ranges: [FIRST],
    pauses: exactly(),
  },
  {
    name: "every byte, and a server that does not end: no second request",
    script: () => inTurn(() => ({ body: BODY, length: null, ending: "hang" })),
    stall: (had) => had.reach(BODY.length),
    ranges: [FIRST],
    pauses: exactly(),
  },
  {
    name: "a body that is compressed on its way",
    script: () => inTurn(gzipped(BODY.length * 2)),
    ranges: [FIRST],
  },
  {
    name: "a compressed body that breaks off: what is asked for then is not compressed",
    script: () => inTurn(gzipped(100), honest),
    ranges: [],
  },
  {
    name: "a page that is compressed on its way",
    script: () =>
      inTurn(() => ({
        body: new Uint8Array(gzipSync("<!doctype html>")),
        headers: { "content-encoding": "gzip" },
      })),
    code: "download",
    detail: /ended after 15 of 1000 bytes/,
    ranges: [],
  },
];

/** The body, compressed; only the first bytes of that, though all are announced. */
function gzipped(upTo: number): () => Reply {
  const body = new Uint8Array(gzipSync(BODY));
  return () => ({
    body: body.subarray(0, upTo),
    length: body.length,
    headers: { "content-encoding": "gzip", etag: 'W/"one"' },
  });
}

const stalled: readonly Case[] = [
  {
    name: "a server that does not answer",
    script: () => inTurn(() => ({ silent: "hang" }), honest),
    stall: (_had, asked) => asked.reach(1),
    ranges: [FIRST, FIRST],
    pauses: backoffs(250),
  },
  {
    name: "a server that stops in the middle",
    script: (had) => inTurn(() => ({ ...cut(had), ending: "hang" }), honest),
    stall: (had) => had.reach(HALF),
    ranges: [FIRST, REST],
    ifRange: TAG,
    pauses: backoffs(250),
  },
];

for (
  const { name, code, detail = /./, ranges, ifRange, pauses, ...rest } of [
    ...retried,
    ...resumed,
    ...ended,
    ...stalled,
  ]
) {
  // A native core is reached by a delta, which asks for no empty file.
  if (isNative && rest.expected?.length === 0) continue;
  // DEV-13
  test(`openDownload() ${name}: ${code ?? "ok"}`, async () => {
    const { result, bytes, asked, clock } = await download(rest);
    assert.equal(result.ok ? "ok" : result.code, code ?? "ok", JSON.stringify(result));
    if (!result.ok) assert.match(result.detail, detail);
    else assert.equal(bytes, rest.expected?.length ?? BODY.length);
    if (ranges.length > 0) {
      assert.deepEqual(asked.map(({ headers }) => headers["range"] ?? FIRST), ranges);
    }
    if (ifRange !== undefined) assert.equal(asked.at(-1)?.headers["if-range"], ifRange);
    for (const { headers } of asked) {
      if (headers["range"] !== undefined) {
        assert.match(headers["accept-encoding"] ?? "", /^identity(, identity)?$/);
      }
      assert.doesNotMatch(headers["if-range"] ?? TAG, /^W\//);
    }
    pauses?.(clock.pauses);
    assert.equal(clock.open(), 0, "no timer is left");
  });
}

test("openDownload() of an address where nobody listens: download, naming it", async () => {
  const { fetch } = await loadRuntime();
  const clock = createFakeClock({});
  const url = `http://127.0.0.1:${CLOSED_PORT}/bundle.zip`;
  const stream = openDownload({ fetch, clock, stallMs: STALL_MS }, url, { size: 1 });
  const failure = await stream.getReader().read().then(() => null, stageFailure);
  assert.equal(failure?.code, "download");
  assert.ok(failure?.detail.startsWith(`${url} was interrupted: `), failure?.detail);
  assert.equal(clock.pauses.length, 4);
});

test("openDownload() that is led from https to http: refused, not a byte is read", async () => {
  let asked = 0;
  let read = false;
  const fetch: Fetch = () => {
    asked++;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        read = true;
        controller.enqueue(BODY);
      },
    }, { highWaterMark: 0 });
    const response = new Response(body);
    return Promise.resolve(
      Object.defineProperty(response, "url", { value: "http://cdn.example/a" }),
    );
  };
  const dependencies = { fetch, clock: createFakeClock({}), stallMs: STALL_MS };
  const stream = openDownload(dependencies, "https://cdn.example/a", { size: 1000 });
  const failure = await stream.getReader().read().then(() => null, stageFailure);
  assert.equal(failure?.code, "download");
  assert.match(failure?.detail ?? "", /redirects to plain http at http:\/\/cdn\.example\/a/);
  assert.deepEqual([asked, read], [1, false]);
});

// Whoever gives up, and whenever: the connection ends, the reader hears of it, no timer is left.

interface Moment {
  readonly name: string;
  readonly script: Script;
  readonly reached: (counters: Record<"asked" | "had" | "paused", Counter>) => Promise<void>;
}

const moments: readonly Moment[] = [
  {
    name: "before the answer",
    script: () => ({ silent: "hang" }),
    reached: ({ asked }) => asked.reach(1),
  },
  {
    name: "in the middle",
    script: () => ({ body: BODY.subarray(0, HALF), length: BODY.length, ending: "hang" }),
    reached: ({ had }) => had.reach(HALF),
  },
  {
    name: "in a pause between two tries",
    script: status(503),
    reached: ({ paused }) => paused.reach(1),
  },
];

for (const { name, script, reached } of moments) {
  for (const how of ["its reader cancels", "its signal aborts"] as const) {
    test(`openDownload() ends when ${how} ${name}`, async () => {
      const { fetch } = await loadRuntime();
      const had = createCounter();
      const asked = createCounter();
      const clock = createFakeClock({ pause: new Promise(() => undefined) });
      const server = await startRangeServer((request, n) => {
        asked.add(1);
        return script(request, n);
      });
      const abort = new AbortController();
      try {
        const reader = openDownload(
          { fetch, clock, stallMs: STALL_MS, signal: abort.signal },
          `${server.origin}/bundle.zip`,
          { size: BODY.length },
        ).getReader();
        const reading = (async () => {
          for (;;) {
            const { done, value } = await reader.read();
            if (done) return null;
            had.add(value.length);
          }
        })().catch(stageFailure);
        await reached({ asked, had, paused: clock.paused });
        if (how === "its reader cancels") {
          await until("cancel() returns", () => reader.cancel().then(() => true));
          assert.equal(await reading, null);
        } else {
          abort.abort();
          assert.equal((await until("the reader hears of it", () => reading)).code, "cancelled");
        }
        await until("the connection is closed", () => server.idle().then(() => true));
        assert.equal(clock.open(), 0, "no timer is left");
        assert.equal(server.asked.length, 1);
      } finally {
        await server.close();
      }
    });
  }
}

test("openDownload() asks for nothing when it is cancelled before, or never read", async () => {
  const clock = createFakeClock({});
  let asked = 0;
  const fetch: Fetch = (_url, init) => {
    asked++;
    return init?.signal?.aborted ? Promise.reject(init.signal.reason) : Promise.resolve(
      new Response(BODY),
    );
  };
  const dependencies = { fetch, clock, stallMs: STALL_MS };
  await openDownload(dependencies, "https://cdn.example/a", { size: 1000 }).cancel();
  assert.equal(asked, 0);
  const signal = AbortSignal.abort();
  const read = openDownload({ ...dependencies, signal }, "https://cdn.example/a", { size: 1000 })
    .getReader().read();
  assert.equal((await read.then(() => null, stageFailure))?.code, "cancelled");
  assert.equal(clock.open(), 0);
});

// Through the device: what the listener of `otaProgress` is told while connections break.

const V1: Tree = { "index.html": "one", "game.js": BODY, "a/b.bin": BODY.subarray(0, 700) };
const V2: Tree = { ...V1, "game.js": Uint8Array.from(BODY, (b) => b ^ 1), "new.js": "new" };

for (const kind of ["zip", "delta"] as const) {
  // DEV-16
  test(`otaProgress of a ${kind} over broken connections only grows, and is exact`, () =>
    withFolder(async (folder) => {
      const world = await openOtaWorld(folder);
      await world.publish("v1", V1);
      assert.equal((await world.check(world.device())).result, "staged");
      await world.publish("v2", V2);
      const bundle = join(folder, "bucket/bundles/shell/v2");
      const tries = new Map<string, number>();
      const server = await startRangeServer((asked) => {
        const attempt = (tries.get(asked.path) ?? 0) + 1;
        tries.set(asked.path, attempt);
        if (attempt === 1) return { status: 503 };
        const reply = honest(asked, {
          body: new Uint8Array(readFileSync(join(bundle, asked.path))),
        });
        if (attempt > 4) return reply;
        const quarter = reply.body.subarray(0, Math.ceil(reply.body.length / 4));
        return { ...reply, body: quarter, length: reply.body.length };
      });
      try {
        const clock = createFakeClock({});
        const device = world.device({ clock, fetch: world.runtime.fetch, stallMs: STALL_MS });
        const text = readFileSync(join(bundle, "manifest.json"), "utf8");
        const manifest = JSON.parse(text);
        const paths = Object.keys(V2);
        const progress: OtaProgress[] = [];
        await device.addListener("otaProgress", (event) => progress.push(event));
        const request = { name: "shell", version: "v2", manifest: text };
        const download = paths.map((path) => ({
          path,
          url: `${server.origin}/files/${manifest.files[path].hash}`,
        }));
        const staged = kind === "zip"
          ? await device.stageUpdate({ ...request, zipUrl: `${server.origin}/bundle.zip` })
          : await device.stageUpdateDelta({ ...request, base: "v1", copy: [], download });
        assert.deepEqual(staged, { ok: true });
        const total = kind === "zip"
          ? manifest.bundleZip.size
          : paths.reduce((sum, path) => sum + manifest.files[path].size, 0);
        assert.ok([...tries.values()].every((count) => count >= 2), "every one was tried again");
        for (const [i, event] of progress.entries()) {
          const before = progress[i - 1] ?? { bytesDone: 0, filesDone: 0 };
          assert.deepEqual([event.bytesTotal, event.filesTotal], [total, paths.length]);
          assert.ok(event.bytesDone >= before.bytesDone && event.bytesDone <= total);
          assert.ok(event.filesDone >= before.filesDone);
        }
        const last = progress.at(-1);
        assert.deepEqual([last?.bytesDone, last?.filesDone], [total, paths.length]);
      } finally {
        await server.close();
      }
    }));
}
