import assert from "node:assert/strict";
import { test } from "node:test";
import { adapter } from "./adapter.ts";
import { countedAbort } from "./conditions.ts";

const clock = adapter.createClock();

test("Clock.now() is the time, monotonic() never goes back", () => {
  assert.ok(Math.abs(clock.now() - Date.now()) < 1_000);
  const readings = Array.from({ length: 1_000 }, () => clock.monotonic());
  assert.deepEqual(readings, readings.toSorted((a, b) => a - b));
});

test("Clock.sleep() sleeps as long as it was told", async () => {
  const started = clock.monotonic();
  const { abort, listening } = countedAbort();
  await clock.sleep(20, abort.signal);
  assert.equal(listening(), 0);
  assert.ok(clock.monotonic() - started >= 15); // timers may be early by a fraction
});

test("Clock.sleep() sleeps on past what a timer can count to", async () => {
  for (const ms of [2 ** 31, Number.POSITIVE_INFINITY]) {
    const abort = new AbortController();
    let awake = false;
    const sleeping = clock.sleep(ms, abort.signal).finally(() => awake = true);
    await clock.sleep(10);
    assert.equal(awake, false, String(ms));
    abort.abort();
    await assert.rejects(sleeping, { name: "AbortError" });
  }
});

test("Clock.sleep() wakes with the signal's reason, and keeps no timer", async () => {
  const abort = new AbortController();
  const reason = new Error("wake up");
  const sleeping = clock.sleep(3_600_000, abort.signal);
  abort.abort(reason);
  await assert.rejects(sleeping, (thrown) => thrown === reason);
  await assert.rejects(
    clock.sleep(3_600_000, AbortSignal.abort(reason)),
    (thrown) => thrown === reason,
  );
});
