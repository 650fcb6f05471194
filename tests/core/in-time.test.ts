import assert from "node:assert/strict";
import { test } from "node:test";
import { inTime, Stalled } from "../../lib/core/in-time.ts";

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

test("inTime() hands on what a step answers or throws, and leaves no timer", async () => {
  const clock = createClock();
  assert.equal(await inTime(Promise.resolve(7), { clock, stallMs: 1 }), 7);
  const broken = inTime(Promise.reject(reason), { clock, stallMs: 1 });
  await assert.rejects(broken, (thrown) => thrown === reason);
  await Promise.resolve();
  assert.equal(clock.open(), 0);
});

test("inTime() throws Stalled with the bound when a step takes longer", async () => {
  const clock = createClock();
  const late = inTime(never(), { clock, stallMs: 1234 });
  clock.pass();
  await assert.rejects(late, (thrown) => {
    assert.ok(thrown instanceof Stalled);
    assert.equal(thrown.message, "sent nothing for 1234 ms");
    return true;
  });
});

for (const when of ["before", "meanwhile"] as const) {
  test(`inTime() throws the reason of a signal that is aborted ${when}`, async () => {
    const clock = createClock();
    const abort = new AbortController();
    if (when === "before") abort.abort(reason);
    const given = inTime(never(), { clock, stallMs: 1, signal: abort.signal });
    abort.abort(reason);
    await assert.rejects(given, (thrown) => thrown === reason);
    await Promise.resolve();
    assert.equal(clock.open(), 0);
  });
}
