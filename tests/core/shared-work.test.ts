import assert from "node:assert/strict";
import { test } from "node:test";
import { createSharing, SharedWork } from "../../lib/core/shared-work.ts";

/** Work that ends when the test says so, and tells whether it was ended. */
function controlled() {
  const signals: AbortSignal[] = [];
  let end = (_value: string) => {};
  const work = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<string>((resolve) => end = resolve);
  };
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
  return { work, signals, turn, end: (value: string) => end(value) };
}

test("createSharing() runs the work of one key once for all who ask meanwhile, and anew after", async () => {
  const { work, signals, turn, end } = controlled();
  const share = createSharing<string>();
  const waits = Array.from({ length: 50 }, () => share("a", work));
  await turn();
  end("first");
  assert.deepEqual(new Set(await Promise.all(waits)), new Set(["first"]));
  assert.equal(signals.length, 1);
  const [again, other] = [share("a", work), share("b", () => Promise.resolve("other"))];
  await turn();
  end("second");
  assert.deepEqual([await again, await other, signals.length], ["second", "other", 2]);
  assert.deepEqual(signals.map(({ aborted }) => aborted), [false, false]);
});

test("createSharing() ends the work when the last who waits has left, and begins anew then", async () => {
  const { work, signals, turn, end } = controlled();
  const share = createSharing<string>();
  const [one, two] = [new AbortController(), new AbortController()];
  const left = [share("a", work, one.signal), share("a", work, two.signal)];
  await turn();
  one.abort(new Error("one left"));
  await assert.rejects(async () => await left[0], /one left/);
  assert.equal(signals[0]?.aborted, false);
  two.abort(new Error("two left"));
  await assert.rejects(async () => await left[1], /two left/);
  assert.equal(signals[0]?.aborted, true);
  const later = share("a", work);
  await turn();
  end("later");
  assert.deepEqual([await later, signals.length], ["later", 2]);
});

test("createSharing() tells all of a failure, and tries anew after it", async () => {
  const share = createSharing<string>();
  const broken = () => Promise.reject(new Error("on purpose"));
  const both = await Promise.allSettled([share("a", broken), share("a", broken)]);
  assert.deepEqual(both.map(({ status }) => status), ["rejected", "rejected"]);
  assert.equal(await share("a", () => Promise.resolve("fine")), "fine");
});

test("SharedWork.wait() with an aborted signal does not wait, and leaves the work to others", async () => {
  const { work, signals, turn, end } = controlled();
  const shared = new SharedWork(work);
  const staying = shared.wait();
  await assert.rejects(shared.wait(AbortSignal.abort(new Error("gone"))), /gone/);
  await turn();
  end("done");
  assert.deepEqual([await staying, signals[0]?.aborted, shared.over], ["done", false, true]);
});
