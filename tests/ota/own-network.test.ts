import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import process from "node:process";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { createDevice, isNative } from "../support/device-under-test.ts";
import { withFolder } from "../support/folder.ts";
import type { Skip } from "../support/needs.ts";
import { deltaOf, openPhone } from "./content-world.ts";
import { EARLY_HINTS, type Reply, type Script, startRangeServer } from "./range-server.ts";

// The device's own network against a real server, for what a platform's HTTP does by itself: redirects,
// codings, connections that end or hang. What a download makes of it is in download.test.ts. Takes long and
// works little: a device waits its own time before it gives up a server and before it tries again.

const BYTES = new Uint8Array(randomBytes(300_000));
const HALF = BYTES.length / 2;
const PAGE = new TextEncoder().encode("<html>sign in</html>");

/** The rest that a request asks for, or all. */
function rest(headers: Readonly<Record<string, string>>): Reply {
  const from = Number(/^bytes=([0-9]+)-$/.exec(headers["range"] ?? "")?.[1] ?? 0);
  const range = { "content-range": `bytes ${from}-${BYTES.length - 1}/${BYTES.length}` };
  return from === 0 ? { body: BYTES } : { status: 206, headers: range, body: BYTES.subarray(from) };
}

/** First one answer, then what is right. */
const once = (first: Reply): Script => ({ headers }, n) => n === 1 ? first : rest(headers);
const half = { body: BYTES.subarray(0, HALF), length: BYTES.length };

/** A body with chunked framing (RFC 9112 §7.1), the first chunk with an extension, the last with a trailer. */
function inChunks(body: Uint8Array): Uint8Array {
  const cut = body.length >> 1;
  const chunk = (
    part: Uint8Array,
    more = "",
  ) => [`${part.length.toString(16)}${more}\r\n`, part, "\r\n"];
  return new Uint8Array(Buffer.concat(
    [...chunk(body.subarray(0, cut), ";a=b"), ...chunk(body.subarray(cut)), "0\r\nx-end: 1\r\n\r\n"]
      .map((part) => Buffer.from(part)),
  ));
}

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
/**
 * The port of `URLSession` to Linux takes an interim answer for the final one, and ends the process where
 * another follows; Apple's own waits for the final one, and tells of the others if asked
 * (`didReceiveInformationalResponse`).
 */
const noHints: Skip = process.env["SLIPWAY_DEVICE"] === "ios" && process.platform !== "darwin" &&
  "found URLSession of Linux: expected Apple's, which reads on after an interim answer";
/** Node's own client ends the connection for a 100 that nobody asked for. */
const takes100 = isNative || "Deno" in globalThis;

const SERVERS: readonly [string, Script, "ok" | "download" | "missing" | "size-mismatch"][] = [
  ["answers", ({ headers }) => rest(headers), "ok"],
  ["cuts the connection in the middle", once(half), "ok"],
  ["hangs in the middle", once({ ...half, ending: "hang" }), "ok"],
  ["says nothing at all, once", once({ silent: "hang" }), "ok"],
  ["ends the connection without an answer, once", once({ silent: "close" }), "ok"],
  ["sends header after header, once", once({ silent: "headers" }), "ok"],
  ["knows no ranges", (_asked, n) => n === 1 ? half : { body: BYTES }, "ok"],
  [
    "answers a range with 416",
    (_asked, n) =>
      n === 1 ? half : n === 2 ? { status: 416, headers: { "content-range": "bytes */9" } } : {
        body: BYTES,
      },
    "ok",
  ],
  ["asks to come again", once({ status: 503, headers: { "retry-after": "0" } }), "ok"],
  [
    "sends gzip to who takes it",
    ({ headers }) =>
      headers["accept-encoding"]?.includes("gzip")
        ? { body: new Uint8Array(gzipSync(BYTES)), headers: { "content-encoding": "gzip" } }
        : { body: BYTES },
    "ok",
  ],
  [
    "redirects",
    ({ path, headers }) =>
      path === "/moved" ? rest(headers) : { status: 302, headers: { location: "/moved" } },
    "ok",
  ],
  ["redirects for ever", () => ({ status: 302, headers: { location: "/again" } }), "download"],
  ["redirects to no web address", () => ({
    status: 302,
    headers: { location: "file:///etc/hostname" },
  }), "download"],
  [
    "hints at files before it answers (DEV-35)",
    ({ headers }) => ({ ...rest(headers), before: EARLY_HINTS.repeat(2) }),
    "ok",
  ],
  [
    "says that it goes on, and hints at files, before it answers",
    ({ headers }) => ({ ...rest(headers), before: CONTINUE + EARLY_HINTS.repeat(2) }),
    takes100 ? "ok" : "download",
  ],
  [
    "hints at files, and cuts the connection in the middle",
    ({ headers }, n) => ({ ...(n === 1 ? half : rest(headers)), before: EARLY_HINTS }),
    "ok",
  ],
  [
    "hints at files, and sends its answer in chunks and packed",
    () => ({
      before: EARLY_HINTS,
      headers: { "content-encoding": "gzip", "transfer-encoding": "chunked" },
      length: null,
      body: inChunks(gzipSync(BYTES)),
    }),
    "ok",
  ],
  [
    "hints at files, and redirects",
    ({ path, headers }) => ({
      before: EARLY_HINTS,
      ...(path === "/moved" ? rest(headers) : { status: 302, headers: { location: "/moved" } }),
    }),
    "ok",
  ],
  [
    "hints at files, and does not have it",
    () => ({ before: EARLY_HINTS, status: 404, body: PAGE }),
    "missing",
  ],
  ["hints at files without end", () => ({ silent: "hints" }), "download"],
  ["sends a page", () => ({ body: PAGE }), "size-mismatch"],
  [
    "sends more than it should",
    () => ({ body: new Uint8Array(BYTES.length + 1) }),
    "size-mismatch",
  ],
  ["does not have it", () => ({ status: 404, body: PAGE }), "missing"],
  ["speaks no HTTP", once({ status: 99_999 }), "ok"],
];

for (const [what, script, expected] of SERVERS) {
  const skip: Skip = what.includes("hints at files") && noHints;
  test(
    `a device stages from a server that ${what}: ${expected}`,
    { skip },
    () =>
      withFolder(async (folder) => {
        const server = await startRangeServer(script);
        try {
          const phone = await openPhone(folder);
          const { root, embedded } = phone;
          const device = createDevice({ ...await loadRuntime(), root, embedded, stallMs: 2_000 });
          const contents = { "game.js": BYTES };
          const answer = await device.stageUpdateDelta(deltaOf("v1", contents, server.origin));
          assert.equal(answer.ok ? "ok" : answer.code, expected, JSON.stringify(answer));
          if (answer.ok) phone.assertStaged("v1", contents);
          await server.idle(); // no connection outlives its staging
        } finally {
          await server.close();
        }
      }),
  );
}
