import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import { createDevice } from "../support/device-under-test.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { takeDiskTurns } from "../support/disk-turns.ts";
import { withFolder } from "../support/folder.ts";
import { buildZip, type HostileEntry } from "../support/hostile-zips.ts";
import { scriptCommand } from "../support/script.ts";
import { until } from "../support/until.ts";
import {
  type Contents,
  deltaOf,
  hashOf,
  openPhone,
  sizeOf,
  startContentServer,
} from "./content-world.ts";

// Stagings that end before their end, and the next one, which may be of another version: what was
// fetched is not fetched again.

const MB = 1024 * 1024;
const KIB = 1024;

test("four kills at two thirds fetch a version once, and the last pieces again (DEV-20, DEV-21)", () =>
  withFolder(async (folder) => {
    const small = Array.from({ length: 10 }, (_, i) => [`data/${i}.bin`, randomBytes(100 * KIB)]);
    const contents: Contents = { "art.bin": randomBytes(2 * MB), ...Object.fromEntries(small) };
    const size = sizeOf(contents);
    const lost = (256 + 100) * KIB; // what is held back of one content, and a small one that was cut
    const server = await startContentServer(contents);
    try {
      const phone = await openPhone(folder);
      const request = join(folder, "request.json");
      writeFileSync(request, JSON.stringify(deltaOf("v1", contents, server.origin)));
      const start = (): { child: ChildProcess; printed: Promise<string> } => {
        const [command, words] = scriptCommand("../tests/ota/phone-process", [
          phone.root,
          phone.embedded,
          request,
        ]);
        const child = spawn(command, words, { stdio: ["ignore", "pipe", "inherit"] });
        const printed = new Promise<string>((resolve) => {
          let text = "";
          child.stdout?.on("data", (chunk) => text += chunk);
          child.on("close", () => resolve(text));
        });
        return { child, printed };
      };
      for (let kill = 0; kill < 4; kill++) {
        const before = phone.lying();
        const allowed = Math.floor((size - before) * 2 / 3);
        server.allow(allowed);
        const { child, printed } = start();
        await until(
          "the allowed bytes are on the disk",
          () => phone.lying() > before + allowed - lost,
        );
        child.kill("SIGKILL");
        assert.equal(await printed, "");
      }
      server.allow(Infinity);
      assert.deepEqual(JSON.parse(await start().printed), { ok: true });
      phone.assertStaged("v1", contents);
      const most = size + 4 * lost;
      assert.ok(server.sent() < most, `${server.sent()} of ${size}, expected less than ${most}`);
    } finally {
      await server.close();
    }
  }));

test("what a staging fetched before it failed serves the next one, of another version (DEV-21)", () =>
  withFolder(async (folder) => {
    const kept = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [`${i}.bin`, randomBytes(300 * KIB)]),
    );
    const missing = { "missing.bin": randomBytes(10) };
    const server = await startContentServer({ ...kept, "new.bin": new Uint8Array(7) });
    try {
      const phone = await openPhone(folder);
      const device = phone.device();
      const failed = await device.stageUpdateDelta(
        deltaOf("v1", { ...kept, ...missing }, server.origin),
      );
      assert.ok(!failed.ok && failed.code === "missing", JSON.stringify(failed));
      assert.deepEqual(readdirSync(join(phone.root, ".staging")), []);
      const lying = phone.lying();
      assert.ok(lying >= 3 * 300 * KIB, `${lying}: the ninth of six at once begins after three`);
      const before = server.sent();
      const next = { ...kept, "new.bin": new Uint8Array(7) };
      const reported: number[] = [];
      await device.addListener("otaProgress", ({ bytesDone }) => reported.push(bytesDone));
      assert.deepEqual(await device.stageUpdateDelta(deltaOf("v2", next, server.origin)), {
        ok: true,
      });
      phone.assertStaged("v2", next);
      assert.equal(server.sent() - before, sizeOf(next) - lying, "no byte twice");
      assert.equal(reported.at(-1), sizeOf(next), "what lay there counts as done");
    } finally {
      await server.close();
    }
  }));

test("two paths of one content are fetched once (DEV-21)", () =>
  withFolder(async (folder) => {
    for (const size of [100, 600 * KIB]) {
      const bytes = randomBytes(size);
      const contents = { "a.bin": bytes, "b/c.bin": bytes, "b/d.bin": bytes };
      const server = await startContentServer(contents);
      try {
        const phone = await openPhone(join(folder, `${size}`));
        const request = deltaOf("v1", contents, server.origin);
        assert.deepEqual(await phone.device().stageUpdateDelta(request), { ok: true });
        phone.assertStaged("v1", contents);
        assert.equal(server.asked.length, 1);
      } finally {
        await server.close();
      }
    }
  }));

test("room is asked for less what lies in .partial", () =>
  withFolder(async (folder) => {
    const contents = { "a.bin": randomBytes(600 * KIB), "b.bin": randomBytes(10) };
    const server = await startContentServer(contents);
    try {
      const phone = await openPhone(folder);
      const cancelled = new AbortController();
      server.allow(500 * KIB);
      const request = deltaOf("v1", contents, server.origin);
      const staging = phone.device(cancelled.signal).stageUpdateDelta(request);
      await until("200 KiB are on the disk", () => phone.lying() > 200 * KIB);
      cancelled.abort();
      const ended = await staging;
      assert.ok(!ended.ok && ended.code === "cancelled");
      server.allow(Infinity);
      const needed = sizeOf(contents) - phone.lying();
      const { files, ...runtime } = await loadRuntime();
      for (const [free, ok] of [[needed - 1, false], [needed, true]] as const) {
        const device = createDevice({
          ...runtime,
          files: { ...files, freeSpace: () => Promise.resolve(free) },
          root: phone.root,
          embedded: phone.embedded,
        });
        const answer = await device.stageUpdateDelta(request);
        assert.equal(answer.ok, ok, JSON.stringify(answer));
      }
      phone.assertStaged("v1", contents);
    } finally {
      await server.close();
    }
  }));

