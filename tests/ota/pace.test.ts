import assert from "node:assert/strict";
import { test } from "node:test";
import { createAppUpdater, type OtaGateState } from "../../lib/ota-client/app-updater.ts";
import { whileAwake } from "../../lib/ota-client/bounded.ts";
import { checkForUpdate } from "../../lib/ota-client/check.ts";
import type { CheckResult } from "../../lib/ota-client/result.ts";
import type { NativeUpdater, OtaProgress } from "../../lib/ota-format/native.ts";
import { createPhoneClock, type PhoneClock } from "../support/phone-clock.ts";
import {
  createFakeNative,
  createWorld,
  type FakeNativeOptions,
  manifestOf,
  type World,
} from "../support/release-world.ts";

// How long a phone waits for what comes slowly, by the seconds of a clock that the test moves.

const MIB = 1024 * 1024;

/** A network is asleep with its phone: what takes ten seconds takes ten that are awake. */
async function awakeFor(clock: PhoneClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) await clock.sleep(1000);
}

/** A plugin whose staging ends when `bytesTotal` came, so many in each period; and when it begins. */
function stagingAt(
  clock: PhoneClock,
  rate: { bytes: number; seconds: number; bytesTotal: number },
  device: FakeNativeOptions,
) {
  const listeners = new Set<(progress: OtaProgress) => void>();
  const fake = createFakeNative(device);
  let begin = () => {};
  const begun = new Promise<void>((resolve) => begin = resolve);
  const native: NativeUpdater = {
    ...fake,
    addListener: (_event, listener) => {
      listeners.add(listener);
      return Promise.resolve({ remove: () => Promise.resolve() });
    },
    async stageUpdate(request) {
      const { bytesTotal } = rate;
      const tell = (bytesDone: number) => {
        for (const listener of listeners) {
          listener({
            name: "shell",
            version: "v2",
            bytesDone,
            bytesTotal,
            filesDone: 0,
            filesTotal: 1,
          });
        }
      };
      tell(0);
      begin();
      for (let done = 0; done < bytesTotal;) {
        await awakeFor(clock, rate.seconds);
        tell(done = Math.min(done + rate.bytes, bytesTotal));
      }
      return await fake.stageUpdate(request);
    },
  };
  return { native, begun, calls: fake.calls };
}

/** An update of that plugin, under way: a mandatory one, unless another is waiting. */
async function hold(
  clock: PhoneClock,
  rate: Parameters<typeof stagingAt>[1],
  { holdMs, device = {} }: { holdMs?: number | undefined; device?: FakeNativeOptions } = {},
) {
  const world = await createWorld();
  await world.release({ mandatory: device.pending === undefined });
  const { native, begun, calls } = stagingAt(clock, rate, device);
  const results: CheckResult[] = [];
  const updater = createAppUpdater({
    ota: { enabled: true, ...world.connection },
    fetch: world.fetch,
    loadNative: () => Promise.resolve(native),
    onResult: (result) => results.push(result),
    clock,
    holdMs,
  });
  const states: OtaGateState[] = [];
  updater.gate.subscribe((state) => states.push(state));
  const answers: boolean[] = [];
  const answer = updater.checkAppOtaUpdate();
  void answer.then((mayLoad) => answers.push(mayLoad));
  await begun;
  return { updater, answer, answers, results, states, calls };
}

/** Serves a manifest of about `files` × 100 bytes; the first request for it resolves `begun`. */
async function serveSlowly(
  world: World,
  clock: PhoneClock,
  rate: { files: number; bytes: number; seconds: number },
) {
  const files: Record<string, string> = { "index.html": "two" };
  for (let i = 0; i < rate.files; i++) files[`file-${i}`] = String(i);
  const ref = world.manifest(manifestOf("v2", files));
  await world.release({ manifests: { shell: { ...ref } } });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => begin = resolve);
  for (const path of ["bundles/shell/v2/manifest.json", "release.json"]) {
    const bytes = new TextEncoder().encode(String(world.served.get(path)));
    const slow = () => {
      let at = 0;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          begin();
          await awakeFor(clock, rate.seconds);
          controller.enqueue(bytes.slice(at, at += rate.bytes));
          if (at >= bytes.length) controller.close();
        },
      }, { highWaterMark: 0 });
      return Promise.resolve(new Response(body));
    };
    if (path !== "release.json" || rate.files === 0) world.served.set(path, slow);
  }
  return { begun, size: ref.size };
}

