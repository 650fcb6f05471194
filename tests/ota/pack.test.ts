import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { Uint8ArrayReader, ZipReader } from "@zip.js/zip.js";
import { viewOf } from "../../lib/core/bytes.ts";
import { sha256Hex } from "../../lib/core/sha256.ts";
import { scanFolder } from "../../lib/ota-publish/scan.ts";
import { packZip } from "../../lib/ota-publish/pack.ts";
import { streamOf } from "../../lib/archive/mod.ts";
import { bundleFiles } from "../../lib/ota-device/bundle-zip.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { UNZIP, ZIP } from "../support/archives.ts";
import { takeDiskTurns } from "../support/disk-turns.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { findProgram } from "../support/needs.ts";
import type { Tree } from "../support/ota-world.ts";

const runtime = await loadRuntime();

/** Files of each way that a packer treats one: empty, small, streamed, stored, and odd names. */
const GAME: Tree = {
  "a.txt": "a".repeat(100_000),
  "d/b.bin": new Uint8Array(70_000).fill(7),
  "empty": "",
  "large.js": "for (const ship of harbor.ships) ship.sail();\n".repeat(60_000),
  "large.ogg": crypto.getRandomValues(new Uint8Array(60_000)),
  "noise": crypto.getRandomValues(new Uint8Array(5_000)),
  "Übergröße/日本 %20.json": "{}",
};

async function refOf(bytes: Uint8Array<ArrayBuffer>) {
  return { hash: await sha256Hex(bytes), size: bytes.length };
}

/** Writes and hashes a folder. */
async function scan(folder: string, tree: Tree) {
  const dist = join(folder, "dist");
  writeTree(dist, tree);
  const crc32s = new Map<string, number>();
  const crc32 = { of: runtime.deflating.crc32, found: crc32s };
  const scanned = await scanFolder({ ...runtime, crc32s: crc32 }, dist);
  assert.ok(scanned.ok);
  const workFolder = join(folder, "work");
  mkdirSync(workFolder, { recursive: true });
  return {
    dependencies: { ...runtime, workFolder },
    request: { folder: dist, files: scanned.value, crc32s, target: join(folder, "1.zip") },
    workFolder,
  };
}

test("packZip() gives the same bytes again, and holds every file", () =>
  withFolder(async (folder) => {
    const { dependencies, request, workFolder } = await scan(folder, GAME);
    const first = await packZip(dependencies, request);
    assert.deepEqual(
      await packZip(dependencies, { ...request, target: join(folder, "2.zip") }),
      first,
    );
    assert.deepEqual(await refOf(readFileSync(request.target)), first);
    const found: string[] = [];
    const zip = { files: runtime.files, path: request.target, size: first.size };
    for await (const file of bundleFiles(zip)) {
      const bytes = await new Response(streamOf(file.open())).arrayBuffer();
      assert.deepEqual(await refOf(new Uint8Array(bytes)), request.files[file.name]);
      found.push(file.name);
    }
    assert.deepEqual(found, Object.keys(request.files));
    assert.deepEqual(readdirSync(workFolder), [], "what was deflated aside is gone");
  }));

test("packZip() fails when what was deflated aside is changed before its turn", () =>
  withFolder(async (folder) => {
    const { dependencies, request, workFolder } = await scan(folder, GAME);
    const files: Files = {
      ...runtime.files,
      openRead(path, signal) {
        if (path.startsWith(workFolder)) writeFileSync(path, readFileSync(path).fill(0));
        return runtime.files.openRead(path, signal);
      },
      readChunks(path, signal) {
        if (path.startsWith(workFolder)) writeFileSync(path, readFileSync(path).fill(0));
        return runtime.files.readChunks(path, signal);
      },
      read(path, maxBytes, signal) {
        if (path.startsWith(workFolder)) writeFileSync(path, readFileSync(path).fill(0));
        return runtime.files.read(path, maxBytes, signal);
      },
    };
    await assert.rejects(packZip({ ...dependencies, files }, request), /was changed while/);
  }));

// PUB-25
test("packZip() tells sizes and CRC before the bytes, so that a phone can unpack what arrives", () =>
  withFolder(async (folder) => {
    const { dependencies, request } = await scan(folder, GAME);
    await packZip(dependencies, request);
    const view = viewOf(readFileSync(request.target));
    let at = 0;
    for (const [path, { hash, size }] of Object.entries(request.files)) {
      assert.equal(view.getUint32(at, true), 0x04034b50, path);
      assert.equal(view.getUint16(at + 6, true) & 0x0008, 0, "no data descriptor");
      assert.equal(view.getUint32(at + 14, true), request.crc32s.get(hash));
      assert.equal(view.getUint32(at + 22, true), size);
      const packedSize = view.getUint32(at + 18, true);
      assert.ok(packedSize <= size, "what deflate makes longer is stored");
      at += 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true) + packedSize;
    }
    assert.equal(view.getUint32(at, true), 0x02014b50, "then the directory");
  }));