test("a content to which another process added bytes is begun anew", () =>
  withFolder(async (folder) => {
    const contents = { "a.bin": randomBytes(400 * KIB) };
    const server = await startContentServer(contents);
    try {
      const phone = await openPhone(folder);
      server.allow(300 * KIB);
      const request = deltaOf("v1", contents, server.origin);
      const { root, embedded } = phone;
      const device = createDevice({ ...await loadRuntime(), root, embedded, stallMs: 1_000 });
      const staging = device.stageUpdateDelta(request);
      await until("256 KiB are on the disk", () => phone.lying() >= 256 * KIB);
      for (const name of readdirSync(join(root, ".partial"))) {
        appendFileSync(join(root, ".partial", name), "another's");
      }
      server.allow(Infinity);
      assert.deepEqual(await staging, { ok: true });
      phone.assertStaged("v1", contents);
      assert.equal(server.asked.at(-1)?.headers["range"], undefined, "from its first byte");
    } finally {
      await server.close();
    }
  }));

/** A whole bundle: after its second file, a device keeps its rest alone (DEV-31). */
function bundleOf(last: Partial<HostileEntry> = {}, first: Contents = {}) {
  const contents: Contents = {
    ...first,
    "a.txt": randomBytes(10),
    "big.bin": randomBytes(5 * MB),
    "z.bin": randomBytes(100 * KIB),
  };
  const entries = Object.entries(contents).map(([name, body]): HostileEntry => ({
    name,
    body,
    method: 0,
    ...(name === "z.bin" && last),
  }));
  const zip = buildZip({ entries });
  const { manifest } = deltaOf("v1", contents, "");
  const bundleZip = { hash: hashOf(zip), size: zip.length };
  const text = serializeManifest({ ...JSON.parse(manifest), bundleZip });
  return {
    contents,
    zip,
    requestOf: (origin: string) => ({
      name: "shell",
      version: "v1",
      manifest: text,
      zipUrl: `${origin}/${bundleZip.hash}`,
    }),
  };
}

// What was kept of it begins behind its first bytes.
test("an archive that cannot be read as it comes in is fetched from its first byte (DEV-30)", () =>
  withFolder(async (folder) => {
    const { contents, zip, requestOf } = bundleOf({ descriptor: true });
    const server = await startContentServer({ zip });
    try {
      const phone = await openPhone(folder);
      assert.deepEqual(await phone.device().stageUpdate(requestOf(server.origin)), { ok: true });
      phone.assertStaged("v1", contents);
      // First it is tried again after its verified files, as every refused archive is (DEV-73).
      const end = 30 + "a.txt".length + 10 + 30 + "big.bin".length + 5 * MB;
      const ranges = server.asked.map(({ headers }) => headers["range"]);
      assert.deepEqual(ranges, [undefined, `bytes=${end}-`, undefined]);
    } finally {
      await server.close();
    }
  }));

test("an archive with an empty file is continued from its tail (DEV-31)", () =>
  withFolder(async (folder) => {
    const { contents, zip, requestOf } = bundleOf({}, { "empty.txt": new Uint8Array() });
    const server = await startContentServer({ zip });
    try {
      const phone = await openPhone(folder);
      const partial = join(phone.root, ".partial");
      const cancelled = new AbortController();
      server.allow(zip.length - 20 * KIB);
      const staging = phone.device(cancelled.signal).stageUpdate(requestOf(server.origin));
      await until(
        "its tail is on the disk",
        () =>
          existsSync(partial) && readdirSync(partial).some((name) => name.split(".").length === 4),
      );
      cancelled.abort();
      assert.equal((await staging).ok, false);
      server.allow(Infinity);
      assert.deepEqual(await phone.device().stageUpdate(requestOf(server.origin)), { ok: true });
      phone.assertStaged("v1", contents);
      const ranges = server.asked.map(({ headers }) => headers["range"] ?? "");
      assert.equal(ranges.length, 2, ranges.join());
      assert.match(ranges[1] ?? "", /^bytes=[0-9]{7}-$/);
    } finally {
      await server.close();
    }
  }));

test("what is kept of an archive on its way goes when its files are on the disk (DEV-31)", () =>
  withFolder(async (folder) => {
    const { contents, zip, requestOf } = bundleOf();
    const server = await startContentServer({ zip });
    try {
      const { root, embedded } = await openPhone(folder);
      const { files, ...runtime } = await loadRuntime();
      const [small = "", large = ""] = Object.values(contents).map(hashOf);
      const done: string[] = [];
      let tellWritten = (): void => undefined;
      const largeWritten = new Promise<void>((resolve) => tellWritten = resolve);
      const write: typeof files.write = async (path, body, how) => {
        if (path.includes(small)) {
          await largeWritten;
          // A device that does not wait replaces the tail now.
          await takeDiskTurns(files, join(folder, "turns"), { sync: true });
        }
        const written = await files.write(path, body, how);
        done.push(path.slice(root.length));
        if (path.includes(large)) tellWritten();
        return written;
      };
      const device = createDevice({ ...runtime, files: { ...files, write }, root, embedded });
      assert.deepEqual(await device.stageUpdate(requestOf(server.origin)), { ok: true });
      const next = done.findIndex((path) => path.startsWith(`/.partial/${hashOf(zip)}.`));
      assert.ok(next > 0, "the tail was replaced");
      assert.ok(done.slice(0, next).some((path) => path.includes(small)), done.join("\n"));
    } finally {
      await server.close();
    }
  }));
