import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Toolchain } from "../../lib/toolchain/mod.ts";
import { PINS } from "../../lib/toolchain/tools/tools.ts";
import { archiveOf, type Item } from "../support/archives.ts";
import { createFaultFiles } from "../support/fault-files.ts";
import { withoutDenial, withoutMount } from "../support/needs.ts";
import { soaking } from "../support/rounds.ts";
import {
  litterOf,
  offer,
  offerStandIn,
  pinsOf,
  plainHost,
  startVendor,
  toolchainFor,
} from "./install-world.ts";
import { folder, mountAt, posix, runtime, script } from "./real-machine.ts";

// Disks that are full, and folders that cannot be written.

const vendor = await startVendor();
afterTests(() => vendor.close());

const tmpfs = { skip: withoutMount() };

test(
  "install() on a disk that fills up while unpacking is disk-full, the old version works",
  tmpfs,
  async (t) => {
    const at = folder();
    mountAt(t, at, "-t", "tmpfs", "-o", "size=2m", "tmpfs");
    const pins = await offerStandIn(vendor, "jdk", 1);
    const host = plainHost(folder(), { SVC_TOOLCHAIN_DIR: join(at, "töol chain") });
    const toolchain = toolchainFor(pins, { host });
    assert.ok((await toolchain.install("java")).ok);

    const items: readonly Item[] = [
      { name: "jdk/bin/java", body: "x".repeat(8_000_000), mode: 0o755 },
    ];
    const large = offer(vendor, "large.tar.gz", await archiveOf("tar.gz", items));
    const blind = { ...runtime.files, freeSpace: () => Promise.resolve(Number.MAX_SAFE_INTEGER) };
    const next = toolchainFor(pinsOf("jdk", [large]), { host, files: blind });
    const result = await next.install("java", { reinstall: true });
    assert.equal(result.ok ? "ok" : result.error.code, "disk-full");
    const found = await next.detect("java");
    assert.deepEqual(found.present && [found.source, found.version], ["own", "21.0.1"]);
    assert.deepEqual(litterOf(next.directory), []);
  },
);

test("a JDK whose disk forbids running programs is followed by the guide", tmpfs, async (t) => {
  const at = folder();
  const pins = await offerStandIn(vendor, "jdk", 1);
  const host = plainHost(folder(), { SVC_TOOLCHAIN_DIR: at });
  mountAt(t, at, "--bind", at);
  const forbid = () => spawnSync("mount", ["-o", "remount,bind,noexec", at]).status;
  const toolchain = toolchainFor(pins, { host });
  assert.equal(forbid(), 0);
  const refused = await toolchain.install("java");
  assert.match(refused.ok ? "" : refused.error.message, /forbids running programs \(noexec\)$/);
  assert.match(refused.ok ? "" : refused.error.next ?? "", /^Set SVC_TOOLCHAIN_DIR to a folder/);
  assert.equal(spawnSync("mount", ["-o", "remount,bind,exec", at]).status, 0);
  assert.ok((await toolchain.install("java")).ok);
  assert.equal(forbid(), 0);
  const java = (await toolchain.preflight("android")).missing.find(({ id }) => id === "java");
  assert.match(java?.reason ?? "", /: it does not start: .* \(noexec\)$/);
  assert.deepEqual([java?.canAutoInstall, java?.fix], [
    false,
    `${host.cli} toolchain guide java`,
  ]);
});

test(
  "install() on a disk that breaks at any change leaves the old version or the new",
  posix,
  async () => {
    const old = await offerStandIn(vendor, "jdk", 1);
    let failures = 0;
    for (let failAt = 1; failAt < 2_000; failAt += soaking ? 1 : 7) {
      const host = plainHost(folder());
      const first = toolchainFor(old, { host });
      await offerStandIn(vendor, "jdk", 1);
      assert.ok((await first.install("java")).ok);
      const pins = await offerStandIn(vendor, "jdk", 2);
      const { files, changes } = createFaultFiles(runtime.files, { failAt, forever: true });
      const result = await toolchainFor(pins, { host, files }).install("java", { reinstall: true });
      if (!result.ok) failures++;
      const next = toolchainFor(pins, { host });
      // What a dead disk kept from being undone, the next run undoes.
      const again = await next.install("java", { reinstall: true });
      assert.ok(again.ok, `${failAt}: ${JSON.stringify(again)}`);
      const found = await next.detect("java");
      assert.equal(found.present && found.version, "21.0.2", String(failAt));
      assert.deepEqual(litterOf(next.directory), [], String(failAt));
      if (changes() < failAt) break;
    }
    assert.ok(failures > 3, String(failures));
  },
);

test("install() into a folder that cannot be written is not-writable, and says what to do", {
  skip: posix.skip || withoutDenial(),
}, async () => {
  const at = join(folder(), "locked");
  mkdirSync(at);
  chmodSync(at, 0o555);
  await refusedIn(at);
});

test("install() on a disk that is mounted read-only is not-writable", tmpfs, async (t) => {
  const at = folder();
  mountAt(t, at, "-t", "tmpfs", "-o", "ro,size=1m", "tmpfs");
  await refusedIn(at);
});

