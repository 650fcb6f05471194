import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createDevice } from "../support/device-under-test.ts";
import { serializeManifest } from "../../lib/ota-format/manifest.ts";
import type { OtaProgress, StageUpdateDeltaRequest } from "../../lib/ota-format/native.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import type { Files } from "../../lib/ports/files.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { cpuSecondsOf } from "../support/cpu-time.ts";
import { createPowerCutFiles } from "../support/power-cut-files.ts";

// What a staging costs grows with its files, and no faster: counted in calls of the file system and
// in events, measured in processor time alone.

const ROOT = "/data/ota";
const EMBEDDED = "/binary";
const TEXT = "0123456789".repeat(8);

/** A bundle of so many files on a disk in memory, and a delta that copies all of them. */
async function openBundle(count: number) {
  const { hashing } = await loadRuntime();
  const { files } = createPowerCutFiles();
  const contents: Record<string, { hash: string; size: number }> = {};
  for (const folder of ["/data", EMBEDDED]) await files.makeDirectory(folder);
  for (let i = 0; i < count; i++) {
    const folder = `art/${i % Math.ceil(count / 50)}`; // folders stay small, as people keep them
    const bytes = Buffer.from(`${i} ${TEXT}`);
    await files.makeDirectory(`${EMBEDDED}/${folder}`);
    await files.write(`${EMBEDDED}/${folder}/${i}.txt`, bytes);
    const hash = createHash("sha256").update(bytes).digest("hex");
    contents[`${folder}/${i}.txt`] = { hash, size: bytes.length };
  }
  const calls = new Map<string, number>();
  const request: StageUpdateDeltaRequest = {
    name: "shell",
    version: "v1",
    manifest: serializeManifest({
      schema: 1,
      name: "shell",
      version: "v1",
      engineApi: 1,
      files: contents,
    }),
    base: "embedded",
    copy: Object.keys(contents).map((path) => ({ from: path, path })),
    download: [],
  };
  let now = 0;
  const clock: Clock = { now: () => 0, monotonic: () => now++, sleep: () => Promise.resolve() };
  const device = createDevice({
    files: counted(files, calls),
    hashing,
    clock, // a millisecond passes whenever somebody looks
    fetch: () => Promise.reject(new Error("nothing is fetched")),
    root: ROOT,
    embedded: EMBEDDED,
  });
  const events: OtaProgress[] = [];
  await device.addListener("otaProgress", (event) => events.push(event));
  return { device, request, calls, events, files };
}

function counted(files: Files, calls: Map<string, number>): Files {
  const wrapped: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(files)) {
    wrapped[name] = (...all: unknown[]) => {
      calls.set(name, (calls.get(name) ?? 0) + 1);
      // No power is cut here, and what this disk has to remember for that grows with its square.
      return name === "sync" ? Promise.resolve() : Reflect.apply(call, files, all);
    };
  }
  return { ...files, ...wrapped };
}

test("staging opens each file once, and each of its base", async () => {
  const { device, request, calls } = await openBundle(200);
  assert.deepEqual(await device.stageUpdateDelta(request), { ok: true });
  const written = calls.get("write") ?? 0;
  assert.ok(written >= 200 && written < 210, `${written}: the lock is written too`);
  assert.equal(calls.get("copy") ?? 0, 0);
  assert.equal(calls.get("openRead") ?? 0, 0);
  const read = calls.get("read") ?? 0;
  assert.ok(read >= 200 && read < 210, `${read}: the records are read too`);
  const synced = calls.get("sync") ?? 0;
  assert.ok(synced < 20, `${synced}: a file is synced as it is written`);
});

test("progress is told at most once in 200 ms, and when all is in place (DEV-16)", async () => {
  const { device, request, events } = await openBundle(1050);
  assert.deepEqual(await device.stageUpdateDelta(request), { ok: true });
  assert.equal(events.length, 7, "at 1, 201, …, 1001 and 1050 files");
  for (const [i, event] of events.entries()) {
    const before = events[i - 1];
    assert.ok(before === undefined || event.filesDone > before.filesDone);
  }
  assert.deepEqual(events.at(-1), {
    name: "shell",
    version: "v1",
    bytesDone: 0,
    bytesTotal: 0,
    filesDone: 1050,
    filesTotal: 1050,
  });
});

test("staging, and finding it staged, takes processor time in step with its files", async () => {
  const seconds = async (count: number) => {
    const { device, request } = await openBundle(count);
    return [
      await cpuSecondsOf(() => device.stageUpdateDelta(request)),
      await cpuSecondsOf(() => device.stageUpdateDelta(request)),
    ] as const;
  };
  await seconds(200); // the engine compiles
  const less = await seconds(1000);
  const more = await seconds(4000);
  for (const [i, of] of ["staging", "finding it staged"].entries()) {
    const ratio = (more[i] ?? NaN) / (less[i] ?? NaN);
    assert.ok(ratio < 8, `${of}: ${ratio.toFixed(1)} times for 4 times the files; squared is 16`);
  }
});

for (const at of [0, 150, 299]) {
  test(`a staged version whose file ${at} of 300 is damaged is staged again (DEV-7)`, async () => {
    const { device, request, files } = await openBundle(300);
    assert.deepEqual(await device.stageUpdateDelta(request), { ok: true });
    const path = `${ROOT}/shell/v1/${request.copy[at]?.path}`;
    const right = await files.read(path, 1000);
    await files.write(path, new Uint8Array(right?.length ?? 0));
    assert.deepEqual(await device.stageUpdateDelta(request), { ok: true });
    assert.deepEqual(await files.read(path, 1000), right);
  });
}
