import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { afterTests } from "../support/after-tests.ts";
import type { DownloadArtifact } from "../../lib/toolchain/download/download.ts";
import type { InstallFailureCode } from "../../lib/toolchain/work/failure.ts";
import { withFolder } from "../support/folder.ts";
import {
  type Answering,
  answering,
  BODY,
  hashOf,
  noise,
  OTHER,
  run,
  serving,
  startFaultServer,
} from "./download-world.ts";

const server = await startFaultServer();
afterTests(() => server.close());

const url = () => `${server.origin}/files/tool.tar.gz`;
const CUT = 400_000;
const ZIPPED = gzipSync(new Uint8Array(100_000));

/** A body under the name of a coding, as some servers give archives. */
function coded(body: Uint8Array, length: "announced" | "chunked" = "announced"): Answering {
  const announced = length === "announced" ? { "content-length": body.length } : {};
  return (_, response) =>
    void response.writeHead(200, { "content-encoding": "gzip", ...announced }).end(body);
}

/** A download that comes to its end, whatever the server does on the way. */
interface Fine {
  readonly name: string;
  readonly answers: readonly Answering[];
  /** The file; the usual one when absent. */
  readonly body?: Uint8Array;
  readonly artifact?: Partial<DownloadArtifact>;
  /** Where each request began; `null` for one without a range. */
  readonly ranges: readonly (number | null)[];
  readonly log?: RegExp;
  readonly waits?: readonly number[];
}

const FINE: readonly Fine[] = [
  { name: "an honest server", answers: [serving()], ranges: [null] },
  ...(["announced", "chunked"] as const).map((length) => ({
    name: `an archive that the server takes for a compressed form of what is in it, ${length}`,
    answers: [coded(ZIPPED, length)],
    body: ZIPPED,
    artifact: { sha256: hashOf(ZIPPED), bytes: ZIPPED.length },
    ranges: [null],
  })),
  { name: "no length announced", answers: [serving({ chunked: true })], ranges: [null] },
  {
    name: "only a rough size known",
    answers: [serving()],
    artifact: { bytes: undefined as never, roughBytes: 600_000 },
    ranges: [null],
  },
  {
    name: "SHA-1 alone pinned",
    answers: [serving()],
    artifact: { sha256: undefined as never, sha1: hashOf(BODY, "sha1") },
    ranges: [null],
  },
  {
    name: "a connection cut twice",
    answers: [serving({ cutAfter: CUT }), serving({ cutAfter: 100_000 }), serving()],
    ranges: [null, CUT, CUT + 100_000],
    log: /broke off after 400000 of 700001 bytes.*trying again in 1 s/,
    waits: [500, 500],
  },
  {
    name: "a cut, and a server that has no tags",
    answers: [serving({ cutAfter: CUT, etag: "" }), serving({ etag: "" })],
    ranges: [null, CUT],
  },
  {
    name: "a server that ignores ranges",
    answers: [serving({ cutAfter: CUT, noRanges: true }), serving({ noRanges: true })],
    ranges: [null, CUT],
    log: /from its beginning/,
  },
  {
    name: "a tag that changed between ranges: the file is sent anew",
    answers: [serving({ cutAfter: CUT, body: OTHER, etag: '"old"' }), serving()],
    ranges: [null, CUT],
  },
  {
    name: "a server that sends the rest of another file in spite of If-Range",
    answers: [
      serving({ cutAfter: CUT, body: OTHER, etag: '"old"' }),
      (_, response) =>
        void response.writeHead(206, {
          etag: '"one"',
          "content-range": `bytes ${CUT}-${BODY.length - 1}/${BODY.length}`,
        }).end(BODY.subarray(CUT)),
      serving(),
    ],
    ranges: [null, CUT, null],
    log: /changed on the server/,
  },
  {
    name: "two servers of one name that have two files and no tags",
    answers: [serving({ cutAfter: CUT, body: OTHER, etag: "" }), serving({ etag: "" }), serving()],
    ranges: [null, CUT, null],
    log: /pieces do not fit/,
  },
  {
    name: "a Content-Range of other bytes",
    answers: [
      serving({ cutAfter: CUT }),
      answering(206, { "content-range": `bytes 0-9/${BODY.length}` }, "0123456789"),
      serving(),
    ],
    ranges: [null, CUT, null],
    log: /other bytes than those from 400000 on/,
  },
  {
    name: "a part without Content-Range",
    answers: [serving({ cutAfter: CUT }), answering(206, {}, "x"), serving()],
    ranges: [null, CUT, null],
  },
  {
    name: "416 on a range that is there",
    answers: [serving({ cutAfter: CUT }), answering(416), serving()],
    ranges: [null, CUT, null],
    log: /does not have that range/,
  },
  {
    name: "a compressed part",
    answers: [
      serving({ cutAfter: CUT }),
      (_, response) =>
        void response.writeHead(206, {
          "content-encoding": "gzip",
          "content-range": `bytes ${CUT}-${BODY.length - 1}/${BODY.length}`,
        }).end(gzipSync(BODY.subarray(CUT))),
      serving(),
    ],
    ranges: [null, CUT, null],
    log: /compressed/,
  },
  {
    name: "503, and 429 with Retry-After",
    answers: [answering(503), answering(429, { "retry-after": "7" }), serving()],
    ranges: [null, null, null],
    waits: [500, 7_000],
  },
  {
    name: "Retry-After as a date, and one of a week",
    answers: [
      answering(503, {
        date: "Thu, 01 Jan 1970 00:00:00 GMT",
        "retry-after": "Thu, 01 Jan 1970 00:00:20 GMT",
      }),
      answering(503, { "retry-after": "604800" }),
      serving(),
    ],
    ranges: [null, null, null],
    waits: [20_000, 60_000],
  },
  {
    name: "redirects",
    answers: [
      answering(302, { location: "/second" }),
      answering(307, { location: "/third" }),
      serving(),
    ],
    ranges: [null, null, null],
  },
  {
    name: "a connection that ends before the answer",
    answers: [(request) => void request.socket.destroy(), serving()],
    ranges: [null, null],
  },
];

