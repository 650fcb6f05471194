import { createHash } from "node:crypto";
import type { JsonObject, JsonValue } from "../../lib/core/json.ts";
import { type Manifest, serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { ContentRef } from "../../lib/ota-format/release.ts";
import type { StageFailureCode } from "../../lib/ota-format/native.ts";
import { bytesOf } from "../support/hostile-zips.ts";
import type { Tree } from "../support/ota-world.ts";
import { seededRandom } from "../support/random.ts";
import { FILES, GOOD, HONEST, REFUSED, zipOf } from "./hostile-archives.ts";
import { mutate } from "./mutate.ts";

// The vectors of kind `stage`, as they stand in vectors/archive, vectors/download and vectors/stage.
// They are written by `SLIPWAY_WRITE_VECTORS=1 deno test -A tests/ota/stage-vectors.test.ts`, and read
// before they are believed.

/** What is expected without having been replayed. */
export interface Intended {
  readonly ok: boolean;
  readonly code?: StageFailureCode;
  readonly waited?: boolean;
  readonly asked?: readonly string[];
  readonly files?: readonly string[];
}

/** A scenario with one case, of which the replay adds what is left on the disk. */
export interface Drafted {
  readonly id: string;
  readonly rules: readonly string[];
  readonly comment: string;
  readonly input: JsonObject;
  readonly intended: Intended;
}

const ZIP_URL = "https://cdn.example/bundle.zip";
/** The most bytes of an archive that becomes a vector. */
const ARCHIVE_BYTES = 12_000;
/** How many archives of the fuzz are kept. */
const MUTATED = 60;

/** The archives of {@linkcode REFUSED} and {@linkcode GOOD}, and what chance makes of them. */
export function draftArchives(): Drafted[] {
  const refused = Object.entries(REFUSED).flatMap(([about, rows]) =>
    rows.map(({ name, zip, files = FILES, code = "archive" }, i) =>
      draftArchive(`DEV-12-${about}-${i + 1}`, `refused: ${name}`, zipOf(zip), files, code)
    )
  );
  const good = GOOD.map(({ name, zip }, i) =>
    draftArchive(`DEV-12-good-${i + 1}`, `taken: ${name}`, zipOf(zip), FILES)
  );
  const random = seededRandom(12);
  const originals = GOOD.map(({ zip }) => zipOf(zip));
  const mutated = Array.from({ length: MUTATED }, (_, i) => {
    let zip = Uint8Array.from(originals[random.below(originals.length)] ?? HONEST);
    for (let change = random.below(3); change >= 0; change--) zip = mutate(zip, random);
    return draftArchive(`DEV-12-fuzz-${i + 1}`, "changed by chance", zip, FILES, "?");
  });
  return [...refused, ...good, ...mutated]
    .filter(({ input }) => JSON.stringify(input).length <= ARCHIVE_BYTES * 4 / 3);
}

function draftArchive(
  id: string,
  comment: string,
  zip: Uint8Array,
  files: Tree,
  code?: StageFailureCode | "?",
): Drafted {
  const manifest = manifestOf(files, zip);
  const input = {
    op: "stageUpdate",
    request: { name: "shell", version: "v1", manifest, zipUrl: ZIP_URL },
    server: { [ZIP_URL]: [{ status: 200, body: base64(zip) }] },
  };
  if (code === "?") return { id, rules: ["DEV-12"], comment, input, intended: {} as Intended };
  const intended = code === undefined
    ? { ok: true, files: staged(files, manifest) }
    : { ok: false, code, files: [] };
  return { id, rules: ["DEV-12"], comment, input, intended };
}

const BODY = Uint8Array.from({ length: 100 }, (_, i) => i * 7 % 251);
const HALF = 40;
const BODY_URL = "https://cdn.example/body";
const TAG = { etag: '"one"' };

/** One answer of a server. */
type Answer = JsonObject;

const complete = (headers: JsonObject = TAG): Answer => ({
  status: 200,
  headers: { "content-length": "100", ...headers },
  body: base64(BODY),
});
const cut = (at = HALF, headers: JsonObject = TAG): Answer => ({
  status: 200,
  headers: { "content-length": "100", ...headers },
  body: base64(BODY.subarray(0, at)),
  ending: "lost",
});
const rest = (at = HALF, over: JsonObject = {}, headers: JsonObject = {}): Answer => ({
  status: 206,
  headers: {
    "content-length": `${100 - at}`,
    "content-range": `bytes ${at}-99/100`,
    ...TAG,
    ...headers,
  },
  body: base64(BODY.subarray(at)),
  ...over,
});
const status = (code: number, headers: JsonObject = {}): Answer => ({ status: code, headers });
const LOST: Answer = { ending: "lost" };
const STALLED: Answer = { ending: "stall" };
const FIRST = BODY_URL;
const REST = `${BODY_URL} bytes=40- "one"`;
const UNTAGGED = `${BODY_URL} bytes=40-`;
const about = (...bases: readonly number[]) => bases.map((base) => [base / 2, base * 1.5]);
const exactly = (...pauses: readonly number[]) => pauses.map((ms) => [ms, ms]);

interface Row {
  readonly name: string;
  readonly server: readonly Answer[];
  readonly asked: readonly string[];
  readonly pauses: readonly (readonly number[])[];
  readonly code?: StageFailureCode;
  /** What the manifest names; default {@linkcode BODY}. */
  readonly body?: Uint8Array;
  readonly disk?: JsonObject;
}

const downloads: readonly Row[] = [
  { name: "the whole at once", server: [complete()], asked: [FIRST], pauses: [] },
  ...[408, 425, 429, 500, 502, 503, 504, 599].map((code): Row => ({
    name: `${code}, then the whole`,
    server: [status(code), complete()],
    asked: [FIRST, FIRST],
    pauses: about(250),
  })),
  ...([
    ["7", exactly(7_000)],
    ["30", exactly(30_000)],
    ["31", exactly(30_000)],
    ["9999999999", exactly(30_000)],
    ["0", about(250)],
    ["-5", about(250)],
    ["1.5", about(250)],
    ["soon", about(250)],
  ] as const)
    .map(([after, pauses]): Row => ({
      name: `429 with Retry-After: ${after}`,
      server: [status(429, { "retry-after": after }), complete()],
      asked: [FIRST, FIRST],
      pauses,
    })),
  {
    name: "503 with Retry-After as a date, which counts from the answer's own",
    server: [
      status(503, {
        date: "Thu, 01 Jan 1970 00:00:00 GMT",
        "retry-after": "Thu, 01 Jan 1970 00:00:09 GMT",
      }),
      complete(),
    ],
    asked: [FIRST, FIRST],
    pauses: exactly(9_000),
  },
  {
    name: "five answers of 503, and no more",
    server: [status(503)],
    asked: [FIRST, FIRST, FIRST, FIRST, FIRST],
    pauses: about(250, 500, 1000, 2000),
    code: "download",
  },
  {
    name: "connections that end before a byte",
    server: [LOST],
    asked: [FIRST, FIRST, FIRST, FIRST, FIRST],
    pauses: about(250, 500, 1000, 2000),
    code: "download",
  },
  {
    name: "progress, which starts the count anew",
    server: [...Array(4).fill(status(503)), cut(), ...Array(3).fill(status(503)), rest()],
    asked: [FIRST, FIRST, FIRST, FIRST, FIRST, REST, REST, REST, REST],
    pauses: about(250, 500, 1000, 2000, 250, 500, 1000, 2000),
  },
  ...[400, 401, 403, 404, 410, 416].map((code): Row => ({
    name: `${code}, which asking again does not change`,
    server: [status(code), complete()],
    asked: [FIRST],
    pauses: [],
    code: "missing",
  })),
  ...[204, 206, 300, 304, 501].map((code): Row => ({
    name: `${code} to a request of the whole`,
    server: [code === 206 ? rest(0) : status(code), complete()],
    asked: [FIRST],
    pauses: [],
    code: "download",
  })),
  {
    name: "a redirect from https to http",
    server: [{ ...complete(), url: "http://cdn.example/body" }],
    asked: [FIRST],
    pauses: [],
    code: "download",
  },
  {
    name: "a redirect from https to https",
    server: [{ ...complete(), url: "https://other.example/body" }],
    asked: [FIRST],
    pauses: [],
  },
  {
    name: "a lost connection: the rest alone is asked for, if it is of the same",
    server: [cut(), rest()],
    asked: [FIRST, REST],
    pauses: about(250),
  },
  {
    name: "a lost connection, twice",
    server: [cut(), rest(40, { body: base64(BODY.subarray(40, 70)), ending: "lost" }), rest(70)],
    asked: [FIRST, REST, `${BODY_URL} bytes=70- "one"`],
    pauses: about(250, 250),
  },
  ...['W/"one"', "one", '"', ""].map((tag): Row => ({
    name: `the tag ${tag || "of no letters"}, which is no strong one: no If-Range`,
    server: [cut(HALF, { etag: tag }), rest()],
    asked: [FIRST, UNTAGGED],
    pauses: about(250),
  })),
  {
    name: "no tag, but a date: If-Range holds it",
    server: [cut(HALF, { "last-modified": "Thu, 01 Jan 1970 00:00:09 GMT" }), rest()].map((one) => {
      const { etag: _etag, ...headers } = one["headers"] as JsonObject;
      return { ...one, headers };
    }),
    asked: [FIRST, `${UNTAGGED} Thu, 01 Jan 1970 00:00:09 GMT`],
    pauses: about(250),
  },
  {
    name: "200 to a range: what was had is passed over",
    server: [cut(), complete()],
    asked: [FIRST, REST],
    pauses: about(250),
  },
  {
    name: "200 to a range, lost again before it brings anything new",
    server: [cut(), cut(30), rest()],
    asked: [FIRST, REST, REST],
    pauses: about(250, 500),
  },
  {
    name: "another tag for the same bytes: passed over, and they are right",
    server: [cut(), complete({ etag: '"two"' })],
    asked: [FIRST, REST],
    pauses: about(250),
  },
  {
    name: "another tag for other bytes: the hash sees it",
    server: [cut(), {
      ...complete({ etag: '"two"' }),
      body: base64(Uint8Array.from(BODY, (b) => b ^ 1)),
    }],
    asked: [FIRST, REST],
    pauses: about(250),
    code: "hash-mismatch",
  },
  {
    name: "416 to a range: the whole is asked for",
    server: [cut(), status(416), complete()],
    asked: [FIRST, REST, FIRST],
    pauses: about(250, 500),
  },
  ...Object.entries({
    "another start": "bytes 39-99/100",
    "a later start": "bytes 41-99/100",
    "another total": "bytes 40-99/101",
    "another unit": "items 40-99/100",
    "nonsense": "bytes */100",
  }).map(([what, range]): Row => ({
    name: `206 with ${what}: the whole is asked for`,
    server: [cut(), rest(40, {}, { "content-range": range }), complete()],
    asked: [FIRST, REST, FIRST],
    pauses: about(250, 500),
  })),
  {
    name: "206 of a total that is not known",
    server: [cut(), rest(40, {}, { "content-range": "bytes 40-99/*" })],
    asked: [FIRST, REST],
    pauses: about(250),
  },
  {
    name: "206 that is wrong twice",
    server: [cut(), rest(40, {}, { "content-range": "bytes 39-99/100" })],
    asked: [FIRST, REST, FIRST],
    pauses: about(250, 500),
    code: "download",
  },
  {
    name: "206 that says it is coded: the whole is asked for",
    server: [cut(), rest(40, {}, { "content-encoding": "gzip" }), complete()],
    asked: [FIRST, REST, FIRST],
    pauses: about(250, 500),
  },
  {
    name: "an answer that was coded on its way breaks off: no range is asked for",
    server: [cut(HALF, { ...TAG, "content-encoding": "gzip" }), complete()],
    asked: [FIRST, FIRST],
    pauses: about(250),
  },
  {
    name: "206 with more than the rest",
    server: [cut(), rest(40, { body: base64(new Uint8Array(100)) })],
    asked: [FIRST, REST],
    pauses: about(250),
    code: "size-mismatch",
  },
  {
    name: "fewer bytes, and the server says so: not asked again",
    server: [{
      status: 200,
      headers: { "content-length": "40" },
      body: base64(BODY.subarray(0, HALF)),
    }],
    asked: [FIRST],
    pauses: [],
    code: "size-mismatch",
  },
  {
    name: "fewer bytes, and no word of how many there are",
    server: [{ status: 200, body: base64(BODY.subarray(0, HALF)) }, complete()],
    asked: [FIRST, FIRST],
    pauses: about(250),
  },
  {
    name: "an empty answer, again and again",
    server: [{ status: 200 }],
    asked: [FIRST, FIRST, FIRST, FIRST, FIRST],
    pauses: about(250, 500, 1000, 2000),
    code: "download",
  },
  ...["", "0x0"].map((length): Row => ({
    name: `an empty answer whose length is ${JSON.stringify(length)}, no number`,
    server: [{ status: 200, headers: { "content-length": length } }],
    asked: [FIRST, FIRST, FIRST, FIRST, FIRST],
    pauses: about(250, 500, 1000, 2000),
    code: "download",
  })),
  {
    name: "an empty content is not asked for",
    server: [{ status: 200, headers: { "content-length": "0" } }],
    asked: [],
    pauses: [],
    body: new Uint8Array(),
  },
  {
    name: "one byte too many",
    server: [{ status: 200, body: base64(Uint8Array.of(...BODY, 0)) }],
    asked: [FIRST],
    pauses: [],
    code: "size-mismatch",
  },
  {
    name: "a page of HTML in its place",
    server: [{ status: 200, body: base64(bytesOf("<!doctype html>".repeat(20).slice(0, 100))) }],
    asked: [FIRST],
    pauses: [],
    code: "hash-mismatch",
  },
  {
    name: "every byte, and a connection that is lost before its end is told",
    server: [{ ...complete(), ending: "lost" }],
    asked: [FIRST],
    pauses: [],
  },
  {
    name: "every byte, and a server that does not end: no second request",
    server: [{ status: 200, body: base64(BODY), ending: "stall" }],
    asked: [FIRST],
    pauses: [],
  },
  {
    name: "a server that does not answer",
    server: [STALLED, complete()],
    asked: [FIRST, FIRST],
    pauses: about(250),
  },
  {
    name: "a server that stops in the middle",
    server: [{ ...cut(), ending: "stall" }, rest()],
    asked: [FIRST, REST],
    pauses: about(250),
  },
  {
    name: "what an earlier process left is gone on with",
    disk: { [partialOf(BODY)]: text(BODY.subarray(0, 18)) },
    server: [rest(18)],
    asked: [`${BODY_URL} bytes=18-`],
    pauses: [],
  },
  {
    name: "what an earlier process left whole is not asked for",
    disk: { [partialOf(bytesOf("two"))]: "two" },
    body: new Uint8Array(bytesOf("two")),
    server: [status(404)],
    asked: [],
    pauses: [],
  },
  {
    name: "what lies there is wrong: it is begun anew",
    disk: { [partialOf(bytesOf("two"))]: "TW" },
    body: new Uint8Array(bytesOf("two")),
    server: [
      { status: 206, headers: { "content-range": "bytes 2-2/3" }, body: base64(bytesOf("o")) },
      { status: 200, body: base64(bytesOf("two")) },
    ],
    asked: [`${BODY_URL} bytes=2-`, BODY_URL],
    pauses: [],
  },
];

/** Downloads from servers that cut, stall and lie. */
export function draftDownloads(): Drafted[] {
  return downloads.map(({ name, server, asked, pauses, code, body = BODY, disk }, i) => {
    const manifest = manifestOf({ body });
    const input = {
      op: "stageUpdateDelta",
      request: {
        name: "shell",
        version: "v1",
        manifest,
        base: "embedded",
        copy: [],
        download: [{ path: "body", url: BODY_URL }],
      },
      server: { [BODY_URL]: server as JsonValue },
      pauses,
      embedded: { "index.html": "one" },
      ...(disk !== undefined && { disk }),
    };
    const end = code === undefined
      ? { ok: true, files: staged({ body }, manifest) }
      : { ok: false, code };
    return {
      id: `DEV-13-download-${i + 1}`,
      rules: ["DEV-13"],
      comment: name,
      input,
      intended: { ...end, asked, waited: true },
    };
  });
}

const V1: Tree = { "index.html": "one", "a.js": "play()", "b.js": "play()" };
const V2: Tree = { "index.html": "two", "a.js": "play()", "c/d.js": "play()" };
const INDEX_URL = "https://cdn.example/index";
const A_URL = "https://cdn.example/a";
const TWO: Answer = { status: 200, body: base64(bytesOf("two")) };
const MANIFEST_1 = manifestOf(V1);
const MANIFEST_2 = manifestOf(V2, undefined, "v2");
const MANIFEST_COPIES = manifestOf({ "a.js": "play()", "c/d.js": "play()" }, undefined, "v2");
const COPIES = [{ from: "a.js", path: "a.js" }, { from: "b.js", path: "c/d.js" }];

/** v1, staged, as it lies on the disk. */
const DISK_1: JsonObject = {
  ...Object.fromEntries(Object.entries(V1).map(([path, body]) => [`shell/v1/${path}`, text(body)])),
  ".complete/shell@v1.json": MANIFEST_1,
  "state.json": '{"active":{"shell":"v1"}}\n',
};

interface Plan {
  readonly name: string;
  readonly rules: readonly string[];
  readonly intended: Intended;
  readonly request?: JsonObject;
  readonly disk?: JsonObject;
  readonly embedded?: Tree;
  readonly server?: JsonObject;
  readonly free?: number;
}

const FAILED = (code: StageFailureCode): Intended => ({ ok: false, code });
const BYTES_2 = 3 + 6 + 6;

const plans: readonly Plan[] = [
  {
    name: "a delta: copies of the active version, and one download",
    rules: ["DEV-11", "DEV-14"],
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a delta on the embedded bundle",
    rules: ["DEV-14"],
    disk: {},
    embedded: V1,
    request: { base: "embedded" },
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a base that is not staged",
    rules: ["DEV-18"],
    request: { base: "v7" },
    intended: FAILED("base-missing"),
  },
  {
    name: "a copy that is not what the manifest says, without an address",
    rules: ["DEV-18"],
    disk: { ...DISK_1, "shell/v1/a.js": "PLAY()" },
    request: { manifest: MANIFEST_COPIES, download: [] }, // nothing else goes on beside it
    intended: { ...FAILED("base-missing"), asked: [] },
  },
  {
    name: "a copy that is not what the manifest says is downloaded after the others",
    rules: ["DEV-18"],
    disk: { ...DISK_1, "shell/v1/a.js": "PLAY()" },
    request: { copy: [{ ...COPIES[0], url: A_URL }, { ...COPIES[1], url: A_URL }] as JsonValue },
    server: { [A_URL]: [{ status: 200, body: base64(bytesOf("play()")) }] },
    intended: { ok: true, asked: [INDEX_URL, A_URL] },
  },
  {
    name: "a copy from a base of its own",
    rules: ["DEV-18"],
    embedded: { "e.js": "play()" },
    request: { copy: [COPIES[0], { from: "e.js", path: "c/d.js", base: "embedded" }] as JsonValue },
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a content that the server does not have",
    rules: ["DEV-13"],
    server: { [INDEX_URL]: [status(404)] },
    intended: FAILED("missing"),
  },
  {
    name: "a version that failed to boot, in state.json",
    rules: ["BOOT-5"],
    disk: { ...DISK_1, "state.json": '{"active":{"shell":"v1"},"rejected":{"shell":["v2"]}}\n' },
    intended: { ...FAILED("quarantined"), asked: [] },
  },
  {
    name: "a version that failed to boot, in guard.json alone",
    rules: ["DEV-5"],
    disk: { ...DISK_1, "guard.json": '{"schema":1,"rejected":{"shell":["v2"]},"sequence":{}}\n' },
    intended: { ...FAILED("quarantined"), asked: [] },
  },
  {
    name: "a version that is staged already, whole",
    rules: ["DEV-9"],
    disk: { ...DISK_1, ...diskOf("v2", V2, MANIFEST_2) },
    intended: { ok: true, asked: [] },
  },
  {
    name: "a version that is staged and damaged is put together again",
    rules: ["DEV-8"],
    disk: { ...DISK_1, ...diskOf("v2", { ...V2, "index.html": "TWO" }, MANIFEST_2) },
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a version that is staged, damaged and pending is left alone",
    rules: ["DEV-7"],
    disk: {
      ...DISK_1,
      ...diskOf("v2", { ...V2, "index.html": "TWO" }, MANIFEST_2),
      "state.json": '{"active":{"shell":"v1"},"pending":{"shell":"v2"}}\n',
    },
    intended: { ...FAILED("damaged"), asked: [] },
  },
  {
    name: "a folder without a mark counts for nothing",
    rules: ["DEV-6"],
    disk: { ...DISK_1, "shell/v2/evil.js": "evil" },
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "as much room as is needed",
    rules: ["DEV-19"],
    free: BYTES_2,
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a byte less than is needed",
    rules: ["DEV-19"],
    free: BYTES_2 - 1,
    intended: { ...FAILED("disk-full"), asked: [] },
  },
  {
    name: "what a killed process left in .staging and .trash is swept before",
    rules: ["DEV-22"],
    disk: { ...DISK_1, [`.staging/shell@v2.${"0".repeat(24)}/a.js`]: "x", ".trash/x": "x" },
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a version that is neither active, previous nor needed is swept before",
    rules: ["DEV-22"],
    disk: { ...DISK_1, ...diskOf("v4", V1, MANIFEST_1), ...diskOf("v3", V1, MANIFEST_1) },
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a record that is damaged reads as empty",
    rules: ["DEV-10"],
    disk: { ...DISK_1, "state.json": "{", "guard.json": "[]", "launch.json": "no" },
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a file that the manifest has and the request does not",
    rules: ["NAT-4"],
    request: { copy: [COPIES[0]] as JsonValue },
    intended: { ...FAILED("invalid"), asked: [] },
  },
  {
    name: "a replacement and a claim that were cut off are swept, with an accent behind their dots",
    rules: ["DEV-22"],
    disk: { ...DISK_1, ".lock.\u0301": "x", ".complete/shell@v3.json.\u0301x.tmp": "x" },
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a request that is none",
    rules: ["NAT-5"],
    request: { name: "../shell" },
    intended: { ...FAILED("invalid"), asked: [] },
  },
  {
    name: "as much room as is needed: nothing goes that a later staging may need",
    rules: ["DEV-19"],
    disk: { ...DISK_1, [partialOf(bytesOf("of another version"))]: "of another" },
    free: BYTES_2,
    intended: { ok: true, asked: [INDEX_URL] },
  },
  {
    name: "a byte less than is needed: what lies there of other versions goes",
    rules: ["DEV-19"],
    disk: { ...DISK_1, [partialOf(bytesOf("of another version"))]: "of another" },
    free: BYTES_2 - 1,
    intended: { ...FAILED("disk-full"), asked: [] },
  },
  {
    name: "a base that lacks so much that the whole bundle costs less",
    rules: ["DEV-27"],
    disk: { ...DISK_1, "shell/v1/big.bin": "BIG".repeat(3_000) },
    request: {
      manifest: manifestOf({ "big.bin": "big".repeat(3_000) }, Uint8Array.of(1), "v2"),
      copy: [{ from: "big.bin", path: "big.bin", url: A_URL }],
      download: [],
    },
    intended: { ...FAILED("base-missing"), asked: [] },
  },
  {
    name: "a version that is staged, damaged and served by the last launch is left alone",
    rules: ["DEV-7"],
    disk: {
      ...DISK_1,
      ...diskOf("v2", { ...V2, "index.html": "TWO" }, MANIFEST_2),
      "launch.json":
        '{"schema":1,"launches":{"shell":{"version":"v2","token":"t","attempt":0,"counted":true}}}\n',
    },
    intended: { ...FAILED("damaged"), asked: [] },
  },
];

const GAME = bytesOf(FILES["a/game.js"] ?? "");
const SKY = bytesOf(FILES["sky.png"] ?? "");
/** Within the packed bytes of the second file. */
const BROKEN = 95;

const bundles: readonly (Pick<Plan, "name" | "rules" | "intended" | "disk"> & {
  readonly server: readonly Answer[];
})[] = [
  {
    name:
      "an archive that breaks off for good within a file: its download failed, no more is asked",
    rules: ["DEV-30"],
    server: [{
      status: 200,
      headers: { "content-length": `${HONEST.length}` },
      body: base64(HONEST.subarray(0, BROKEN)),
    }],
    intended: {
      ...FAILED("download"),
      asked: [ZIP_URL, ...Array<string>(4).fill(`${ZIP_URL} bytes=${BROKEN}-`)],
    },
  },
  ...["0.999", "5.999", "0.999999999999999", "30.30"].map((bounds) => ({
    name: `a tail that says .${bounds} and has a byte is none`,
    rules: ["DEV-31"],
    disk: { [`${partialOf(HONEST)}.${bounds}`]: "x" },
    server: [{ status: 200, body: base64(HONEST) }],
    intended: { ok: true, asked: [ZIP_URL] },
  })),
  {
    name: "two of its files lie there from a killed process",
    rules: ["DEV-21"],
    disk: { [partialOf(GAME)]: text(GAME), [partialOf(SKY)]: text(SKY) },
    server: [{ status: 200, body: base64(HONEST) }],
    intended: { ok: true, asked: [ZIP_URL] },
  },
  {
    name: "one of its files lies there with as many bytes, and others",
    rules: ["DEV-20"],
    disk: { [partialOf(GAME)]: text(GAME).toUpperCase() },
    server: [{ status: 200, body: base64(HONEST) }],
    intended: { ok: true, asked: [ZIP_URL] },
  },
];

/** Stagings on disks of every kind. */
export function draftStagings(): Drafted[] {
  return [...draftDeltas(), ...draftBundles()];
}

function draftBundles(): Drafted[] {
  return bundles.map(({ name, rules, intended, disk, server }, i) => ({
    id: `DEV-30-bundle-${i + 1}`,
    rules,
    comment: name,
    input: {
      op: "stageUpdate",
      request: {
        name: "shell",
        version: "v1",
        manifest: manifestOf(FILES, HONEST),
        zipUrl: ZIP_URL,
      },
      ...(disk !== undefined && { disk }),
      server: { [ZIP_URL]: server },
    },
    intended,
  }));
}

function draftDeltas(): Drafted[] {
  return plans.map(({ name, rules, intended, request, disk, embedded, server, free }, i) => ({
    id: `DEV-11-stage-${i + 1}`,
    rules,
    comment: name,
    input: {
      op: "stageUpdateDelta",
      request: {
        name: "shell",
        version: "v2",
        manifest: MANIFEST_2,
        base: "v1",
        copy: COPIES,
        download: [{ path: "index.html", url: INDEX_URL }],
        ...request,
      },
      disk: disk ?? DISK_1,
      ...(embedded !== undefined && { embedded: textsOf(embedded) }),
      server: { [INDEX_URL]: [TWO], ...server },
      ...(free !== undefined && { free }),
    },
    intended,
  }));
}

function diskOf(version: string, files: Tree, mark: string): JsonObject {
  return {
    ...Object.fromEntries(
      Object.entries(files).map(([path, body]) => [`shell/${version}/${path}`, text(body)]),
    ),
    [`.complete/shell@${version}.json`]: mark,
  };
}

function textsOf(tree: Tree): JsonObject {
  return Object.fromEntries(Object.entries(tree).map(([path, body]) => [path, text(body)]));
}

function text(body: string | Uint8Array): string {
  return typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body);
}

function partialOf(body: Uint8Array): string {
  return `.partial/${refOf(body).hash}.${"0".repeat(24)}`;
}

function refOf(bytes: Uint8Array): ContentRef {
  return { hash: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
}

function manifestOf(files: Tree, zip?: Uint8Array, version = "v1"): string {
  const manifest: Manifest = {
    schema: 1,
    name: "shell",
    version,
    engineApi: 1,
    files: Object.fromEntries(
      Object.entries(files).map(([path, content]) => [path, refOf(bytesOf(content))]),
    ),
    ...(zip && { bundleZip: refOf(zip) }),
  };
  return serializeManifest(manifest);
}

/** What lies on the disk once v1 is staged. */
function staged(files: Tree, manifest: string): string[] {
  const lines = Object.entries(files).map(([path, body]) =>
    `shell/v1/${path} ${refOf(bytesOf(body)).hash}`
  );
  return [`.complete/shell@v1.json ${refOf(bytesOf(manifest)).hash}`, ...lines]
    .sort((a, b) => a < b ? -1 : 1);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
