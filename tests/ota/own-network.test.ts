import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { createDevice } from "../support/device-under-test.ts";
import { withFolder } from "../support/folder.ts";
import { deltaOf, openPhone } from "./content-world.ts";
import { type Reply, type Script, startRangeServer } from "./range-server.ts";

// The device's own network against a real server, for what a platform's HTTP does by itself: redirects,
// codings, connections that end or hang. What a download makes of it is in download.test.ts.

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
  test(`a device stages from a server that ${what}: ${expected}`, () =>
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
    }));
}
