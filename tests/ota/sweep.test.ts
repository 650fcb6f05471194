import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { launch, makeActive, update } from "../support/phone-life.ts";

/** Does not deflate, and no version has it from another: 10 of them are 10 kB. */
const version = () => ({ "index.html": randomBytes(10_000) });

/** The versions that lie on the phone. */
function heldBy(world: OtaWorld): string[] {
  const folder = join(world.folder, "phone/shell");
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function bytesBelow(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}

/** What earlier processes may have left. */
function leaveThings(world: OtaWorld): void {
  writeTree(join(world.folder, "phone"), {
    ".staging/shell@v9.left/art/a.bin": "half",
    ".trash/shell@v8.left/a.bin": "old",
    "state.json.left.tmp": "{",
  });
}

// PATH-13, DEV-23
test("a sweep leaves a bundle whose name begins like a record, and takes halves of records", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const name = "state.json.next";
    writeTree(join(folder, "phone"), {
      [`.complete/${name}@v1.json`]: "{}",
      [`.complete/${name}@v1.json.left.tmp`]: "{",
      [`${name}/v1/index.html`]: "one",
      "state.json": JSON.stringify({ active: { [name]: "v1" } }),
      "state.json.left.tmp": "{",
      ".lock.left": "left",
    });
    const device = world.device();
    await device.launch({ name });
    await device.confirmLaunch({ name });
    assert.deepEqual((await device.launch({ name })).target, { kind: "version", version: "v1" });
    assert.deepEqual(
      readdirSync(join(folder, "phone")).sort(),
      [
        ".complete",
        "launch.json",
        name,
        "state.json",
      ].sort(),
    );
    assert.deepEqual(readdirSync(join(folder, "phone/.complete")), [`${name}@v1.json`]);
  }));

// DEV-23
test("launch() sweeps and deletes nothing, whatever lies there; a confirmation does", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", version());
    await makeActive(world, world.device());
    leaveThings(world);
    const called: string[] = [];
    const { files } = world.runtime;
    const spied: Record<string, unknown> = {};
    for (const name of ["list", "remove", "rename"] as const) {
      spied[name] = (path: string, ...rest: unknown[]) => {
        const isServed = /\/(\.lock|shell\/v1(\/.*)?)$/.test(path); // it is looked at
        if (!isServed) called.push(`${name} ${path}`);
        return Reflect.apply(files[name], files, [path, ...rest]);
      };
    }
    const device = world.device({ files: { ...files, ...spied } });
    assert.equal(await launch(device), "v1");
    assert.deepEqual(called, []);
    await device.confirmLaunch({ name: "shell" });
    assert.deepEqual(
      readdirSync(join(folder, "phone")).filter((name) => /tmp|trash/.test(name)),
      [],
    );
    assert.deepEqual(readdirSync(join(folder, "phone/.staging")), []);
  }));

// DEV-23
test("an app that never confirms is swept before its next staging", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", version());
    await makeActive(world, world.device());
    await world.publish("v2", version());
    await update(world, world.device());
    await world.publish("v3", version());
    await update(world, world.device()); // v2 never became active
    await world.publish("v4", version());
    leaveThings(world);
    await update(world, world.device());
    assert.deepEqual(heldBy(world), ["v1", "v3", "v4"], "v3 was pending when it began");
    assert.ok(!existsSync(join(folder, "phone/.staging/shell@v9.left")));
    assert.ok(!existsSync(join(folder, "phone/.trash")));
  }));

// DEV-19, DEV-22
test("a phone with 34 MB that quarantined v2 takes v3", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const capacity = 34_000; // a version has 10 kB here
    const phone = join(folder, "phone");
    const freeSpace = () => Promise.resolve(capacity - bytesBelow(join(phone, "shell")));
    const device = world.device({ files: { ...world.runtime.files, freeSpace } });
    await world.publish("v1", version());
    await makeActive(world, device);
    await world.publish("v2", version());
    await update(world, device);
    for (let boot = 0; boot < 4; boot++) await launch(device);
    await device.confirmLaunch({ name: "shell" });
    assert.deepEqual(heldBy(world), ["v1", "v2"], "it is a base while there is room");
    await world.publish("v3", version());
    await makeActive(world, device);
    assert.equal(await launch(device), "v3");
    assert.deepEqual(heldBy(world), ["v1", "v3"]);
  }));

// DEV-19
test("a disk that is full before its free bytes are makes room by a quarantined version", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const { files } = world.runtime;
    const full = (path: string) => {
      // As a disk whose files take whole blocks, or that has no inodes left.
      if (bytesBelow(join(folder, "phone/shell")) < 20_000 || !path.includes(".partial")) return;
      throw new FileError("full", path, "ENOSPC");
    };
    const device = world.device({
      files: {
        ...files,
        append: (path, bytes) => Promise.resolve(full(path)).then(() => files.append(path, bytes)),
        write: (path, body, how) =>
          Promise.resolve(full(path)).then(() => files.write(path, body, how)),
        freeSpace: () => Promise.resolve(10_000_000 - bytesBelow(join(folder, "phone/shell"))),
      },
    });
    await world.publish("v1", version());
    await makeActive(world, device);
    await world.publish("v2", version());
    await update(world, device);
    for (let attempt = 0; attempt < 4; attempt++) await launch(device);
    assert.deepEqual(heldBy(world), ["v1", "v2"]);
    await world.publish("v3", version());
    await update(world, device);
    assert.deepEqual(heldBy(world), ["v1", "v3"]);
  }));