// CHECK-11
test("a slow line of 3 KB/s: a mandatory update holds the game for a minute, then goes on beside it", async () => {
  const clock = createPhoneClock();
  const rate = { bytes: 3000, seconds: 1, bytesTotal: MIB };
  const { updater, answer, answers, results, states, calls } = await hold(clock, rate);
  await clock.run(58);
  assert.deepEqual(answers, []);
  await clock.run(4);
  assert.equal(await answer, true);
  const shown = updater.gate.current();
  assert.deepEqual(shown && { ...shown, progress: null }, {
    state: "downloading",
    version: "v2",
    mandatory: false,
    progress: null,
  });
  assert.equal(await updater.checkAppOtaUpdate(), true, "a second call joins, and may load");
  const seconds = await clock.runUntil(() => results.length > 0);
  assert.ok(seconds > 250, `${seconds}`);
  assert.deepEqual(results, [{ result: "staged", version: "v2", mandatory: true }]);
  assert.equal(updater.gate.current(), null, "a game that runs is not asked to restart");
  assert.ok(states.every((state) => state?.state !== "ready-to-restart"));
  assert.deepEqual(calls.slice(-1), [{
    op: "activate",
    request: { name: "shell", version: "v2", mandatory: true },
  }]);
});

// CHECK-18
test("a slow line of 3 KB/s: no game loads beside an update where a mandatory one waits already", async () => {
  const clock = createPhoneClock();
  const rate = { bytes: 3000, seconds: 1, bytesTotal: MIB };
  const device = {
    state: { pending: { shell: "v1" } },
    launch: { name: "shell", version: "embedded" },
    pending: { name: "shell", version: "v1", mandatory: true },
  };
  const { updater, answer, answers, results } = await hold(clock, rate, { device });
  await clock.run(58);
  assert.deepEqual(answers, []);
  await clock.run(4);
  assert.equal(await answer, false, "v1 needs no network");
  assert.deepEqual(updater.gate.current(), { state: "ready-to-restart", version: "v1" });
  assert.equal(results[0]?.result, "stage-failed");
});

// CHECK-10
test("a slow line of 3 KB/s: a manifest takes longer than the deadline, and is read", async () => {
  const clock = createPhoneClock();
  const world = await createWorld();
  const rate = { files: 2000, bytes: 3000, seconds: 1 };
  const { begun, size } = await serveSlowly(world, clock, rate);
  let came = 0;
  const check = checkForUpdate(
    { fetch: world.fetch, native: createFakeNative(), clock, onBytes: (bytes) => came += bytes },
    world.connection,
  );
  await begun;
  const before = came;
  const seconds = await clock.runUntil(() => came - before === size);
  assert.ok(seconds > 60, `${seconds}`);
  assert.deepEqual((await check).result, "staged");
});

// CHECK-11
for (
  const [name, holdMs, from, until] of [
    ["5 minutes", undefined, 298, 302],
    ["what the app says", 20_000, 18, 22],
  ] as const
) {
  test(`a line that is fast holds the game for ${name} at most`, async () => {
    const clock = createPhoneClock();
    const rate = { bytes: 100_000, seconds: 1, bytesTotal: 100 * MIB };
    const { answer, answers } = await hold(clock, rate, { holdMs });
    await clock.run(from);
    assert.deepEqual(answers, []);
    await clock.run(until - from);
    assert.equal(await answer, true);
  });
}

