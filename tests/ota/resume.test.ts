import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createDevice } from "../support/device-under-test.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { scriptCommand } from "../support/script.ts";
import {
  type Contents,
  deltaOf,
  openPhone,
  sizeOf,
  startContentServer,
  until,
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
        await until(() => phone.lying() > before + allowed - lost);
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
      const told: number[] = [];
      await device.addListener("otaProgress", ({ bytesDone }) => told.push(bytesDone));
      assert.deepEqual(await device.stageUpdateDelta(deltaOf("v2", next, server.origin)), {
        ok: true,
      });
      phone.assertStaged("v2", next);
      assert.equal(server.sent() - before, sizeOf(next) - lying, "no byte twice");
      assert.equal(told.at(-1), sizeOf(next), "what lay there counts as done");
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
      await until(() => phone.lying() > 200 * KIB);
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
