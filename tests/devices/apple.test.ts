import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { createDevices, type DeviceHost } from "../../lib/devices/mod.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { adapter } from "../contract/adapter.ts";
import { pngOf } from "../captures/fake-page.ts";
import { withFolder } from "../support/folder.ts";

// Xcode's programs run on a Mac alone: here are their outputs, in the formats that their help and
// man pages document, by the order that they are given.

const SIM = "5C2B2A5E-0F0C-4B9A-9C5D-1A2B3C4D5E6F";
const PHONE = "00008120-001A2B3C4D5E6F70";

/** What a program prints. */
interface Printed {
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string;
  readonly code?: number;
  /** What it writes into the file that it is told. */
  readonly file?: string;
}

const SIMULATORS = JSON.stringify({
  devices: {
    "com.apple.CoreSimulator.SimRuntime.iOS-18-0": [
      { udid: SIM, name: "iPhone 16\u202e", state: "Booted", isAvailable: true },
    ],
    "com.apple.CoreSimulator.SimRuntime.watchOS-11-0": [],
  },
});
const CONNECTED = JSON.stringify({
  info: { outcome: "success", jsonVersion: 2 },
  result: {
    devices: [{
      identifier: PHONE,
      connectionProperties: { pairingState: "paired", tunnelState: "connected" },
      deviceProperties: { name: "Ada's iPhone" },
      hardwareProperties: { platform: "iOS" },
    }],
  },
});
const line = (n: number, more: object = {}) =>
  JSON.stringify({
    timestamp: `2026-05-01 10:00:${String(n % 60).padStart(2, "0")}.${
      String(n).padStart(6, "0")
    }-0700`,
    messageType: "Default",
    eventMessage: `line ${n}`,
    processImagePath: "/private/var/App.app/App",
    ...more,
  });

/** The devices of a Mac whose xcrun prints so. */
async function onMac(
  printed: (order: string) => Printed,
  work: (devices: DeviceHost, orders: readonly string[]) => Promise<void>,
): Promise<void> {
  await withFolder(async (userData) => {
    const made: Runtime = adapter.createRuntime();
    const orders: string[] = [];
    const devices = createDevices({
      ...made,
      host: { ...made.host, platform: "darwin", userData },
      processes: {
        run({ command, args, onBytes, onOutput, maxOutputBytes }) {
          assert.equal(command, "/usr/bin/xcrun");
          orders.push(args.join(" "));
          const { stdout = "", stderr = "", code = 0, file } = printed(args.slice(0, 2).join(" "));
          if (file !== undefined) writeFileSync(String(args.at(-1)), file);
          if (onBytes !== undefined) {
            onBytes(typeof stdout === "string" ? new TextEncoder().encode(stdout) : stdout);
          } else onOutput?.(String(stdout), "stdout");
          onOutput?.(stderr, "stderr");
          const kept = onBytes === undefined ? String(stdout).slice(0, maxOutputBytes) : "";
          return Promise.resolve({ kind: "exited", code, stdout: kept, stderr, truncated: false });
        },
      },
      findAdb: () => Promise.resolve(null),
      bridgeAddress: () => Promise.resolve(null),
    });
    await work(devices, orders);
    await devices.close();
  });
}

/** A Mac that prints what is usual, or what is given instead. */
const usual = (instead: Readonly<Record<string, Printed>> = {}) => (order: string): Printed =>
  instead[order] ?? {
    "simctl list": { stdout: SIMULATORS },
    "devicectl list": { file: CONNECTED },
    "simctl io": { stdout: pngOf(1179, 2556) },
    "simctl spawn": { stdout: [1, 2].map((n) => `${line(n)}\n`).join("") },
  }[order] ?? {};

const { signal } = new AbortController();

