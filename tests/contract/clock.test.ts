import assert from "node:assert/strict";
import { test } from "node:test";
import { adapter } from "./adapter.ts";

const clock = adapter.createClock();

test("Clock.now() is the time, monotonic() never goes back", () => {
  assert.ok(Math.abs(clock.now() - Date.now()) < 1_000);
  const readings = Array.from({ length: 1_000 }, () => clock.monotonic());
  assert.deepEqual(readings, readings.toSorted((a, b) => a - b));
});

test("Clock.sleep() sleeps as long as it was told", async () => {
  const started = clock.monotonic();
  await clock.sleep(20, new AbortController().signal);
  assert.ok(clock.monotonic() - started >= 15); // timers may be early by a fraction
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