test("packZip() stores a large file that grows by deflating, though a sample of it shrinks", () =>
  withFolder(async (folder) => {
    const noise = new Uint8Array(8 * 1024 * 1024);
    for (let at = 0; at < noise.length; at += 0x1_0000) {
      crypto.getRandomValues(noise.subarray(at, at + 0x1_0000));
    }
    noise.fill(0, 0, 1_600); // 2 % of the first sample, and less than what deflate adds
    const { dependencies, request, workFolder } = await scan(folder, { "noise": noise });
    await packZip(dependencies, request);
    const view = viewOf(readFileSync(request.target));
    assert.deepEqual([view.getUint16(8, true), view.getUint32(18, true)], [0, noise.length]);
    assert.deepEqual(readdirSync(workFolder), []);
  }));

const ZIPINFO = { ...UNZIP, name: "zipinfo", asks: [] };
/** A version manager has a python3 on PATH before it has one that starts. */
const PYTHON = {
  name: "python3",
  asks: ["-c", "import sys, zipfile, zlib; print(sys.version)"],
  answers: /^3\./,
  from: "Python 3 with its standard library (Debian's package python3)",
};
const { skip: unzip } = findProgram(UNZIP);

for (
  const [program, skip, args, expected] of [
    ["unzip", unzip, (zip: string) => ["-t", zip], /No errors detected/],
    ["zipinfo", findProgram(ZIPINFO).skip, (zip: string) => ["-h", zip], /number of entries: 7/],
    // It has unzip test what it was given.
    ["zip", findProgram(ZIP).skip || unzip, (zip: string) => ["-T", zip], /test of .* OK/],
    [
      "python3",
      findProgram(PYTHON).skip,
      (zip: string) => [
        "-c",
        "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), z.namelist())",
        zip,
      ],
      /^None .*'Übergröße\/日本 %20\.json'/,
    ],
  ] as const
) {
  test(
    `packZip() makes what ${program} takes`,
    { skip },
    () =>
      withFolder(async (folder) => {
        const { dependencies, request } = await scan(folder, GAME);
        await packZip(dependencies, request);
        const ran = spawnSync(program, args(request.target), {
          encoding: "utf8",
          env: { ...process.env, LC_ALL: "C.UTF-8", PYTHONIOENCODING: "utf-8" },
        });
        assert.equal(ran.status, 0, ran.stderr);
        assert.match(ran.stdout, expected);
      }),
  );
}

for (const path of ["a.txt", "large.js", "large.ogg"]) {
  test(`packZip() refuses ${path} when it is no longer what was hashed, and leaves no zip`, () =>
    withFolder(async (folder) => {
      const { dependencies, request } = await scan(folder, GAME);
      const at = join(request.folder, path);
      const bytes = readFileSync(at);
      for (
        const changed of [
          bytes.map((byte, i) => i === 50_000 ? byte ^ 1 : byte),
          bytes.subarray(1),
          Buffer.concat([bytes, bytes]),
        ]
      ) {
        writeFileSync(at, changed);
        await assert.rejects(packZip(dependencies, request), /was changed while it was published/);
        assert.ok(!existsSync(request.target));
      }
    }));
}

test("packZip() that is given up while it reads fails once, and nowhere else", () =>
  withFolder(async (folder) => {
    const { dependencies, request } = await scan(folder, GAME);
    const abort = new AbortController();
    const slow = {
      ...runtime.files,
      readChunks: async () => {
        abort.abort(new Error("given up"));
        await takeDiskTurns(runtime.files, join(folder, "turns")); // the writer fails first
        throw new Error("read too late");
      },
    };
    const packing = packZip({ ...dependencies, files: slow, signal: abort.signal }, request);
    await assert.rejects(packing, /read too late|given up/);
    assert.ok(!existsSync(request.target));
  }));

test("packZip() stores what is compressed already, and deflates the rest", () =>
  withFolder(async (folder) => {
    const bytes = new Uint8Array(10_000);
    const { dependencies, request } = await scan(folder, {
      "a.PNG": bytes,
      "b.json": bytes,
      "c.ogg": bytes,
      "png": bytes,
    });
    await packZip(dependencies, request);
    const packed = readFileSync(request.target);
    const zip = new ZipReader(new Uint8ArrayReader(packed), { useWebWorkers: false });
    const methods = (await zip.getEntries()).map((e) => [e.filename, e.compressedSize < 1_000]);
    await zip.close();
    assert.deepEqual(methods, [["a.PNG", false], ["b.json", true], ["c.ogg", false], [
      "png",
      true,
    ]]);
  }));
