import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { extname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import type { Files } from "../../lib/ports/files.ts";
import { createDevice } from "../support/device-under-test.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { deltaOf, hashOf, openPhone, startContentServer } from "./content-world.ts";

const SCRIPT = fileURLToPath(import.meta.resolve("../support/device-process.ts"));
const noNetwork = () => Promise.reject(new Error("no network"));

/** Runs a part of an app in a process of its own, on the runtime that runs this test. */
function start(root: string, part: string): ChildProcess {
  const isDeno = "Deno" in globalThis;
  const script = isDeno ? SCRIPT : SCRIPT.replace(extname(SCRIPT), ".js");
  const flags = isDeno ? ["run", "-A", "--no-check"] : [];
  return spawn(process.execPath, [...flags, script, root, part], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

// DEV-25
test("processes that share a root lose no record", () =>
  withFolder(async (root) => {
    const parts = ["one", "two", "three"];
    const v1 = Object.fromEntries(parts.map((part) => [part, "v1"]));
    const counts = Object.fromEntries(parts.map((part) => [part, 1]));
    writeTree(root, { "state.json": JSON.stringify({ active: v1 }) });
    for (const part of parts) {
      writeTree(root, { [`${part}/v1/index.html`]: part, [`.complete/${part}@v1.json`]: "{}" });
    }
    const ended = await Promise.all(parts.map((part) => once(start(root, part), "exit")));
    assert.deepEqual(ended.map(([code]) => code), [0, 0, 0]);
    const runtime = await loadRuntime();
    const device = createDevice({ ...runtime, fetch: noNetwork, root });
    const { state, sequence, rejected } = await device.getState({});
    assert.deepEqual(state, {
      active: v1,
      pending: v1,
      bootAttempts: counts,
      confirmedBoots: counts,
      rejected: Object.fromEntries(parts.map((part) => [part, ["v1"]])),
      lastSeenBinaryVersion: "1",
    });
    assert.deepEqual(sequence, Object.fromEntries(parts.map((part) => [`${part}/production`, 15])));
    assert.deepEqual(rejected, state?.rejected);
    assert.ok(!existsSync(join(root, ".lock")));
  }));

// DEV-25
test("a process that was killed while it held the lock holds up no launch", () =>
  withFolder(async (root) => {
    const killed = start(root, "holds the lock");
    assert.ok(killed.stdout);
    await once(killed.stdout, "data");
    assert.ok(existsSync(join(root, ".lock")));
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const runtime = await loadRuntime();
    const waits: number[] = [];
    const clock = {
      ...runtime.clock,
      sleep: (ms: number, signal?: AbortSignal) => {
        waits.push(ms);
        return runtime.clock.sleep(ms, signal);
      },
    };
    const device = createDevice({ ...runtime, clock, fetch: noNetwork, root });
    const { token } = await device.launch({ name: "shell" });
    assert.ok(waits.length <= 1, `${waits.length} waits`);
    assert.ok(existsSync(join(root, "launch.json")), "it is recorded");
    await device.confirmBoot({ name: "shell", token });
    assert.ok(!existsSync(join(root, ".lock")));
  }));

// DEV-25, BOOT-10
test("a launch waits two seconds for a living process, then goes on without recording", () =>
  withFolder(async (root) => {
    const runtime = await loadRuntime();
    const token = `1-0-${crypto.randomUUID()}`;
    writeTree(root, { ".lock": token });
    let now = 0;
    const clock = {
      now: () => 0,
      monotonic: () => now,
      sleep: (ms: number) => Promise.resolve(void (now += ms)),
    };
    const device = createDevice({
      ...runtime,
      clock,
      isAlive: () => true,
      fetch: noNetwork,
      root,
    });
    await device.launch({ name: "shell" });
    assert.ok(now >= 2_000 && now < 2_100, `${now} ms`);
    assert.ok(!existsSync(join(root, "launch.json")));
    await device.acceptSequence({ app: "a", channel: "c", sequence: 1 });
    assert.ok(now > 7_000, "it was silent for five seconds");
    assert.deepEqual((await device.getState({})).sequence, { "a/c": 1 });
  }));

// DEV-25, DEV-39
test("a sweep leaves what another process puts together, and what a dead one left for seven days", () =>
  withFolder(async (root) => {
    const runtime = await loadRuntime();
    const id = "0123456789abcdef01234567";
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
    const [today, week] = [23, 7 * 24 + 1]; // another process has its id by then
    const folders = [
      ["v2.7-", 0],
      ["v3.7-", today],
      ["v4.7-", week],
      ["v2.8-", today],
      ["v3.8-", week],
      ["v2.", today],
      ["v3.", week],
    ] as const;
    for (const [name, hours] of folders) {
      const folder = join(root, `.staging/shell@${name}${id}`);
      mkdirSync(folder, { recursive: true });
      utimesSync(folder, hoursAgo(hours), hoursAgo(hours));
    }
    const device = createDevice({
      ...runtime,
      host: { pid: 9 },
      isAlive: (pid) => pid !== 8,
      fetch: noNetwork,
      root,
    });
    const { token } = await device.launch({ name: "shell" });
    await device.confirmBoot({ name: "shell", token });
    for (const [name, hours] of folders) {
      assert.equal(existsSync(join(root, `.staging/shell@${name}${id}`)), hours < week, name);
    }
  }));

// DEV-25
test("a record is not written by a process that another took the lock from", () =>
  withFolder(async (root) => {
    const runtime = await loadRuntime();
    const other = `7-0-${crypto.randomUUID()}`;
    const files = {
      ...runtime.files,
      read(path: string, maxBytes: number) {
        if (path.endsWith("/guard.json")) writeTree(root, { ".lock": other }); // it was taken for dead
        return runtime.files.read(path, maxBytes);
      },
    };
    const device = createDevice({ ...runtime, files, fetch: noNetwork, root });
    const asked = device.acceptSequence({ app: "a", channel: "c", sequence: 1 });
    await assert.rejects(asked, { code: "io", message: /is being changed by another process/ });
    assert.deepEqual(readdirSync(root), [".lock"]);
    assert.equal(readFileSync(join(root, ".lock"), "utf8"), other, "another's lock is left alone");
  }));

// DEV-25
test("a lock that another process is just writing is waited for, and not taken away", () =>
  withFolder(async (root) => {
    const runtime = await loadRuntime();
    const lock = join(root, ".lock");
    const found: boolean[] = [];
    const clock = {
      ...runtime.clock,
      sleep(ms: number, signal?: AbortSignal) {
        found.push(existsSync(lock));
        rmSync(lock, { force: true }); // it gives the lock back
        return runtime.clock.sleep(ms, signal);
      },
    };
    writeTree(root, { ".lock": "" });
    const device = createDevice({ ...runtime, clock, fetch: noNetwork, root });
    await device.acceptSequence({ app: "a", channel: "c", sequence: 1 });
    assert.deepEqual(found, [true]);
  }));

// DEV-25
test("a dead owner's lock that another took over meanwhile is not taken away", () =>
  withFolder(async (root) => {
    const runtime = await loadRuntime();
    const [dead, living] = [8, 7].map((pid) => `${pid}-0-${crypto.randomUUID()}`);
    const removed: string[] = [];
    const files: Files = {
      ...runtime.files,
      write(path, body, options) {
        if (path.endsWith(`/.lock.${dead}`)) writeTree(root, { ".lock": living ?? "" });
        return runtime.files.write(path, body, options);
      },
      remove(path) {
        if (path.endsWith("/.lock")) removed.push(readFileSync(path, "utf8"));
        return runtime.files.remove(path);
      },
    };
    const clock = {
      ...runtime.clock,
      sleep(ms: number, signal?: AbortSignal) {
        if (existsSync(join(root, ".lock"))) rmSync(join(root, ".lock")); // it gives the lock back
        return runtime.clock.sleep(ms, signal);
      },
    };
    writeTree(root, { ".lock": dead ?? "" });
    const isAlive = (pid: number) => pid !== 8;
    const device = createDevice({ ...runtime, files, clock, isAlive, fetch: noNetwork, root });
    await device.acceptSequence({ app: "a", channel: "c", sequence: 1 });
    assert.ok(!removed.includes(living ?? ""), "only its own lock is given back");
    assert.deepEqual(readdirSync(root), ["guard.json"]);
  }));

// DEV-25
test("a staging that loses its contents to another process, which staged the same version, has it", () =>
  withFolder(async (folder) => {
    const contents = { "index.html": encodeUtf8("<!doctype html>"), "a.bin": encodeUtf8("a") };
    const server = await startContentServer(contents);
    const { root, embedded } = await openPhone(folder);
    const runtime = await loadRuntime();
    writeTree(embedded, {});
    const request = deltaOf("v2", contents, server.origin);
    const deviceOf = (fetch: typeof runtime.fetch) =>
      createDevice({ ...runtime, fetch, root, embedded });
    let staged: unknown;
    const slow = deviceOf(async (url, init) => {
      if (String(url).endsWith(hashOf(contents["a.bin"]))) {
        const other = deviceOf(runtime.fetch);
        staged = await other.stageUpdateDelta(request);
      }
      return await runtime.fetch(url, init);
    });
    assert.deepEqual(await slow.stageUpdateDelta(request), { ok: true });
    assert.deepEqual(staged, { ok: true });
    assert.deepEqual((await slow.getState({})).staged, { shell: ["v2"] });
    for (const left of [".partial", ".staging"]) {
      assert.deepEqual(readdirSync(join(root, left)), []);
    }
    await server.close();
  }));
