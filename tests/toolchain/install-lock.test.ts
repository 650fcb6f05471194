import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  type HeldLock,
  type LockContext,
  ownerOf,
  takeLock,
  takeOverLock,
  type ToolchainLockOwner,
  watchOwner,
} from "../../lib/toolchain/installed/lock.ts";
import { takeDiskTurns } from "../support/disk-turns.ts";
import { until } from "../support/until.ts";
import { pinsOf, plainHost, put, toolchainFolder, toolchainFor } from "./install-world.ts";
import { folder, posix, runtime } from "./real-machine.ts";

// The lock by itself, on a clock that the test moves: heartbeats come when time passes.

function world(): LockContext & { pass(ms: number): Promise<void> } {
  let now = 0;
  const root = folder();
  const sleeping: { at: number; wake: () => void }[] = [];
  return {
    host: runtime.host,
    isAlive: () => true,
    folder: toolchainFolder(join(root, "töol chain")),
    clock: {
      now: () => 0,
      monotonic: () => now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          sleeping.push({ at: now + ms, wake: resolve });
          signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
        }),
    },
    async pass(ms) {
      now += ms;
      for (const each of sleeping.splice(0)) {
        if (each.at <= now) each.wake();
        else sleeping.push(each);
      }
      // The heartbeat is a file: it is written on real time.
      await takeDiskTurns(runtime.files, join(root, "turns"));
    },
  };
}

function held(taken: HeldLock | ToolchainLockOwner | null): HeldLock {
  assert.ok(taken !== null && "release" in taken);
  return taken;
}

function owner(taken: HeldLock | ToolchainLockOwner): ToolchainLockOwner {
  assert.ok(!("release" in taken));
  return taken;
}

test("takeLock() is for one, and release() gives it to the next", async () => {
  const context = world();
  const taken = await Promise.all(Array.from({ length: 8 }, () => takeLock("x", context)));
  const holders = taken.filter((each) => "release" in each);
  assert.equal(holders.length, 1);
  await held(holders[0] ?? null).release();
  await held(await takeLock("x", context)).release();
  assert.deepEqual(readdirSync(join(context.folder.root, "locks")), []);
});

test("an owner that beats is never dead; a silent one is, after its time and not before", async () => {
  const context = world();
  const mine = held(await takeLock("x", context));
  const seen = owner(await takeLock("x", context));
  assert.equal(seen.pid, runtime.host.pid);
  const isSeenDead = watchOwner("x", seen, context);
  for (let i = 0; i < 30; i++) {
    await context.pass(1_000);
    assert.equal(await isSeenDead(), false);
  }
  await mine.release();

  for (const [isAlive, patience] of [[() => true, 15_000], [() => false, 1_500]] as const) {
    const other = { ...context, isAlive };
    const silent = { ...seen, token: crypto.randomUUID() };
    put(join(context.folder.root, "locks/x.lock"), JSON.stringify(silent));
    const isDead = watchOwner("x", silent, other);
    await context.pass(patience - 1);
    assert.equal(await isDead(), false);
    await context.pass(1);
    assert.equal(await isDead(), true);
  }
});

test("takeOverLock() lets exactly one of many take over, at every stage of an earlier try", async () => {
  for (const stage of ["dead owner", "dead successor", "unreadable"] as const) {
    const context = world();
    const locks = join(context.folder.root, "locks");
    const dead: ToolchainLockOwner = {
      token: crypto.randomUUID(),
      pid: 1,
      hostname: "h",
      since: "",
    };
    const successor: ToolchainLockOwner = { ...dead, token: crypto.randomUUID() };
    put(join(locks, "x.lock"), stage === "unreadable" ? "{" : JSON.stringify(dead));
    if (stage === "dead successor") {
      // So named on the disk of every version: another one may be at work in the same folder.
      put(join(locks, `x.${dead.token}.heir`), JSON.stringify(successor));
    }
    const last = owner(await takeLock("x", context));
    const tokens = {
      "dead owner": dead.token,
      "dead successor": successor.token,
      unreadable: "unreadable",
    };
    assert.equal(last.token, tokens[stage]);
    const successors = await Promise.all(
      Array.from({ length: 8 }, () => takeOverLock("x", last, context)),
    );
    assert.equal(successors.filter((each) => each !== null).length, 1, stage);
    const mine = held(successors.find((each) => each !== null) ?? null);
    assert.equal((await ownerOf("x", context))?.token, mine.token);
    // One that looked before the lock passed on comes too late.
    assert.equal(await takeOverLock("x", last, context), null);
    assert.equal((await ownerOf("x", context))?.token, mine.token);
    await mine.release();
    assert.deepEqual(readdirSync(locks), [], stage);
  }
});

test("a lock that was taken over tells its former owner, which then leaves it alone", async () => {
  const context = world();
  const first = held(await takeLock("x", context));
  const second = held(await takeOverLock("x", owner(await takeLock("x", context)), context));
  assert.equal(first.lost.aborted, false);
  await context.pass(1_000);
  await until("the former owner knows that the lock is lost", () => first.lost.aborted);
  await first.release();
  assert.equal((await ownerOf("x", context))?.token, second.token);
  await second.release();
});

test(
  "model tools that do not answer are wiped and installed once more, and only once",
  posix,
  async () => {
    for (const [works, code] of [[2, "ok"], [3, "smoke-test"]] as const) {
      const at = folder();
      const count = join(at, "count");
      writeFileSync(count, "");
      const npm = join(at, "npm");
      // An npm that leaves broken tools at first.
      put(
        npm,
        `#!/bin/sh
if [ "$1" = --version ]; then echo 10.0.0; exit; fi
echo "$@" >> "${count}"
test -e node_modules && echo "not wiped" && exit 3
mkdir -p node_modules/.bin node_modules/gltfpack node_modules/@gltf-transform/cli/bin
for f in gltfpack/package.json gltfpack/cli.js @gltf-transform/cli/package.json @gltf-transform/cli/bin/cli.js; do echo x > node_modules/$f; done
printf '#!/bin/sh\\necho 4.4.1\\n' > node_modules/.bin/gltf-transform
printf '#!/bin/sh\\necho gltfpack 1.2\\n' > node_modules/.bin/gltfpack
chmod +x node_modules/.bin/*
test $(wc -l < "${count}") -ge ${works} || printf '#!/bin/sh\\nexit 1\\n' > node_modules/.bin/gltfpack
`,
      );
      await runtime.files.setMode(npm, 0o755);
      const pins = pinsOf("npm-tools", []);
      const toolchain = toolchainFor(pins, { host: plainHost(at, { SVC_NPM: npm }) });
      const result = await toolchain.install("gltfpack");
      assert.equal(result.ok ? "ok" : result.error.code, code);
      const runs = readFileSync(count, "utf8").trim().split("\n");
      assert.equal(runs.length, 2);
      for (const run of runs) assert.match(run, /^ci .*--ignore-scripts/);
      assert.equal(existsSync(join(toolchain.directory, "npm-tools")), code === "ok");
      assert.equal((await toolchain.detect("gltfpack")).present, code === "ok");
    }
  },
);
