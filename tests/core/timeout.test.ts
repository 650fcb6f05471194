import assert from "node:assert/strict";
import { test } from "node:test";
import { TimeoutError, withTimeout } from "../../lib/core/timeout.ts";

/** A clock whose one sleep ends when the test says so, or by its signal. */
function createClock() {
  let pass = () => {};
  let open = 0;
  return {
    pass: () => pass(),
    open: () => open,
    async sleep(_ms: number, signal?: AbortSignal): Promise<void> {
      open++;
      await new Promise<void>((resolve, reject) => {
        pass = resolve;
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      }).finally(() => open--);
    },
  };
}

const never = () => new Promise<never>(() => undefined);
const reason = new Error("enough");

test("withTimeout() hands on what a step answers or throws, and leaves no timer", async () => {
  const clock = createClock();
  assert.equal(await withTimeout(() => 7, { clock, timeoutMs: 1 }), 7);
  const broken = withTimeout(() => Promise.reject(reason), { clock, timeoutMs: 1 });
  await assert.rejects(broken, (thrown) => thrown === reason);
  await Promise.resolve();
  assert.equal(clock.open(), 0);
});

test("withTimeout() throws TimeoutError with the bound when a step takes longer", async () => {
  const clock = createClock();
  const late = withTimeout(never, { clock, timeoutMs: 1234 });
  clock.pass();
  await assert.rejects(late, (thrown) => {
    assert.ok(thrown instanceof TimeoutError);
    assert.equal(thrown.message, "took more than 1234 ms");
    return true;
  });
});

for (const when of ["before", "meanwhile"] as const) {
  test(`withTimeout() throws the reason of a signal that is aborted ${when}`, async () => {
    const clock = createClock();
    const abort = new AbortController();
    if (when === "before") abort.abort(reason);
    const given = withTimeout(never, { clock, timeoutMs: 1, signal: abort.signal });
    abort.abort(reason);
    await assert.rejects(given, (thrown) => thrown === reason);
    await Promise.resolve();
    assert.equal(clock.open(), 0);
  });
}

test("withTimeout() aborts the signal of work that is late, and of work that is cancelled", async () => {
  for (const how of ["late", "cancelled"] as const) {
    const clock = createClock();
    const abort = new AbortController();
    const given = withTimeout(
      (signal) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
          if (how === "late") clock.pass();
          else abort.abort(reason);
        }),
      { clock, timeoutMs: 1, signal: abort.signal },
    );
    await assert.rejects(
      given,
      (thrown) => how === "late" ? thrown instanceof TimeoutError : thrown === reason,
    );
  }
});

test("withTimeout() begins no work that is cancelled before, and waits without a time for the rest", async () => {
  const abort = new AbortController();
  const clock = createClock();
  let begun = 0;
  const work = () => ++begun;
  assert.equal(await withTimeout(work, { clock, signal: abort.signal }), 1);
  abort.abort(reason);
  await assert.rejects(
    withTimeout(work, { clock, timeoutMs: 1, signal: abort.signal }),
    (thrown) => thrown === reason,
  );
  assert.deepEqual([begun, clock.open()], [1, 0]);
});

test("withTimeout() begins work at once: none begins after its signal", async () => {
  const cancelled = new AbortController();
  const begun: boolean[] = [];
  const work = () => void begun.push(cancelled.signal.aborted);
  const waiting = withTimeout(work, { clock: createClock(), signal: cancelled.signal });
  cancelled.abort(reason);
  await assert.rejects(waiting, (thrown) => thrown === reason);
  assert.deepEqual(begun, [false]);
});

test("withTimeout() tells of work that throws at once as of work that rejects", async () => {
  const clock = createClock();
  const broken = withTimeout(() => {
    throw reason;
  }, { clock, timeoutMs: 1 });
  await assert.rejects(broken, (thrown) => thrown === reason);
});
