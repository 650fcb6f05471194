import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { DeviceOptions } from "../../lib/ota-device/context.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import type { Files } from "../../lib/ports/files.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld } from "../support/ota-world.ts";
import { launch, makeActive, update } from "../support/phone-life.ts";
import { until } from "../support/until.ts";

// What a process makes of records that another one wrote, field by field (vectors/DEVICE.md, "Fields").

type Json = Record<string, unknown>;

interface Phone {
  /** A process of the app. */
  readonly device: (over?: Partial<DeviceOptions>) => Device;
  readonly files: Files;
  readonly at: (path: string) => string;
  readonly record: (name: string) => Json;
  /** Writes a record with other members. */
  change(name: string, members: Json): void;
}

/** A phone on which v1 is active and v2 staged, neither booted since. */
function withPhone(work: (phone: Phone) => Promise<void>): Promise<void> {
  return withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    await world.publish("v1", { "index.html": "one" });
    await makeActive(world, world.device());
    await world.publish("v2", { "index.html": "two" });
    await update(world, world.device());
    const at = (path: string) => join(folder, "phone", path);
    const record = (name: string): Json => JSON.parse(readFileSync(at(name), "utf8"));
    await work({
      device: (over) => world.device(over),
      files: world.runtime.files,
      at,
      record,
      change: (name, members) =>
        writeFileSync(at(name), JSON.stringify({ ...record(name), ...members })),
    });
  });
}

const TOKEN = "0123456789abcdef01234567";
const confirm = (device: Device) => device.confirmBoot({ name: "shell", token: TOKEN });

for (const [counted, confirms] of [[false, 1], [true, 0], [undefined, 0], [0, 0]] as const) {
  // DEV-4
  test(`a launch of which launch.json has counted ${counted} is confirmed ${confirms} times`, () =>
    withPhone(async ({ device, change, record }) => {
      change("state.json", { bootAttempts: { shell: 1 } });
      const launched = { version: "v2", token: TOKEN, attempt: 1 };
      change("launch.json", { launches: { shell: { ...launched, counted } } });
      await confirm(device());
      const { confirmedBoots } = record("state.json") as { confirmedBoots?: Json };
      assert.equal(confirmedBoots?.["shell"] ?? 0, confirms);
    }));
}

// BOOT-16
test("guard.json keeps the ten versions that were quarantined last", () =>
  withPhone(async ({ device, at, change, record }) => {
    const versions = Array.from({ length: 12 }, (_, i) => `v${i + 100}`);
    const guard = { schema: 1, rejected: { shell: versions.slice(0, 10) }, sequence: {} };
    writeFileSync(at("guard.json"), JSON.stringify(guard));
    change("state.json", { rejected: { shell: versions.slice(10) } });
    await launch(device());
    assert.deepEqual(record("guard.json")["rejected"], { shell: versions.slice(2) });
  }));

/** Another process launched v1, `sinceVerified` launches after its files were hashed. */
function launchedBefore({ at, change }: Phone, sinceVerified?: number): void {
  const launched = { version: "v1", token: TOKEN, attempt: 0, counted: false, sinceVerified };
  change("launch.json", { launches: { shell: launched } });
  change("state.json", { pending: {} });
  writeFileSync(at("shell/v1/index.html"), "eno"); // of the same size
}

for (const [since, isDue] of [[undefined, true], [15, false], [16, true]] as const) {
  // DEV-26
  test(`files that were hashed ${since} launches ago are ${isDue ? "" : "not "}hashed again`, () =>
    withPhone(async (phone) => {
      launchedBefore(phone, since);
      await confirm(phone.device());
      const mark = phone.at(".complete/shell@v1.json");
      // The hashing is not part of the answer.
      if (isDue) await until("the files were hashed", () => !existsSync(mark));
      assert.equal(existsSync(mark), !isDue);
    }));
}

// DEV-26
test("what a hashing finds counts for no later launch", () =>
  withPhone(async (phone) => {
    launchedBefore(phone);
    const { files, at, record } = phone;
    const launches: Promise<string>[] = [];
    const served = at("shell/v1/index.html");
    const hashing: Promise<unknown>[] = [];
    const read: Files["read"] = async (path, ...bounds) => {
      if (path === served && launches.length === 0) {
        launches.push(launch(device));
        await launches[0];
      }
      const bytes = files.read(path, ...bounds);
      if (path === served) hashing.push(bytes);
      return await bytes;
    };
    const device: Device = phone.device({ files: { ...files, read } });
    await confirm(device);
    await until("the file was read twice", () => hashing.length >= 2);
    assert.deepEqual(await Promise.all(launches), ["v1"]);
    assert.equal(hashing.length, 2, "what is wrong is read again");
    await device.getState({});
    assert.ok(existsSync(at(".complete/shell@v1.json")));
    const { launches: { shell } } = record("launch.json") as { launches: { shell: Json } };
    assert.equal(shell["sinceVerified"], undefined);
  }));

for (const [levels, served] of [[500, "v2"], [501, "embedded"]] as const) {
  test(`a state.json with a foreign member of ${levels} levels serves ${served} (DEV-58)`, () =>
    withPhone(async ({ device, at, record }) => {
      const deep = `${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}`; // the record is the first
      const text = JSON.stringify(record("state.json")).replace(/^\{/, `{"foreign":${deep},`);
      writeFileSync(at("state.json"), text);
      assert.equal(await launch(device()), served);
    }));
}

test("a lock under the own id of a process that never took it is taken over at once (DEV-57)", () =>
  withPhone(async ({ device, at, record }) => {
    const pid = 77;
    const app = device({ host: { pid }, isAlive: (other) => other === pid });
    // Another process had the id of this one, and was killed while it held the lock.
    writeFileSync(at(".lock"), `${pid}-${TOKEN}-00000000-0000-4000-8000-000000000000`);
    await launch(app);
    assert.deepEqual(record("state.json")["bootAttempts"], { shell: 1 }, "it is recorded");
    assert.ok(!existsSync(at(".lock")));
  }));

test("a launch.json that leads to itself is told by the system's name of that", () =>
  withPhone(async ({ device, at }) => {
    rmSync(at("launch.json"));
    symlinkSync("launch.json", at("launch.json"));
    const answer = await device().activate({ name: "shell", version: "v2", mandatory: true });
    assert.ok(!answer.ok);
    assert.match(answer.detail, /\(ELOOP\)$/);
  }));
