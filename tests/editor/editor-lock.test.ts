import { test } from "node:test";
import assert from "node:assert/strict";
import { EditorLock, inTurn, LOCK_DEADLINE_MS } from "../../lib/editor/session/editor-lock.ts";
import type { Clock } from "../../lib/ports/clock.ts";

/** A clock that goes on only when it is told to. */
class HandClock implements Clock {
  #now = 0;
  readonly #sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  now = () => this.#now;
  monotonic = () => this.#now;
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers.delete(sleeper);
        reject(signal.reason);
      });
    });
  }
  advance(ms: number): void {
    this.#now += ms;
    for (const sleeper of this.#sleepers) if (sleeper.at <= this.#now) sleeper.wake();
  }
  /** Those who still sleep. */
  get asleep(): number {
    return this.#sleepers.size;
  }
}

/** Work that ends when it is told to. */
function work() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => end = resolve);
  return { run: () => ended.then(() => "done"), end };
}

// TOOL-10
test("EditorLock gives turns in the order in which they were asked for, one at a time", async () => {
  const lock = new EditorLock(new HandClock());
  const seen: string[] = [];
  const all = ["a", "b", "c", "d"].map((name) =>
    lock.hold(name, async () => {
      seen.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 0));
      seen.push(`${name} ends`);
    })
  );
  assert.equal(lock.isHeld, true);
  await Promise.all(all);
  const expected = ["a", "b", "c", "d"].flatMap((name) => [`${name} begins`, `${name} ends`]);
  assert.deepEqual([seen, lock.isHeld], [expected, false]);
});

test("EditorLock is free again when its holder throws", async () => {
  const lock = new EditorLock(new HandClock());
  await assert.rejects(lock.hold("bad", () => Promise.reject(new Error("broken"))), /broken/);
  assert.equal(await lock.hold("next", () => Promise.resolve("done")), "done");
});

test("EditorLock tells who waits too long who has it since when, and the rest wait on", async () => {
  const clock = new HandClock();
  const lock = new EditorLock(clock);
  const slow = work();
  const holding = lock.hold("import_file", slow.run);
  const first = lock.hold("set_fields", () => Promise.resolve("never"));
  clock.advance(LOCK_DEADLINE_MS - 1);
  const second = lock.hold("undo", () => Promise.resolve("undone"));
  clock.advance(1);
  const refused = await first;
  assert.ok(typeof refused === "object" && !refused.ok);
  const { status, code, detail } = refused.error;
  assert.deepEqual([status, code], [409, "editor-busy"]);
  assert.match(detail, /set_fields.*import_file.* 30 s, since 1970-01-01T00:00:00\.000Z/);
  slow.end();
  assert.deepEqual([await holding, await second], ["done", "undone"]);
  assert.deepEqual([lock.isHeld, clock.asleep], [false, 0]);
});

test("EditorLock lets an aborted waiter go without its turn, and one aborted before begin nothing", async () => {
  const lock = new EditorLock(new HandClock());
  const slow = work();
  const holding = lock.hold("batch", slow.run);
  const abort = new AbortController();
  let began = 0;
  const begin = () => Promise.resolve(began++);
  const waiting = lock.hold("save_scene", begin, abort.signal);
  const next = lock.hold("undo", () => Promise.resolve("undone"));
  abort.abort();
  for (const refused of [await waiting, await lock.hold("redo", begin, abort.signal)]) {
    assert.ok(typeof refused === "object" && !refused.ok);
    assert.equal(refused.error.code, "cancelled");
  }
  slow.end();
  assert.deepEqual([await holding, await next, began, lock.isHeld], ["done", "undone", 0, false]);
});

test("inTurn() lets reads through and has changes wait", async () => {
  const lock = new EditorLock(new HandClock());
  class Part {
    #count = 0;
    get count() {
      return this.#count;
    }
    read() {
      return this.#count;
    }
    change() {
      return Promise.resolve(++this.#count);
    }
  }
  const part = new Part();
  const outside = inTurn(part, lock, { changes: ["change"] });
  const slow = work();
  const holding = lock.hold("batch", slow.run);
  const changing = outside.change();
  assert.equal(await part.change(), 1);
  assert.deepEqual([outside.count, outside.read()], [1, 1]);
  slow.end();
  assert.deepEqual([await holding, await changing, outside.count], ["done", 2, 2]);
});
