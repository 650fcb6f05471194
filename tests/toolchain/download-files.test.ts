import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { FileError, type FileErrorCode } from "../../lib/core/file-error.ts";
import type { DownloadFiles } from "../../lib/toolchain/download/partial.ts";
import { verifyFile } from "../../lib/toolchain/download/download.ts";
import type { InstallFailureCode } from "../../lib/toolchain/work/failure.ts";
import { withFolder } from "../support/folder.ts";
import { withoutDenial, withoutMount } from "../support/needs.ts";
import {
  BODY,
  hashOf,
  noise,
  OTHER,
  run,
  runtime,
  serving,
  startFaultServer,
} from "./download-world.ts";

const server = await startFaultServer(serving());
afterTests(() => server.close());
const url = () => `${server.origin}/tool.zip?token=secret`;
const pin = { name: "Tool 1.0", url: "https://a.org/tool", sha256: hashOf(BODY) };

const DISK: readonly (readonly [
  operation: keyof DownloadFiles,
  thrown: FileErrorCode,
  code: InstallFailureCode,
  next: RegExp,
])[] = [
  ["append", "full", "disk-full", /Free space/],
  ["writeAtomic", "full", "disk-full", /SVC_TOOLCHAIN_DIR/],
  ["makeDirectory", "denied", "not-writable", /writable/],
  ["append", "denied", "not-writable", /writable/],
  ["rename", "busy", "rename", /holds the file/],
  ["sync", "other", "io", /folder/],
];

for (const [operation, thrown, code, next] of DISK) {
  test(`download() fails as ${code} when ${operation} is refused as ${thrown}`, () =>
    withFolder(async (folder) => {
      const to = join(folder, "tool");
      const refused = (path: string) =>
        Promise.reject(new FileError(thrown, path, `Cannot ${operation} ${path}: ${thrown}`));
      const files = { ...runtime.files, [operation]: refused };
      const { result } = await run(url(), to, { dependencies: { files } });
      assert.ok(!result.ok);
      assert.equal(result.error.code, code, result.error.message);
      assert.match(result.error.message, /Cannot download Tool 1\.0 to .*tool: Cannot/);
      assert.match(result.error.next, next);
      assert.ok(!existsSync(to));
    }));
}

test("download() fails as disk-full on a full disk, and goes on when there is room", {
  skip: withoutMount(),
}, () =>
  withFolder(async (folder) => {
    const disk = join(folder, "disk");
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=512k", "none", disk]);
    try {
      const to = join(disk, "tool");
      const failed = await run(url(), to);
      assert.ok(!failed.result.ok);
      assert.equal(failed.result.error.code, "disk-full", failed.result.error.message);
      execFileSync("mount", ["-o", "remount,size=2m", disk]);
      const { result } = await run(url(), to);
      assert.ok(result.ok, JSON.stringify(result));
      assert.ok(result.value.fetched < BODY.length, "it began anew");
      assert.equal(hashOf(readFileSync(to)), hashOf(BODY));
    } finally {
      execFileSync("umount", [disk]);
    }
  }));

test("download() fails as not-writable in a folder that is closed", {
  skip: withoutDenial(),
}, () =>
  withFolder(async (folder) => {
    const closed = join(folder, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o500);
    const { result } = await run(url(), join(closed, "tool"));
    assert.ok(!result.ok);
    assert.equal(result.error.code, "not-writable");
  }));

test("download() fails as io where a folder is in the way, and leaves it", () =>
  withFolder(async (folder) => {
    writeFileSync(join(folder, "file"), "x");
    const { result } = await run(url(), join(folder, "file", "tool"));
    assert.ok(!result.ok);
    assert.equal(result.error.code, "io");
    mkdirSync(join(folder, "tool", "inside"), { recursive: true });
    const inTheWay = await run(url(), join(folder, "tool"));
    assert.ok(!inTheWay.result.ok);
    assert.equal(inTheWay.result.error.code, "io");
    assert.ok(existsSync(join(folder, "tool", "inside")));
  }));

test("download() ends as cancelled at once, and before the first request", () =>
  withFolder(async (folder) => {
    const stop = new AbortController();
    server.answer(() => stop.abort());
    const { result } = await run(url(), join(folder, "tool"), { signal: stop.signal });
    assert.ok(!result.ok);
    assert.equal(result.error.code, "cancelled");
    server.answer(serving());
    const never = await run(url(), join(folder, "tool"), { signal: AbortSignal.abort() });
    assert.ok(!never.result.ok);
    assert.equal(never.result.error.code, "cancelled");
    assert.equal(server.seen.length, 0);
    assert.deepEqual(readdirSync(folder), []);
  }));