test("simulators and iPhones are listed with what they can, and what is better done by the bridge", () =>
  onMac(usual(), async (devices, orders) => {
    const { devices: listed } = await devices.list(signal);
    assert.deepEqual(
      listed.map(({ id, name, transport, state, can }) => [id, name, transport, state, can]),
      [
        [SIM, "iPhone 16", "simctl", "ready", ["screenshot", "native_logs"]],
        [PHONE, "Ada's iPhone", "devicectl", "ready", []],
      ],
    );
    for (const { next } of listed) assert.match(next ?? "", /devices\.bridge/);
    assert.equal(orders[0], "simctl list devices booted --json");
    assert.match(orders[1] ?? "", /^devicectl list devices --json-output \/.*devices\.json$/);
    const shot = await devices.screenshot({ viewer: "agent", signal });
    assert.ok(shot.ok, shot.ok ? "" : shot.error.detail);
    assert.deepEqual([shot.value.device, shot.value.image], [SIM, { width: 1179, height: 2556 }]);
    assert.ok(orders.includes(`simctl io ${SIM} screenshot --type=png -`));
    const touched = await devices.touch({
      viewer: "agent",
      path: [{ x: 1, y: 1 }],
      durationMs: 0,
      signal,
    });
    assert.equal(touched.ok ? "" : touched.error.code, "device-cannot");
    const phone = await devices.screenshot({ viewer: "agent", device: PHONE, signal });
    assert.equal(phone.ok ? "" : phone.error.code, "device-cannot");
  }));

test("the log of a simulator keeps each line once, the newest of more than is kept (DEV-45)", () => {
  let lines = [1, 2];
  const printed = (order: string) =>
    order === "simctl spawn"
      ? { stdout: lines.map((n) => `${line(n, { extra: "x".repeat(1_000) })}\n`).join("") }
      : usual()(order);
  return onMac(printed, async (devices, orders) => {
    const texts = async () => {
      const log = await devices.log({ device: SIM, of: "native", signal });
      assert.ok(log.ok, log.ok ? "" : log.error.detail);
      return log.value.log.all().map(({ text }) => text);
    };
    assert.deepEqual(await texts(), ["line 1", "line 2"]);
    assert.ok(orders.includes(`simctl spawn ${SIM} log show --last 5m --style ndjson`));
    lines = [2, 3];
    assert.deepEqual(await texts(), ["line 1", "line 2", "line 3"]);
    lines = Array.from({ length: 12_000 }, (_, i) => i + 1); // 14 MB
    assert.equal((await texts()).at(-1), "line 12000");
    const before = (await texts()).length;
    assert.equal((await texts()).length, before);
  });
});

for (
  const [what, instead, code, said] of [
    [
      "no Xcode",
      { "simctl list": { code: 72, stderr: "xcrun: error: unable to find utility" } },
      "no-device",
      /unable to find utility/,
    ],
    [
      "text in place of a picture",
      { "simctl io": { stdout: "Detected file type from extension: PNG" } },
      "no-picture",
      /gave 38 bytes/,
    ],
    [
      "70 MB that begin like a picture",
      {
        "simctl io": {
          stdout: new Uint8Array(Buffer.concat([pngOf(8, 8), Buffer.alloc(70 * 1024 * 1024)])),
        },
      },
      "no-picture",
      /gave 734\d+ bytes/,
    ],
    [
      "a simulator that was shut down",
      { "simctl io": { code: 165, stderr: "Invalid device state" } },
      "xcrun-failed",
      /Invalid device state/,
    ],
  ] as const
) {
  test(`a Mac with ${what} is told`, () =>
    onMac(usual(instead), async (devices) => {
      const shot = await devices.screenshot({ viewer: "agent", signal });
      assert.equal(shot.ok ? "" : shot.error.code, code, JSON.stringify(shot).slice(0, 300));
      assert.match(shot.ok ? "" : shot.error.detail, said);
    }));
}

for (
  const file of [undefined, "", "null", "{", '{"result":{"devices":[1,{"identifier":"--help"}]}}']
) {
  test(`devicectl that writes ${JSON.stringify(file)} hides no simulator`, () =>
    onMac(
      usual({ "devicectl list": file === undefined ? { code: 1 } : { file } }),
      async (devices) => {
        assert.deepEqual((await devices.list(signal)).devices.map(({ id }) => id), [SIM]);
      },
    ));
}
