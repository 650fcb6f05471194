import assert from "node:assert/strict";
import process from "node:process";
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Toolchain, ToolchainDeps } from "../../lib/toolchain/mod.ts";
import type { Clock } from "../../lib/ports/clock.ts";
import { offerStandIn, put, startVendor, toolchainFor } from "./install-world.ts";
import { posix, runtime } from "./real-machine.ts";

// What clean() takes, and what it leaves: nothing that is installed, nothing that is worked with.

const vendor = await startVendor();
afterTests(() => vendor.close());
const pins = {
  ...await offerStandIn(vendor, "jdk"),
  ffmpeg: (await offerStandIn(vendor, "ffmpeg")).ffmpeg,
};
const RUN = "00000000-0000-4000-8000-000000000000";

/** A JDK that is installed, and what other runs may have left. */
async function littered(deps: Partial<ToolchainDeps> = {}): Promise<Toolchain> {
  const toolchain = toolchainFor(pins, deps);
  assert.ok((await toolchain.install("java")).ok);
  for (
    const path of [
      "downloads/OpenJDK21U-jdk_x64_linux_hotspot_21.0.11_10.tar.gz",
      "downloads/ffmpeg.tgz.part",
      "downloads/ffmpeg.tgz.part.json",
      "downloads/of-an-older-version.zip",
      "downloads/npm-tools/gltfpack-1.2.0.tgz",
      "downloads/npm/npm-tools/_cacache/content",
      `staging/ffmpeg-${RUN}/ffmpeg/ffmpeg`,
      `staging/import-${RUN}/x`,
      `trash/jdk-${RUN}/old-0/x`,
      `locks/ffmpeg.${RUN}.log`,
    ]
  ) put(join(toolchain.directory, path), "0123456789");
  return toolchain;
}

/** The names of everything in a folder of the toolchain. */
function namesIn({ directory }: Toolchain, name: string): string[] {
  const path = join(directory, name);
  return existsSync(path) ? readdirSync(path).sort() : [];
}

test("clean() removes what nothing installed needs, and says how much", posix, async () => {
  const toolchain = await littered();
  const seen = await toolchain.clean({ dryRun: true });
  assert.ok(seen.ok && seen.value.dryRun);
  assert.equal(namesIn(toolchain, "downloads").length, 6, "a dry run removes nothing");
  const cleaned = await toolchain.clean();
  assert.ok(cleaned.ok, JSON.stringify(cleaned));
  assert.deepEqual({ ...cleaned.value, dryRun: true }, seen.value, "as the dry run said");
  const logs = cleaned.value.removed.filter(({ path }) => path.startsWith("locks/jdk."));
  assert.equal(logs.length, 1, "the log of the installation");
  assert.equal(cleaned.value.bytes, 100 + (logs[0]?.bytes ?? 0));
  assert.deepEqual(
    ["downloads", "staging", "trash", "locks"].map((name) => namesIn(toolchain, name)),
    [[], [], [], []],
  );
  const complete = await toolchain.verify("java", { deep: true });
  assert.ok(complete.ok && complete.value.intact);
  assert.equal((await toolchain.detect("java")).present, true);
  const again = await toolchain.clean();
  assert.ok(again.ok && again.value.removed.length === 0 && again.value.bytes === 0);
});

test("clean() leaves alone what a running installation works with", posix, async () => {
  const toolchain = await littered();
  const owner = { token: RUN, pid: process.pid, hostname: runtime.host.hostname, since: "today" };
  put(join(toolchain.directory, "locks/ffmpeg.lock"), JSON.stringify(owner));
  for (const dryRun of [true, false]) {
    const cleaned = await toolchain.clean({ dryRun });
    assert.ok(cleaned.ok);
    assert.deepEqual(cleaned.value.busy.map((each) => each.package), ["ffmpeg"]);
    assert.match(cleaned.value.busy[0]?.by ?? "", new RegExp(`^process ${process.pid} on `));
  }
  // Also what nobody knows: it may be what that process has just begun.
  assert.deepEqual(namesIn(toolchain, "downloads"), [
    "ffmpeg.tgz.part",
    "ffmpeg.tgz.part.json",
    "of-an-older-version.zip",
  ]);
  assert.deepEqual(namesIn(toolchain, "staging"), [`ffmpeg-${RUN}`, `import-${RUN}`]);
  assert.deepEqual(namesIn(toolchain, "locks"), [`ffmpeg.${RUN}.log`, "ffmpeg.lock"]);
});

for (
  const [name, deps] of [
    ["", {}],
    [", on a machine that sleeps past every look", { clock: leaping() }],
  ] as const
) {
  test(`clean() takes the lock of a process that is gone${name}`, posix, async () => {
    const toolchain = await littered(deps);
    const owner = { token: RUN, pid: 2 ** 22 + 1, hostname: runtime.host.hostname, since: "today" };
    put(join(toolchain.directory, "locks/ffmpeg.lock"), JSON.stringify(owner));
    const cleaned = await toolchain.clean();
    assert.ok(cleaned.ok);
    assert.deepEqual(cleaned.value.busy, []);
    assert.deepEqual(namesIn(toolchain, "staging"), []);
    assert.deepEqual(namesIn(toolchain, "locks"), []);
  });
}

/** A clock whose every sleep takes ten seconds longer than was asked for. */
function leaping(): Clock {
  let leapt = 0;
  return {
    ...runtime.clock,
    monotonic: () => runtime.clock.monotonic() + leapt,
    async sleep(ms, signal) {
      await runtime.clock.sleep(Math.min(ms, 20), signal);
      leapt += ms + 10_000;
    },
  };
}

test("clean() puts back the version that a killed swap had moved away", posix, async () => {
  const toolchain = await littered();
  const { directory } = toolchain;
  const trash = join(directory, `trash/jdk-${RUN}`);
  renameSync(trash, join(directory, `trash/jdk-${RUN.replaceAll("0", "1")}`));
  mkdirSync(trash);
  renameSync(join(directory, "jdk"), join(trash, "old-0"));
  const places = [{ path: "jdk", had: true }];
  writeFileSync(join(trash, "swap.json"), JSON.stringify({ kind: "install", places }));
  assert.equal((await toolchain.detect("java")).present, false);
  assert.ok((await toolchain.clean()).ok);
  assert.equal((await toolchain.detect("java")).present, true);
  assert.deepEqual(namesIn(toolchain, "trash"), []);
});

test("clean() of a toolchain that was never used makes nothing", async () => {
  const toolchain = toolchainFor(pins);
  const cleaned = await toolchain.clean();
  assert.ok(cleaned.ok);
  assert.deepEqual(cleaned.value, { dryRun: false, removed: [], bytes: 0, busy: [], failed: [] });
  assert.equal(existsSync(toolchain.directory), false);
});
