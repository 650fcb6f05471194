import assert from "node:assert/strict";
import { test } from "node:test";
import {
  eventLoopTurn,
  oneAtATurn,
  runAtOnce,
  runCooperatively,
  type Work,
} from "../../lib/core/cooperative.ts";

/** Counts to `end`, yields after every one; notes whether it was ended. */
function* counting(end: number, seen: number[], ended: string[] = []): Work<number> {
  try {
    for (let n = 1; n <= end; n++) {
      seen.push(n);
      yield;
    }
    return end;
  } finally {
    ended.push("ended");
  }
}

test("runCooperatively() lets others run whenever a slice of time is used up", async () => {
  const seen: number[] = [];
  let time = 0;
  let turn = false;
  // Every reading is 7 ms later: a slice of 20 ms holds three pieces.
  const running = runCooperatively(counting(7, seen), { now: () => time += 7 });
  const turns: number[] = [];
  const look = () => {
    turns.push(seen.length);
    if (!turn) setTimeout(look, 0);
  };
  setTimeout(look, 0);
  assert.deepEqual(seen, [1, 2, 3]);
  assert.equal(await running, 7);
  turn = true;
  assert.ok(turns.some((count) => count > 0 && count < 7), "nobody else had a turn");
});

test("runCooperatively() of short work takes no turn, and runAtOnce() never does", async () => {
  const seen: number[] = [];
  const running = runCooperatively(counting(100, seen), { now: () => 5 });
  assert.equal(seen.length, 100); // before anything was waited for
  assert.equal(await running, 100);
  assert.equal(runAtOnce(counting(100, [])), 100);
});

for (const when of ["before it begins", "in the middle"]) {
  test(`runCooperatively() aborted ${when} throws the signal's reason and ends the work`, async () => {
    const abort = new AbortController();
    const [seen, ended]: [number[], string[]] = [[], []];
    if (when === "before it begins") abort.abort("nobody waits");
    let time = 0;
    const running = runCooperatively(counting(9, seen, ended), {
      now: () => {
        if (seen.length === 4) abort.abort("nobody waits");
        return time++;
      },
      signal: abort.signal,
    });
    await assert.rejects(running, (reason) => reason === "nobody waits");
    assert.deepEqual(seen, when === "in the middle" ? [1, 2, 3, 4] : []);
    assert.deepEqual(ended, when === "in the middle" ? ["ended"] : []);
  });
}

test("oneAtATurn() gives the event loop a turn between two pieces that take long, in order", async () => {
  let clock = 0;
  const log: string[] = [];
  const inTurn = oneAtATurn(() => clock);
  const piece = (name: string, ms: number) =>
    inTurn(() => {
      log.push(name);
      clock += ms;
    });
  const pieces = Promise.all([
    piece("a", 30),
    piece("b", 30),
    piece("c", 5),
    piece("d", 5),
    inTurn(() => Promise.reject(new Error("it broke"))).catch(() => log.push("broken")),
    piece("e", 30),
    piece("f", 1),
  ]);
  let isDone = false;
  const all = pieces.finally(() => isDone = true);
  const others = (async () => {
    while (!isDone) {
      await eventLoopTurn();
      log.push("-");
    }
  })();
  await all;
  await others;
  const order = log.join("").replace(/-+/g, "-").replace(/^-|-$/g, "");
  assert.equal(order, "a-b-cdbrokene-f");
});
