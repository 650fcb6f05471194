import assert from "node:assert/strict";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FileError } from "../../lib/core/file-error.ts";
import { parseJson } from "../../lib/core/json-text.ts";
import { isRecord } from "../../lib/core/json.ts";
import type { DeviceOptions } from "../../lib/ota-device/context.ts";
import type { Device } from "../../lib/ota-device/device.ts";
import { withFolder } from "../support/folder.ts";
import { openOtaWorld, type OtaWorld } from "../support/ota-world.ts";
import { launch, launched, makeActive, update } from "../support/phone-life.ts";

// Back on trial (DEV-50): what counts as a strike, as launch.json tells it; what retrial() makes of
// the state is in vectors/boot.

/** A phone on which v2 is active and v1 was before it. Each start is a process of its own. */
interface Phone {
  readonly world: OtaWorld;
  /** A process of the app. */
  device(over?: Partial<DeviceOptions>): Device;
  /** The process that was opened last. */
  pid(): number;
  /** Starts the app. @returns What is served. */
  start(how?: Start): Promise<string>;
  /** Starts the app, and plays. */
  play(how?: Start): Promise<string>;
  /** The strikes of the bundle as they are on the disk. */
  strikes(): unknown;
  /** A file of the device. */
  path(file: string): string;
}

interface Start {
  readonly binaryVersion?: string;
  readonly background?: boolean;
  /** Whether the user ended the start before this one. */
  readonly swiped?: boolean;
  /** Processes that the user ended. */
  readonly endedByUser?: readonly number[];
}

async function withPhone(
  work: (phone: Phone) => Promise<void>,
  { backOnTrial = true } = {},
): Promise<void> {
  await withFolder(async (folder) => {
    const world = await openOtaWorld(folder);
    let pid = 0;
    const device = (over: Partial<DeviceOptions> = {}) => {
      const own = ++pid; // each start is a process of its own, and the one before is dead
      return world.device({
        backOnTrial,
        host: { pid: own },
        isAlive: (other) => other === own,
        ...over,
      });
    };
    const path = (file: string) => join(folder, "phone", file);
    for (const version of ["v1", "v2"]) {
      await world.publish(version, { "index.html": version });
      await makeActive(world, device());
    }
    const start = async ({ swiped = false, ...how }: Start, confirms: boolean) => {
      const before = pid;
      const app = device();
      const ended = swiped && { endedByUser: [before] };
      const { target, token } = await app.launch({ name: "shell", ...ended, ...how });
      if (confirms) await app.confirmBoot({ name: "shell", token });
      return launched(target);
    };
    await work({
      world,
      device,
      pid: () => pid,
      start: (how = {}) => start(how, false),
      play: (how = {}) => start(how, true),
      strikes() {
        const log = parseJson(readFileSync(path("launch.json")));
        const strikes = isRecord(log) ? log["strikes"] : undefined;
        return isRecord(strikes) ? strikes["shell"] : undefined;
      },
      path,
    });
  });
}

async function starts(phone: Phone, times: number, how: Start = {}): Promise<string[]> {
  const served = [];
  for (let boot = 0; boot < times; boot++) served.push(await phone.start(how));
  return served;
}

const times = (count: number, version: string) => Array.from({ length: count }, () => version);

test("without backOnTrial an active version is served for ever, and nothing is counted", () =>
  withPhone(async (phone) => {
    assert.deepEqual(await starts(phone, 8), times(8, "v2"));
    assert.equal(phone.strikes(), undefined);
    const { knows, state } = await phone.world.device().getState({});
    assert.equal(knows, undefined);
    assert.deepEqual(state?.active, { shell: "v2" });
  }, { backOnTrial: false }));

test("a plugin with backOnTrial reports it", () =>
  withPhone(async ({ world }) => {
    assert.deepEqual((await world.device({ backOnTrial: true }).getState({})).knows, ["trial"]);
  }));

test("an active version that never confirms is served six times, then the one before it", () =>
  withPhone(async (phone) => {
    const strikes = [];
    for (let boot = 0; boot < 6; boot++) {
      assert.equal(await phone.start(), "v2", `launch ${boot}`);
      strikes.push(phone.strikes());
    }
    assert.deepEqual(strikes, [0, 1, 2, 0, 0, 0]);
    assert.equal(await phone.start(), "v1");
    const { state, rejected } = await phone.world.device().getState({});
    assert.deepEqual(state?.active, { shell: "v1" });
    assert.equal(state?.pending, undefined);
    assert.deepEqual(rejected, { shell: ["v2"] });
  }));

test("a version that confirms is never on trial again", () =>
  withPhone(async (phone) => {
    for (let day = 0; day < 10; day++) {
      assert.equal(await phone.play(), "v2");
      assert.equal(phone.strikes(), 0);
    }
    assert.deepEqual((await phone.world.device().getState({})).state?.active, { shell: "v2" });
  }));