for (const { name, answers, body = BODY, artifact = {}, ranges, log, waits } of FINE) {
  test(`download() comes to its end with ${name}`, () =>
    withFolder(async (folder) => {
      server.answer(...answers);
      const to = join(folder, "new folder", "tööl.tar.gz");
      const done = await run(url(), to, { artifact });
      assert.ok(done.result.ok, JSON.stringify(done.result));
      assert.equal(done.result.value.bytes, body.length);
      assert.deepEqual(new Uint8Array(readFileSync(to)), new Uint8Array(body));
      assert.deepEqual(readdirSync(join(folder, "new folder")), ["tööl.tar.gz"]);
      assert.deepEqual(server.seen.map(({ range }) => range ?? null), ranges.map(rangeText));
      if (log) assert.match(done.log.join("\n"), log);
      if (waits) assert.deepEqual(done.waits, waits);
    }));
}

function rangeText(from: number | null): string | null {
  return from === null ? null : `bytes=${from}-`;
}

/** A download that fails, exactly. */
interface Failing {
  readonly name: string;
  readonly answers: readonly Answering[];
  readonly artifact?: Partial<DownloadArtifact>;
  readonly code: InstallFailureCode;
  readonly message: RegExp;
  readonly next: RegExp;
  readonly requests: number;
  /** Bytes that stay to be gone on with. */
  readonly kept?: number;
}

