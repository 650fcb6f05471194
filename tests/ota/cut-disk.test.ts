import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { treeOf, withFolder } from "../support/folder.ts";
import { withoutLoopMount } from "../support/needs.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { launch, update } from "../support/phone-life.ts";

// Power cuts of a disk of the system itself: an ext4 in a file, which holds what was flushed and nothing
// else. That the device asks for each sync is in power-cut.test.ts; here is that they are done.

function run(command: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: "utf8" });
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${stderr}`);
}

/** What a launch or a check counts on: not what is on its way, nor the lock. */
function lasting(root: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(treeOf(root)).filter(([path]) => !/^\.(?!complete)/.test(path)),
  );
}

// DEV-2, DEV-6, DEV-9
test(
  "what an operation answered is on the disk after a power cut",
  { skip: withoutLoopMount() },
  () =>
    withFolder(async (folder) => {
      const [image, cutImage] = [join(folder, "disk.img"), join(folder, "cut.img")];
      const [disk, cutDisk] = [join(folder, "disk"), join(folder, "cut")];
      for (const place of [disk, cutDisk]) mkdirSync(place);
      run("truncate", "--size", "24M", image);
      run("mkfs.ext4", "-q", "-F", image);
      // It is the system's own time of writing back that is put off.
      run("mount", "-o", "loop,commit=900", image, disk);
      const root = join(disk, "phone");
      const assertLasts = (what: string) => {
        copyFileSync(image, cutImage);
        run("mount", "-o", "loop", cutImage, cutDisk);
        try {
          assert.deepEqual(lasting(join(cutDisk, "phone")), lasting(root), what);
        } finally {
          run("umount", cutDisk);
        }
      };
      try {
        const world = await openOtaWorld(folder);
        const device = world.device({ root });
        await device.acceptSequence({ app: "a", channel: "c", sequence: 1 });
        assertLasts("an accepted sequence");
        const v1 = { "index.html": "one", "art/a.bin": new Uint8Array(700_000).fill(1) };
        await world.publish("v1", v1);
        await update(world, device);
        assertLasts("a whole bundle, staged and activated");
        assert.equal(await launch(device), "v1");
        assertLasts("an attempt");
        await world.publish("v2", { ...v1, "art/b.bin": new Uint8Array(700_000).fill(2) });
        await update(world, device);
        assertLasts("a delta, staged and activated");
      } finally {
        run("umount", disk);
      }
    }),
);