test("one confirmation between launches that are not confirmed begins the count anew", () =>
  withPhone(async (phone) => {
    for (let week = 0; week < 4; week++) {
      assert.deepEqual(await starts(phone, 2), times(2, "v2"));
      assert.equal(await phone.play(), "v2");
    }
    const { state } = await phone.world.device().getState({});
    assert.deepEqual([state?.active, state?.pending], [{ shell: "v2" }, undefined]);
  }));

test("two confirmations on the second trial make a version active again", () =>
  withPhone(async (phone) => {
    assert.deepEqual(await starts(phone, 4), times(4, "v2")); // the fourth is on trial
    assert.equal(await phone.play(), "v2");
    assert.equal(await phone.play(), "v2");
    const { state } = await phone.world.device().getState({});
    assert.deepEqual(state, { active: { shell: "v2" } });
    assert.deepEqual(await starts(phone, 6), times(6, "v2"));
    assert.equal(await phone.start(), "v1");
  }));

test("a launch in the background is no strike, and takes none away", () =>
  withPhone(async (phone) => {
    await starts(phone, 2);
    assert.equal(phone.strikes(), 1);
    assert.deepEqual(await starts(phone, 5, { background: true }), times(5, "v2"));
    assert.equal(phone.strikes(), 1);
    await phone.start();
    assert.equal(phone.strikes(), 2);
    assert.deepEqual(await starts(phone, 3), times(3, "v2"));
    assert.equal(await phone.start(), "v1");
  }));

// DEV-55
test("a launch that the user ended is no strike, and takes none away", () =>
  withPhone(async (phone) => {
    await starts(phone, 2);
    assert.equal(phone.strikes(), 1);
    assert.deepEqual(await starts(phone, 5, { swiped: true }), times(5, "v2"));
    assert.equal(phone.strikes(), 1);
    await phone.start();
    assert.equal(phone.strikes(), 2);
  }));

test("only its own process tells whether the user ended a launch", () =>
  withPhone(async (phone) => {
    assert.equal(await phone.start(), "v2");
    const crashed = phone.pid();
    await phone.start({ endedByUser: [crashed - 1, crashed + 1] }); // a push came, and was ended
    assert.equal(phone.strikes(), 1);
    await phone.start({ endedByUser: [crashed] }); // long ago, and not the one before
    assert.equal(phone.strikes(), 2);
  }));

test("a game that never comes up in ten starts is on trial, even if each was swiped away", () =>
  withPhone(async (phone) => {
    await phone.start();
    assert.deepEqual(await starts(phone, 8, { swiped: true }), times(8, "v2"));
    assert.equal(phone.strikes(), 2);
    assert.equal((await phone.device().getState({})).state?.pending, undefined);
    assert.equal(await phone.start({ endedByUser: [phone.pid() - 1] }), "v2");
    assert.deepEqual((await phone.device().getState({})).state?.pending, { shell: "v2" });
  }));

test("after one start that comes up, starts that the user ends are forgiven again", () =>
  withPhone(async (phone) => {
    for (let week = 0; week < 3; week++) {
      await starts(phone, 6, { swiped: true });
      assert.equal(phone.strikes(), 0);
      await phone.play({ swiped: true });
    }
    assert.equal((await phone.device().getState({})).state?.pending, undefined);
  }));

/** A disk that refuses to replace a record, once. */
function refusing(phone: Phone, record: string): Partial<DeviceOptions> {
  const { files } = phone.world.runtime;
  let refuses = true;
  return {
    files: {
      ...files,
      async writeAtomic(path, ...rest) {
        if (refuses && path.endsWith(record)) {
          refuses = false;
          throw new FileError("other", path, `Cannot write ${path}`);
        }
        return await files.writeAtomic(path, ...rest);
      },
    },
  };
}

for (const record of ["launch.json", "state.json"]) {
  test(`a trial that is due stays due where ${record} cannot be written`, () =>
    withPhone(async (phone) => {
      await starts(phone, 3);
      const failing = phone.device(refusing(phone, record));
      assert.equal(launched((await failing.launch({ name: "shell" })).target), "v2");
      assert.equal((await phone.device().getState({})).state?.pending, undefined);
      await phone.device().confirmLaunch({ name: "shell" }); // of a launch that is not recorded
      assert.equal(await phone.start(), "v2");
      assert.deepEqual((await phone.device().getState({})).state?.pending, { shell: "v2" });
    }));
}