async function refusedIn(at: string): Promise<void> {
  const pins = await offerStandIn(vendor, "jdk", 1);
  const host = plainHost(folder(), { SVC_TOOLCHAIN_DIR: join(at, "toolchain") });
  const toolchain = toolchainFor(pins, { host });
  const result = await toolchain.install("java");
  assert.equal(result.ok ? "ok" : result.error.code, "not-writable");
  assert.match(result.ok ? "" : result.error.next, /SVC_TOOLCHAIN_DIR/);
}

/** A toolchain whose npm does this; `free` tells of the disk, call by call. */
function withNpm(npm: string, free: readonly number[]): Toolchain {
  const userData = folder();
  const host = plainHost(userData);
  script(join(userData, "bin/npm"), `[ "$1" = --version ] && echo 10.0.0 && exit\n${npm}`);
  let calls = 0;
  const freeSpace = () => Promise.resolve(free[Math.min(calls++, free.length - 1)] ?? 0);
  return toolchainFor(PINS, { host, files: { ...runtime.files, freeSpace } });
}

const LARGE = 1e12;

for (
  const [title, npm, free, code, message] of [
    [
      "that is content with files it could not write",
      "echo 'npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write' >&2; exit 0",
      [LARGE, 3e6],
      "disk-full",
      /the disk of .*toolchain is full: about 168 MB more are needed, and it has 3.0 MB left$/,
    ],
    [
      "that fails without a reason while the disk fills up",
      "echo 'npm error A complete log of this run can be found in: /x' >&2; exit 1",
      [LARGE, 4e6],
      "disk-full",
      /about 168 MB more are needed, and it has 4.0 MB left$/,
    ],
    [
      "whose temporary folder is full",
      "echo 'npm error code ENOSPC' >&2; exit 228",
      [LARGE, LARGE, 0],
      "disk-full",
      /finds the disk full; the disk of .*toolchain has 1000 GB left, that of .* 0 bytes$/,
    ],
    [
      "that fails without a reason where there is room",
      "echo 'npm error A complete log of this run can be found in: /x' >&2; exit 1",
      [LARGE],
      "process",
      /npm exited 1, expected 0; it said nothing$/,
    ],
  ] as const
) {
  test(`install() by an npm ${title} is ${code}`, posix, async () => {
    const result = await withNpm(npm, free).install("gltfpack");
    assert.ok(!result.ok);
    assert.equal(result.error.code, code);
    assert.match(result.error.message, message);
    if (code === "disk-full") assert.match(result.error.next, /^Free space on that disk/);
  });
}

test(
  "install() on a disk with room that holds no more files says where to look",
  posix,
  async () => {
    const result = await withNpm("echo 'npm error code ENOSPC' >&2; exit 228", [LARGE]).install(
      "gltfpack",
    );
    assert.equal(result.ok ? "ok" : result.error.code, "disk-full");
    assert.match(
      result.ok ? "" : result.error.next,
      /no more files, .* quota: 'df -i' and 'quota'/,
    );
  },
);

test("install() of the model tools asks for the room that npm takes", posix, async () => {
  const toolchain = withNpm("exit 1", [150e6]);
  const result = await toolchain.install("gltfpack");
  assert.ok(!result.ok);
  assert.equal(result.error.code, "disk-full");
  assert.match(result.error.message, /it takes about 168 MB, .* has 150 MB left$/);
  const plan = await toolchain.planInstall("gltfpack");
  assert.ok(plan.ok && plan.value.bytes === 45_000_000, "npm downloads, too");
});

test(
  "on a read-only disk what is there is verified, and each change is refused",
  tmpfs,
  async (t) => {
    const at = folder();
    mountAt(t, at, "-t", "tmpfs", "-o", "size=2m", "tmpfs");
    const pins = await offerStandIn(vendor, "jdk", 1);
    const host = plainHost(folder(), { SVC_TOOLCHAIN_DIR: join(at, "toolchain") });
    const toolchain = toolchainFor(pins, { host });
    assert.ok((await toolchain.install("java")).ok);
    chmodSync(join(toolchain.directory, "jdk/21.0.11+10/bin/java"), 0o644);
    assert.equal(spawnSync("mount", ["-o", "remount,ro", at]).status, 0);

    const verified = await toolchain.verify("java");
    assert.ok(verified.ok && verified.value.damaged === 1);
    assert.ok((await toolchain.clean({ dryRun: true })).ok);
    for (
      const work of [
        toolchain.install("java"),
        toolchain.repair("java"),
        toolchain.uninstall("java"),
        toolchain.clean(),
        toolchain.exportBundle(join(at, "bundle")),
      ]
    ) {
      const result = await work;
      assert.ok(!result.ok);
      assert.equal(result.error.code, "not-writable");
      assert.match(result.error.message, /: the disk is mounted read-only \(EROFS\)$/);
      assert.match(result.error.next, /SVC_TOOLCHAIN_DIR/);
    }
  },
);
