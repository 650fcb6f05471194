import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withFolder } from "../support/folder.ts";
import { withoutMount, withoutPosixFiles } from "../support/needs.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { launch, makeActive, update } from "../support/phone-life.ts";

// Disks of the system itself: full, read-only, and with things in the place of records.

const noMount = withoutMount();
const LINE = { app: "default", channel: "production" };

/** A phone on a disk of its own of 4 MiB, on which v1 is active and v2 on trial. */
async function withDisk(
  work: (phone: {
    readonly root: string;
    readonly mounted: (options: string) => void;
    readonly world: Awaited<ReturnType<typeof openOtaWorld>>;
  }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const root = join(folder, "phone");
    mkdirSync(root);
    const mounted = (...args: string[]) => {
      assert.equal(spawnSync("mount", [...args, root]).status, 0, args.join(" "));
    };
    mounted("-t", "tmpfs", "-o", "size=4m", "tmpfs");
    try {
      const world = await openOtaWorld(folder);
      await world.publish("v1", { "index.html": "one" });
      await makeActive(world, world.device());
      await world.publish("v2", { "index.html": "two" });
      await update(world, world.device());
      await work({ root, world, mounted: (options) => mounted("-o", options) });
    } finally {
      spawnSync("umount", ["-l", root]);
    }
  });
}

/** Writes until nothing more fits. */
function fill(path: string): void {
  const file = openSync(path, "w");
  try {
    for (const bytes of [Buffer.alloc(64 * 1024), Buffer.alloc(1)]) {
      try {
        for (;;) writeSync(file, bytes);
      } catch (thrown) {
        assert.equal((thrown as { code?: string }).code, "ENOSPC");
      }
    }
  } finally {
    closeSync(file);
  }
}

// BOOT-10, DEV-1, DEV-29
test("on a full disk a launch serves the active version, and what is asked is told as disk-full", {
  skip: noMount,
}, () =>
  withDisk(async ({ root, world }) => {
    const device = world.device();
    fill(join(root, "filler"));
    assert.equal(await launch(device), "v1");
    await assert.rejects(device.acceptSequence({ ...LINE, sequence: 9 }), { code: "disk-full" });
    const answer = await device.activate({ name: "shell", version: "v2" });
    assert.equal(!answer.ok && answer.code, "disk-full");
    rmSync(join(root, "filler"));
    assert.equal(await launch(device), "v2");
  }));

// BOOT-10, DEV-1, DEV-29
test("on a read-only disk a launch serves the active version, and what is asked is told so", {
  skip: noMount,
}, () =>
  withDisk(async ({ root, world, mounted }) => {
    const device = world.device();
    mounted("remount,ro");
    assert.equal(await launch(device), "v1");
    await assert.rejects(device.acceptSequence({ ...LINE, sequence: 9 }), {
      code: "disk-read-only",
    });
    const answer = await device.activate({ name: "shell", version: "v2" });
    assert.equal(!answer.ok && answer.code, "disk-read-only");
    assert.ok(!readdirSync(root).includes(".lock"));
    mounted("remount,rw");
    assert.equal(await launch(device), "v2");
  }));

const IN_PLACE = [
  ["a FIFO", (path: string) => assert.equal(spawnSync("mkfifo", [path]).status, 0)],
  ["a folder", (path: string) => mkdirSync(path)],
  ["nothing but brackets", (path: string) => writeFileSync(path, "[".repeat(1024 * 1024))],
  ["a number without an end", (path: string) => writeFileSync(path, "9".repeat(1024 * 1024))],
  ["bytes that are no text", (path: string) => writeFileSync(path, Buffer.alloc(4096, 0xff))],
  ["a hole of a tebibyte", (path: string) => {
    assert.equal(spawnSync("truncate", ["-s", "1T", path]).status, 0);
  }],
] as const;

for (const [what, make] of IN_PLACE) {
  // DEV-1
  test(
    `a launch answers where the records are ${what}`,
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (folder) => {
        const world = await openOtaWorld(folder);
        const root = join(folder, "phone");
        mkdirSync(root);
        for (const record of ["state", "guard", "launch"]) make(join(root, `${record}.json`));
        assert.equal(await launch(world.device(), "1"), "embedded");
        assert.equal((await world.device().getState({})).rejected?.["shell"], undefined);
      }),
  );
}

// DEV-1, BOOT-16
test("a launch answers where the records hold as many rejected versions as fit", {
  skip: withoutPosixFiles,
}, () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const root = join(folder, "phone");
    mkdirSync(root);
    const versions = (from: number) => Array.from({ length: 90_000 }, (_, i) => `v${from + i}`);
    const rejected = (from: number) => JSON.stringify({ rejected: { shell: versions(from) } });
    writeFileSync(join(root, "state.json"), rejected(1_000_000));
    writeFileSync(join(root, "guard.json"), rejected(2_000_000));
    assert.equal(await launch(world.device(), "1"), "embedded");
    const { rejected: kept } = JSON.parse(readFileSync(join(root, "guard.json"), "utf8"));
    assert.deepEqual(kept.shell, versions(1_000_000).slice(-10));
  }));