test("a revert of the active version, activated again, is no trial", () =>
  withPhone(async (phone) => {
    await phone.device().activate({ name: "shell", version: "v2" });
    assert.equal(await phone.start(), "v2");
    await phone.device().revert({ name: "shell" });
    assert.equal(await phone.start(), "v2");
    const { state } = await phone.device().getState({});
    assert.deepEqual([state?.active, state?.pending], [{ shell: "v2" }, undefined]);
    assert.equal(phone.strikes(), 1);
  }));

test("the version that takes the place of one whose files are gone has three launches of its own", () =>
  withPhone(async (phone) => {
    await starts(phone, 3);
    rmSync(phone.path("shell/v2/index.html"));
    assert.deepEqual(await starts(phone, 2), times(2, "v1"));
    const { state } = await phone.device().getState({});
    assert.deepEqual([state?.active, state?.pending], [{ shell: "v1" }, undefined]);
    assert.equal(phone.strikes(), 1);
  }));

// DEV-56
test("a trial does not go back to what a release went back from", () =>
  withPhone(async (phone) => {
    await phone.world.publish("v3", { "index.html": "v3" });
    await makeActive(phone.world, phone.device());
    await phone.world.publish("v2", { "index.html": "v2" }, { allowOlder: true });
    await makeActive(phone.world, phone.device());
    assert.deepEqual(await starts(phone, 7), [...times(6, "v2"), "embedded"]);
  }));

test("a trial does not go back past the embedded bundle that a release went back to", () =>
  withPhone(async (phone) => {
    await phone.device().revert({ name: "shell", toEmbedded: true });
    await phone.world.publish("v3", { "index.html": "v3" });
    await makeActive(phone.world, phone.device());
    assert.deepEqual(await starts(phone, 7), [...times(6, "v3"), "embedded"]);
  }));

test("a new app binary forgets strikes with all else", () =>
  withPhone(async (phone) => {
    assert.deepEqual(await starts(phone, 3, { binaryVersion: "1" }), times(3, "v2"));
    assert.equal(phone.strikes(), 2);
    assert.equal(await phone.start({ binaryVersion: "2" }), "embedded");
    assert.equal(phone.strikes(), 0);
    assert.deepEqual(await starts(phone, 8, { binaryVersion: "2" }), times(8, "embedded"));
    assert.equal(phone.strikes(), 0);
  }));

test("a version that waits for its trial comes first", () =>
  withPhone(async (phone) => {
    await starts(phone, 3);
    await phone.world.publish("v3", { "index.html": "v3" });
    await update(phone.world, phone.world.device({ backOnTrial: true }));
    assert.equal(await phone.play(), "v3");
    assert.equal(phone.strikes(), 0);
    assert.equal(await phone.play(), "v3");
    const { state } = await phone.world.device().getState({});
    assert.deepEqual(state, { active: { shell: "v3" } });
  }));

for (
  const { title, before } of [
    {
      title: "is gone",
      before: ({ path }: Phone) => rmSync(path("shell/v1"), { recursive: true }),
    },
    {
      title: "lost its completeness mark",
      before: ({ path }: Phone) => rmSync(path(".complete/shell@v1.json")),
    },
    {
      title: "has a file of another size",
      before: ({ path }: Phone) => truncateSync(path("shell/v1/index.html"), 1),
    },
    {
      title: "is quarantined in guard.json alone",
      before: ({ path }: Phone) =>
        writeFileSync(path("guard.json"), JSON.stringify({ rejected: { shell: ["v1"] } })),
    },
  ]
) {
  test(`a version goes back on trial before the embedded bundle where the previous one ${title}`, () =>
    withPhone(async (phone) => {
      assert.deepEqual(await starts(phone, 3), times(3, "v2"));
      before(phone);
      assert.deepEqual(await starts(phone, 3), times(3, "v2"));
      assert.equal(await phone.start(), "embedded");
    }));
}

test("when the previous version cannot start either, the embedded bundle serves", () =>
  withPhone(async (phone) => {
    assert.deepEqual(await starts(phone, 14), [
      ...times(6, "v2"),
      ...times(6, "v1"),
      ...times(2, "embedded"),
    ]);
    const { rejected } = await phone.world.device().getState({});
    assert.deepEqual(rejected, { shell: ["v2", "v1"] });
  }));

test("strikes of one bundle are its own", () =>
  withPhone(async (phone) => {
    await starts(phone, 3);
    const app = phone.world.device({ backOnTrial: true });
    await app.launch({ name: "game" });
    await app.confirmLaunch({ name: "game" });
    assert.equal(phone.strikes(), 2);
    assert.deepEqual(await starts(phone, 3), times(3, "v2"));
    assert.equal(await phone.start(), "v1");
  }));

test("a launch without backOnTrial forgets strikes", () =>
  withPhone(async (phone) => {
    await starts(phone, 3);
    assert.equal(await launch(phone.world.device()), "v2");
    assert.equal(phone.strikes(), undefined);
  }));
