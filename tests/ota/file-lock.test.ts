import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withLock } from "../../lib/core/file-lock.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";

/** A clock that runs a second with every sleep, and lets others run meanwhile. */
function fastClock() {
  let now = 0;
  return {
    now: () => now,
    monotonic: () => now,
    sleep: () => {
      now += 1_000;
      return new Promise<void>((resolve) => setTimeout(resolve, 1));
    },
  };
}

test("withLock() lets one in at a time, and leaves no lock", () =>
  withFolder(async (folder) => {
    const { files, clock } = await loadRuntime();
    const path = join(folder, "lock");
    let inside = 0;
    await Promise.all(Array.from({ length: 8 }, () =>
      withLock({ files, clock }, path, async (stillHeld) => {
        assert.equal(++inside, 1);
        await new Promise((resolve) => setTimeout(resolve, 1));
        assert.ok(await stillHeld());
        inside--;
      })));
    assert.ok(!existsSync(path));
  }));

test("withLock() breaks a dead owner's lock, by its own clock", () =>
  withFolder(async (folder) => {
    const { files } = await loadRuntime();
    const path = join(folder, "lock");
    writeFileSync(path, "00000000-0000-4000-8000-000000000000");
    let ran = false;
    await withLock({ files, clock: fastClock() }, path, () => Promise.resolve(void (ran = true)));
    assert.ok(ran);
    assert.ok(!existsSync(path));
  }));

for (const [what, years] of [["behind", 50], ["ahead of", -50]] as const) {
  test(`withLock() with a clock that is ${what} the disk's takes a dead breaker's claim for dead, and no other`, () =>
    withFolder(async (folder) => {
      const { files } = await loadRuntime();
      const path = join(folder, "lock");
      const dead = "00000000-0000-4000-8000-000000000000";
      writeFileSync(path, dead);
      writeFileSync(`${path}.${dead}`, "22222222-2222-4222-8222-222222222222");
      const clock = fastClock();
      const wrong = { ...clock, now: () => Date.now() - years * 365 * 86_400_000 };
      const removedAt: number[] = [];
      const watched = {
        ...files,
        async remove(target: string) {
          if (target !== path) removedAt.push(clock.monotonic());
          await files.remove(target);
        },
      };
      await withLock({ files: watched, clock: wrong }, path, () => Promise.resolve());
      assert.ok((removedAt[0] ?? 0) > 10_000, "5 s for the owner, and 5 s more for the claim");
      assert.ok(!existsSync(`${path}.${dead}`));
    }));
}

test("withLock() tells its holder when another took the lock away", () =>
  withFolder(async (folder) => {
    const { files, clock } = await loadRuntime();
    const path = join(folder, "lock");
    await withLock({ files, clock }, path, async (stillHeld) => {
      writeFileSync(path, "11111111-1111-4111-8111-111111111111");
      assert.equal(await stillHeld(), false);
    });
    assert.ok(existsSync(path), "another's lock is left alone");
  }));