const FAILING: readonly Failing[] = [
  {
    name: "404",
    answers: [answering(404)],
    code: "http-status",
    message: /answered 404, expected 200/,
    next: /mirror/,
    requests: 1,
  },
  {
    name: "403",
    answers: [answering(403)],
    code: "http-status",
    message: /answered 403/,
    next: /network/,
    requests: 1,
  },
  {
    name: "503 for ever",
    answers: [answering(503)],
    code: "http-status",
    message: /answered 503.*gave up after 5 tries/,
    next: /later/,
    requests: 5,
  },
  // INST-1
  {
    name: "the login page of a network",
    answers: [answering(200, { "content-type": "text/html; charset=utf-8" }, "<h1>Sign in</h1>")],
    code: "hash",
    message: /web page/,
    next: /[Ss]ign in/,
    requests: 1,
  },
  {
    name: "other bytes of the same size",
    answers: [serving({ body: OTHER })],
    code: "hash",
    message: new RegExp(`found SHA-256 ${hashOf(OTHER)}, expected ${hashOf(BODY)}`),
    next: /mirror, a proxy/,
    requests: 1,
  },
  {
    name: "other bytes whose SHA-256 is right and SHA-1 is not",
    answers: [serving()],
    artifact: { sha1: hashOf(OTHER, "sha1") },
    code: "hash",
    message: /found SHA-1 [0-9a-f]{40}, expected [0-9a-f]{40}/,
    next: /mirror/,
    requests: 1,
  },
  {
    name: "no hash pinned",
    answers: [serving()],
    artifact: { sha256: undefined as never },
    code: "hash",
    message: /no hash is pinned/,
    next: /./,
    requests: 1,
  },
  {
    name: "a body without an end",
    answers: [
      (_, response) => {
        const chunk = noise(65_536);
        const more = () => {
          while (!response.destroyed && response.write(chunk));
          if (!response.destroyed) response.once("drain", more);
        };
        more();
      },
    ],
    code: "too-large",
    message: /more than 700001 bytes, expected 700001/,
    next: /another file/,
    requests: 1,
  },
  {
    name: "a body beyond twice its rough size",
    answers: [serving({ chunked: true })],
    artifact: { bytes: undefined as never, roughBytes: 350_000 },
    code: "too-large",
    message: /more than 700000 bytes, expected at most 700000/,
    next: /another file/,
    requests: 1,
  },
  {
    name: "a larger file announced",
    answers: [serving({ body: noise(700_002) })],
    code: "too-large",
    message: /700002 bytes, expected 700001/,
    next: /another file/,
    requests: 1,
  },
  {
    name: "a smaller file announced",
    answers: [serving({ body: noise(700_000) })],
    code: "short",
    message: /has 700000 bytes, expected 700001/,
    next: /another file/,
    requests: 1,
  },
  {
    name: "a smaller file, not announced",
    answers: [serving({ body: BODY.subarray(0, 600_000), chunked: true, noRanges: true })],
    code: "short",
    message: /broke off after 600000 of 700001 bytes/,
    next: /goes on where it stopped/,
    requests: 5,
    kept: 600_000,
  },
  {
    name: "a line that never comes further than before, whatever it brings",
    answers: [
      serving({ cutAfter: CUT, noRanges: true }),
      serving({ cutAfter: 100_000, noRanges: true }),
    ],
    code: "short",
    message: /broke off after 100000 of 700001 bytes.*gave up after 5 tries/,
    next: /set a mirror in SVC_TOOLCHAIN_MIRRORS/,
    requests: 5,
    kept: 100_000,
  },
  {
    name: "a server that compresses by itself, to less",
    answers: [coded(gzipSync(new Uint8Array(700_001)))],
    code: "short",
    message: /has \d+ \(with Content-Encoding gzip\) bytes, expected 700001/,
    next: /mirror/,
    requests: 1,
  },
  {
    name: "a server that compresses by itself, to more",
    answers: [coded(gzipSync(BODY))],
    code: "too-large",
    message: /sends \d+ \(with Content-Encoding gzip\) bytes, expected 700001/,
    next: /mirror/,
    requests: 1,
  },
  {
    name: "a server that compresses by itself, and announces nothing",
    answers: [coded(gzipSync(new Uint8Array(700_001)), "chunked")],
    code: "short",
    message: /has \d+ \(with Content-Encoding gzip\) bytes, expected 700001/,
    next: /mirror/,
    requests: 1,
  },
  {
    name: "a line that brings nothing more",
    answers: [
      serving({ cutAfter: CUT }),
      (request) => void request.socket.destroy(),
    ],
    code: "connect",
    message: /no connection to 127\.0\.0\.1.*gave up after 5 tries/,
    next: /connection/,
    requests: 5,
    kept: CUT,
  },
  {
    name: "a body compressed for the way that is another file then",
    answers: [(_, response) => {
      const zipped = gzipSync(OTHER.subarray(0, 500_000));
      response.writeHead(200, { "content-encoding": "gzip" }).end(zipped);
    }],
    artifact: { bytes: undefined as never },
    code: "hash",
    message: /Content-Encoding gzip/,
    next: /./,
    requests: 1,
  },
];

for (const { name, answers, artifact = {}, code, message, next, requests, kept } of FAILING) {
  test(`download() fails as ${code} with ${name}`, () =>
    withFolder(async (folder) => {
      server.answer(...answers);
      const to = join(folder, "tool.tar.gz");
      const { result } = await run(url(), to, { artifact });
      assert.ok(!result.ok);
      assert.equal(result.error.code, code, result.error.message);
      assert.match(result.error.message, message);
      assert.match(result.error.message, /Tool 1\.0 from http:\/\/127\.0\.0\.1:\d+\/files\/tool/);
      assert.match(result.error.next, next);
      assert.equal(server.seen.length, requests);
      assert.ok(!existsSync(to));
      const part = existsSync(`${to}.part`) ? readFileSync(`${to}.part`).length : 0;
      assert.equal(part, kept ?? 0);
    }));
}

const silent: Answering = () => undefined;

for (
  const [name, answers, want] of [
    ["before the answer", [silent], /nothing for 200 ms, after 0 bytes; gave up after 5 tries/],
    [
      "in the body",
      [serving({ hangAfter: CUT }), silent],
      /nothing for 200 ms, after \d+ bytes; gave up after 5 tries/,
    ],
  ] as const
) {
  test(`download() fails as stalled when nothing comes ${name}`, () =>
    withFolder(async (folder) => {
      server.answer(...answers);
      const stallMs = 200;
      const { result } = await run(url(), join(folder, "tool"), { dependencies: { stallMs } });
      assert.ok(!result.ok);
      assert.equal(result.error.code, "stalled", result.error.message);
      assert.match(result.error.message, want);
    }));
}

test("download() goes on after a stall", () =>
  withFolder(async (folder) => {
    server.answer(serving({ hangAfter: CUT }), serving());
    const { result, log } = await run(url(), join(folder, "t"), {
      dependencies: { stallMs: 1_000 },
    });
    assert.ok(result.ok, JSON.stringify(result));
    assert.equal(server.seen[1]?.range, `bytes=${CUT}-`, log.join("\n"));
    assert.equal(server.seen[1]?.["if-range"], '"one"');
  }));
