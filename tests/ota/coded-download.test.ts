import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { OtaProgress } from "../../lib/ota-format/native.ts";
import { withFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { deltaOf, hashOf, openPhone, sizeOf, startContentServer } from "./content-world.ts";
import { startRangeServer } from "./range-server.ts";

// Contents that a bucket stores gzip-coded (`Content-Encoding`): what is signed, kept and counted are
// the decoded bytes, so a range of the coded ones is never put behind them.

/** A content that gzip halves: hex digits. */
function textOf(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.from(randomBytes(bytes / 2).toString("hex")));
}

const CONTENTS = { "level.json": textOf(1_200_000), "menu.json": textOf(40_000) };
const LEVEL = sizeOf({ "level.json": CONTENTS["level.json"] });

for (const stored of ["s3", "gcs"] as const) {
  test(`a delta of contents that are stored gzip-coded, as ${stored} serves them`, () =>
    withFolder(async (folder) => {
      const server = await startContentServer(CONTENTS, stored);
      try {
        const phone = await openPhone(folder);
        const device = phone.device();
        const reported: OtaProgress[] = [];
        await device.addListener("otaProgress", (event) => reported.push(event));
        const answer = await device.stageUpdateDelta(deltaOf("v1", CONTENTS, server.origin));
        assert.deepEqual(answer, { ok: true });
        phone.assertStaged("v1", CONTENTS);
        assert.ok(server.sent() < 0.7 * sizeOf(CONTENTS), `${server.sent()} bytes were sent`);
        const { bytesDone, bytesTotal } = reported.at(-1) ?? {};
        assert.deepEqual([bytesDone, bytesTotal], [sizeOf(CONTENTS), sizeOf(CONTENTS)], "decoded");
        assert.deepEqual(server.asked.map(({ headers }) => headers["range"]), [
          undefined,
          undefined,
        ]);
      } finally {
        await server.close();
      }
    }));

  test(`a coded content whose process ended in the middle is right in the next, as ${stored} serves it`, () =>
    withFolder(async (folder) => {
      const server = await startContentServer(CONTENTS, stored);
      try {
        const phone = await openPhone(folder);
        const request = deltaOf("v1", CONTENTS, server.origin);
        const ended = new AbortController();
        server.allow(server.sent() + 400_000);
        const cut = phone.device(ended.signal).stageUpdateDelta(request);
        await until("256 KiB are on the disk", () => phone.lying() > 256 * 1024);
        ended.abort();
        assert.ok(!(await cut).ok);
        assert.ok(phone.lying() < LEVEL);
        server.allow(Infinity);
        assert.deepEqual(await phone.device().stageUpdateDelta(request), { ok: true });
        phone.assertStaged("v1", CONTENTS);
      } finally {
        await server.close();
      }
    }));
}

test("a coded content whose connection breaks is passed over to where it was, and no range is asked for", () =>
  withFolder(async (folder) => {
    const content = CONTENTS["level.json"];
    const coded = new Uint8Array(gzipSync(content));
    const phone = await openPhone(folder);
    const headers = { "content-encoding": "gzip" };
    const server = await startRangeServer((_asked, n) =>
      n === 1
        ? {
          headers,
          body: coded.subarray(0, 400_000),
          length: coded.length,
          after: until("a part is on the disk", () => phone.lying() > 0),
        }
        : { headers, body: coded }
    );
    try {
      const contents = { "level.json": content };
      const answer = await phone.device().stageUpdateDelta(deltaOf("v1", contents, server.origin));
      assert.deepEqual(answer, { ok: true });
      phone.assertStaged("v1", contents);
      assert.deepEqual(server.asked.map(({ headers }) => headers["range"]), [undefined, undefined]);
    } finally {
      await server.close();
    }
  }));

test("a part that is coded and does not say so is found by the hash, and the content begun anew", () =>
  withFolder(async (folder) => {
    const content = CONTENTS["level.json"];
    const contents = { "level.json": content };
    const server = await startContentServer(contents);
    const phone = await openPhone(folder);
    const ended = new AbortController();
    server.allow(400_000);
    const cut = phone.device(ended.signal).stageUpdateDelta(deltaOf("v1", contents, server.origin));
    await until("a part is on the disk", () => phone.lying() > 0);
    ended.abort();
    await cut;
    await server.close();
    const from = phone.lying();
    const garbage = randomBytes(content.length - from);
    const odd = await startRangeServer(({ headers }) =>
      headers["range"] === undefined ? { body: content } : {
        status: 206,
        headers: { "content-range": `bytes ${from}-${content.length - 1}/*` },
        body: garbage,
      }
    );
    try {
      const device = phone.device();
      const reported: OtaProgress[] = [];
      await device.addListener("otaProgress", (event) => reported.push(event));
      const answer = await device.stageUpdateDelta(deltaOf("v1", contents, odd.origin));
      assert.deepEqual(answer, { ok: true });
      phone.assertStaged("v1", contents);
      const { bytesDone, bytesTotal } = reported.at(-1) ?? {};
      assert.deepEqual([bytesDone, bytesTotal], [2 * content.length, 2 * content.length]);
    } finally {
      await odd.close();
    }
  }));

test("a coded content that decodes to more than is signed ends there, and leaves nothing", () =>
  withFolder(async (folder) => {
    const contents = { "level.json": new Uint8Array(1000) };
    const bomb = new Uint8Array(gzipSync(new Uint8Array(50_000_000)));
    const server = await startRangeServer(({ path }) => {
      assert.equal(path, `/${hashOf(contents["level.json"])}`);
      return { headers: { "content-encoding": "gzip" }, body: bomb };
    });
    try {
      const phone = await openPhone(folder);
      const answer = await phone.device().stageUpdateDelta(deltaOf("v1", contents, server.origin));
      assert.ok(!answer.ok && answer.code === "size-mismatch", JSON.stringify(answer));
      assert.deepEqual(readdirSync(join(phone.root, ".partial")), []);
    } finally {
      await server.close();
    }
  }));