// DEV-22
test("a quarantined version goes when the next one is active, also with room", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    for (const held of [["v1"], ["v1", "v2"]]) {
      await world.publish(`v${held.length}`, version());
      await update(world, device);
      for (let boot = 0; boot < 4; boot++) await launch(device);
      await device.confirmLaunch({ name: "shell" });
      assert.deepEqual(heldBy(world), held, "nothing newer is active");
    }
    await world.publish("v3", version());
    await makeActive(world, device);
    assert.deepEqual(heldBy(world), ["v3"]);
  }));

// DEV-22
test("after a store update the newest good version stays for seven days, the others are gone", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const old = world.device();
    await launch(old, "1");
    for (const name of ["v1", "v2"]) {
      await world.publish(name, version());
      await makeActive(world, old);
    }
    await world.publish("v3", version());
    await update(world, old);
    for (let boot = 0; boot < 4; boot++) await launch(old, "1");
    assert.deepEqual(heldBy(world), ["v1", "v2", "v3"]);
    const device = world.device();
    assert.equal(await launch(device, "2"), "embedded");
    assert.deepEqual(heldBy(world), ["v1", "v2", "v3"], "not in the boot path");
    await device.confirmLaunch({ name: "shell" });
    assert.deepEqual(heldBy(world), ["v2"]);
    assert.deepEqual((await device.getState({})).staged, { shell: ["v2"] });
    const { clock } = world.runtime;
    const later = { ...clock, now: () => clock.now() + 8 * 24 * 60 * 60 * 1000 };
    const old8Days = world.device({ clock: later });
    await launch(old8Days, "2");
    await old8Days.confirmLaunch({ name: "shell" });
    assert.deepEqual(heldBy(world), []);
    await world.publish("v4", version());
    const next = world.device();
    await makeActive(world, next);
    assert.equal(await launch(next, "2"), "v4");
  }));

test("a version that was just staged outlives a confirmation, and is activated", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device();
    await world.publish("v1", version());
    await makeActive(world, device);
    await world.publish("v2", version());
    await update(world, device);
    await device.revert({ name: "shell" });
    await launch(device);
    const again = world.device();
    const activate: Device["activate"] = async (request) => {
      await again.confirmLaunch({ name: "shell" }); // between staging and activating
      return await again.activate(request);
    };
    await update(world, { ...again, activate });
    assert.equal(await launch(again), "v2");
  }));

// DEV-24
test("a launch that finds no room to be recorded removes what nothing needs, and counts", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const phone = join(folder, "phone");
    await world.publish("v1", version());
    await makeActive(world, world.device());
    await world.publish("v2", version());
    await update(world, world.device());
    for (let boot = 0; boot < 4; boot++) await launch(world.device());
    await world.publish("v3", version());
    await update(world, world.device());
    writeTree(phone, { ".trash/shell@v0.left/a.bin": "old" });
    const { files } = world.runtime;
    const writeAtomic: typeof files.writeAtomic = (path, ...rest) =>
      bytesBelow(join(phone, "shell")) > 25_000
        ? Promise.reject(new FileError("full", path, "No space left"))
        : files.writeAtomic(path, ...rest);
    const full = world.device({ files: { ...files, writeAtomic } });
    assert.deepEqual(heldBy(world), ["v1", "v2", "v3"]);
    assert.equal(await launch(full), "v3", "an attempt that cannot be recorded is not served");
    assert.deepEqual(heldBy(world), ["v1", "v3"]);
    assert.deepEqual((await full.getState({})).state?.bootAttempts, { shell: 1 });
  }));

// DEV-24
test("a record that finds no room where nothing can go ends with disk-full", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const { files } = world.runtime;
    let tries = 0;
    const writeAtomic: typeof files.writeAtomic = (path) => {
      tries++;
      return Promise.reject(new FileError("full", path, "No space left"));
    };
    const full = world.device({ files: { ...files, writeAtomic } });
    const accepted = full.acceptSequence({ app: "default", channel: "production", sequence: 1 });
    await assert.rejects(accepted, { code: "disk-full" });
    assert.ok(tries <= 3, `${tries} tries`);
  }));

// DEV-25
test("a leftover of a bundle that is named like another process goes with the next sweep", () =>
  withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    const device = world.device({ host: { pid: 2 }, isAlive: () => true });
    const left = `.staging/a.1-${"a".repeat(24)}.b@v1.2-${"b".repeat(24)}`; // of this process
    writeTree(join(folder, "phone"), { [`${left}/a.bin`]: "half" });
    utimesSync(join(folder, "phone", left), 0, 0);
    const { token } = await device.launch({ name: "shell" });
    await device.confirmBoot({ name: "shell", token });
    assert.ok(!existsSync(join(folder, "phone", left)));
  }));