test("download() prints and keeps no token of its address", () =>
  withFolder(async (folder) => {
    const to = join(folder, "tool");
    server.answer(serving({ cutAfter: 400_000 }), (request) => void request.socket.destroy());
    const reported: string[] = [];
    const withUser = url().replace("http://", "http://me:secret@");
    for (const address of [url(), withUser]) {
      const { result, log } = await run(address, to);
      assert.ok(!result.ok);
      reported.push(JSON.stringify(result), ...log);
    }
    server.answer(serving({ cutAfter: 400_000 }), serving({ body: OTHER, etag: '"2"' }));
    reported.push(JSON.stringify(await run(url(), join(folder, "other"))));
    const notes = readdirSync(folder).filter((name) => name.endsWith(".json"));
    for (const name of notes) reported.push(readFileSync(join(folder, name), "utf8"));
    assert.doesNotMatch(reported.join("\n"), /secret/);
  }));

test("download() asks a mirror, and its failure says so", () =>
  withFolder(async (folder) => {
    server.answer(serving());
    const mirrors = { "https://vendor.invalid/": `${server.origin}/vendor/` };
    const address = "https://vendor.invalid/dist/tool.zip";
    const done = await run(address, join(folder, "a"), { mirrors });
    assert.ok(done.result.ok, JSON.stringify(done.result));
    server.answer();
    const options = { mirrors, mirrorsSetBy: "SVC_TOOLCHAIN_MIRRORS" };
    const { result } = await run(address, join(folder, "b"), options);
    assert.ok(!result.ok);
    assert.match(
      result.error.message,
      /\/vendor\/dist\/tool\.zip, the mirror of https:\/\/vendor\.invalid\/ that SVC_TOOLCHAIN_MIRRORS names: it answered 404/,
    );
    assert.match(result.error.next, /mirror in SVC_TOOLCHAIN_MIRRORS/);
  }));

test("download() refuses a mirror that is no address", () =>
  withFolder(async (folder) => {
    for (const mirror of ["mirror.corp/x", "ftp://mirror.corp", ""]) {
      const mirrors = { "https://vendor.invalid": mirror };
      const { result } = await run("https://vendor.invalid/t", join(folder, "t"), { mirrors });
      assert.ok(!result.ok);
      assert.equal(result.error.code, "connect");
      assert.match(result.error.message, /mirror of .* names: found no address/);
    }
  }));

test("download() asks a mirror with the user and password of its address", () =>
  withFolder(async (folder) => {
    server.answer(serving());
    const mirror = server.origin.replace("http://", "http://me:p%C3%A4ss@");
    const mirrors = { "https://vendor.invalid": mirror };
    const { result } = await run("https://vendor.invalid/t", join(folder, "t"), { mirrors });
    assert.ok(result.ok, JSON.stringify(result));
    const pair = Buffer.from("me:päss").toString("base64");
    assert.equal(server.seen[0]?.authorization, `Basic ${pair}`);
  }));

test("download() sends the headers of its pin", () =>
  withFolder(async (folder) => {
    server.answer(serving());
    await run(url(), join(folder, "a"), {
      artifact: { headers: { authorization: "Bearer QQ==" } },
    });
    assert.equal(server.seen[0]?.authorization, "Bearer QQ==");
    assert.equal(server.seen[0]?.["accept-encoding"], "identity");
  }));

const VERIFY: readonly (readonly [
  name: string,
  content: Uint8Array | null,
  artifact: { readonly bytes?: number; readonly sha1?: string },
  want: InstallFailureCode | number,
])[] = [
  ["the right file", BODY, { bytes: BODY.length }, BODY.length],
  ["the right file of unknown size", BODY, {}, BODY.length],
  ["another file", OTHER, {}, "hash"],
  ["a wrong second hash", BODY, { sha1: hashOf(OTHER, "sha1") }, "hash"],
  ["a shorter file", noise(10), { bytes: 11 }, "short"],
  ["a longer file", noise(12), { bytes: 11 }, "too-large"],
  ["no file", null, {}, "io"],
];

for (const [name, content, artifact, want] of VERIFY) {
  test(`verifyFile() looks at ${name}`, () =>
    withFolder(async (folder) => {
      const path = join(folder, "given.zip");
      if (content !== null) writeFileSync(path, content);
      const result = await verifyFile(path, { ...pin, ...artifact }, runtime);
      assert.equal(result.ok ? result.value.bytes : result.error.code, want);
      if (!result.ok) assert.match(result.error.message, /Cannot use .*given\.zip as Tool 1\.0: /);
      assert.equal(existsSync(path), content !== null);
    }));
}