// CHECK-11
test("a server that sends a byte every 10 s does not hold the game", async () => {
  const clock = createPhoneClock();
  const rate = { bytes: 1, seconds: 10, bytesTotal: MIB };
  const { answers } = await hold(clock, rate);
  const seconds = await clock.runUntil(() => answers.length > 0);
  assert.deepEqual(answers, [true]);
  assert.ok(seconds <= 62, `${seconds}`);
});

// CHECK-10
for (
  const [name, files, bytes, period, from, until] of [
    ["a byte every 10 s: the manifest", 9, 1, 10, 59, 62],
    ["a byte a second: the manifest", 9, 1, 1, 59, 62],
    ["a byte every 20 s: the manifest", 9, 1, 20, 14, 17],
    ["a byte every 10 s: the release, in all", 0, 1, 10, 14, 16],
  ] as const
) {
  test(`a server that sends ${name} ends by its pace`, async () => {
    const clock = createPhoneClock();
    const world = await createWorld();
    const { begun } = await serveSlowly(world, clock, { files, bytes, seconds: period });
    const results: CheckResult[] = [];
    void checkForUpdate({ fetch: world.fetch, native: createFakeNative(), clock }, world.connection)
      .then((result) => results.push(result));
    await begun;
    const seconds = await clock.runUntil(() => results.length > 0);
    const [result] = results;
    assert.ok(result && "detail" in result && result.detail.startsWith("timeout: "));
    assert.equal(result.result, files === 0 ? "no-release-for-bundle" : "manifest-invalid");
    assert.ok(seconds >= from && seconds <= until, `${seconds}`);
  });
}

// CHECK-12
test("a phone asleep for 8 hours in the middle of a download: it holds on, and is ready to restart", async () => {
  const clock = createPhoneClock();
  const rate = { bytes: MIB, seconds: 50, bytesTotal: 5 * MIB };
  const { answer, answers, updater } = await hold(clock, rate);
  await clock.run(125);
  await clock.suspend(8 * 3600);
  assert.deepEqual(answers, []);
  const seconds = await clock.runUntil(() => answers.length > 0);
  assert.equal(await answer, false);
  assert.ok(seconds > 120 && seconds < 130, `${seconds}`);
  assert.deepEqual(updater.gate.current(), { state: "ready-to-restart", version: "v2" });
});

// CHECK-12
test("a phone asleep for 8 hours in the middle of a download: the manifest is read on", async () => {
  const clock = createPhoneClock();
  const world = await createWorld();
  const { begun } = await serveSlowly(world, clock, { files: 100, bytes: 2000, seconds: 8 });
  const results: CheckResult[] = [];
  void checkForUpdate({ fetch: world.fetch, native: createFakeNative(), clock }, world.connection)
    .then((result) => results.push(result));
  await begun;
  await clock.run(15.5);
  await clock.suspend(8 * 3600);
  await clock.runUntil(() => results.length > 0);
  assert.deepEqual(results.map(({ result }) => result), ["staged"]);
});

// CHECK-12
test("whileAwake() counts a second at most between two looks, and ends with its signal", async () => {
  const clock = createPhoneClock();
  const looks: number[] = [];
  const ended = new AbortController();
  const watching = whileAwake((awakeMs) => {
    looks.push(awakeMs);
    return 3500 - awakeMs;
  }, { clock, signal: ended.signal });
  await clock.run(1);
  await clock.suspend(8 * 3600);
  await clock.run(2);
  await watching;
  assert.deepEqual(looks, [0, 1000, 2000, 3000, 3500]);
  ended.abort();
  await whileAwake(() => 1, { clock: { sleep: () => Promise.resolve() }, signal: ended.signal });
});

test("whileAwake() leaves nothing at its signal, however long it looks", async () => {
  let listeners = 0;
  const counted = Object.assign(Object.create(null), {
    aborted: false,
    addEventListener: () => void listeners++,
    removeEventListener: () => void listeners--,
  });
  let most = 0;
  await whileAwake((awakeMs) => {
    most = Math.max(most, listeners);
    return awakeMs < 5 ? 1 : 0;
  }, { signal: counted });
  assert.deepEqual([most, listeners], [0, 0]);
});
