import assert from "node:assert/strict";
import { test } from "node:test";
import {
  parseDebugSockets,
  parseDevices,
  parseLogcat,
  screenOf,
} from "../../lib/devices/adb/parse.ts";
import { ORDERS } from "../../lib/devices/apple/apple-transport.ts";
import { parseConnected, parseSimulators, parseSystemLog } from "../../lib/devices/apple/parse.ts";
import { DeviceLog } from "../../lib/devices/logs/device-log.ts";
import { onScreen, sameScreen, screenInfo } from "../../lib/devices/screen/screen.ts";

// What phones print, and what a pixel means on them.

test("parseDevices() tells serial, state and model, and nothing of adb's own lines (DEV-46)", () => {
  const printed = `* daemon started successfully
List of devices attached
emulator-5554          device product:sdk_gphone64 model:sdk_gphone64_x86_64 device:emu transport_id:1
192.168.1.5:5555       offline transport_id:2
R58M123ABC             unauthorized usb:1-1 transport_id:3
0123456789ABCDEF       no permissions (user in plugdev group; are your udev rules wrong?) usb:1-2
-rf                    device model:evil
a;reboot               device model:evil

`;
  assert.deepEqual(parseDevices(printed), [
    { serial: "emulator-5554", state: "device", model: "sdk gphone64 x86 64" },
    { serial: "192.168.1.5:5555", state: "offline", model: "192.168.1.5:5555" },
    { serial: "R58M123ABC", state: "unauthorized", model: "R58M123ABC" },
    { serial: "0123456789ABCDEF", state: "no permissions", model: "0123456789ABCDEF" },
  ]);
});

const SIZE = "Physical size: 1080x2400\n";
for (
  const [name, display, size, density, want] of [
    [
      "upright",
      "  init=1080x2400 420dpi cur=1080x2400 app=1080x2274\n  mCurrentRotation=ROTATION_0",
      SIZE,
      "Physical density: 420\n",
      { width: 1080, height: 2400, rotation: 0, unitsPerPoint: 2.625 },
    ],
    [
      "turned",
      "  init=1080x2400 420dpi cur=2400x1080 app=2274x1080\n  mCurrentRotation=ROTATION_270",
      SIZE,
      "Physical density: 420\n",
      { width: 2400, height: 1080, rotation: 270, unitsPerPoint: 2.625 },
    ],
    [
      "an older Android",
      "  init=720x1280 320dpi cur=1280x720\n  mRotation=1",
      "",
      "",
      { width: 1280, height: 720, rotation: 90, unitsPerPoint: 1 },
    ],
    [
      "sizes that are overridden, where no display is told",
      "",
      "Physical size: 1440x3200\nOverride size: 1080x2400\n",
      "Physical density: 560\nOverride density: 480\n",
      { width: 1080, height: 2400, rotation: 0, unitsPerPoint: 3 },
    ],
    ["nothing that is known", "error", "cmd: no such command", "", null],
  ] as const
) {
  test(`screenOf() reads a screen: ${name}`, () => {
    assert.deepEqual(screenOf([display, size, density].join("\n")), want);
  });
}

test("parseDebugSockets() finds each web view once", () => {
  const printed = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 21 @webview_devtools_remote_4321
0000000000000000: 00000003 00000000 00000000 0001 03 22 @webview_devtools_remote_4321
0000000000000000: 00000002 00000000 00010000 0001 01 23 @webview_devtools_remote_4321;reboot
0000000000000000: 00000002 00000000 00010000 0001 01 24 /dev/socket/adbd`;
  assert.deepEqual(parseDebugSockets(printed), [{
    name: "webview_devtools_remote_4321",
    pid: 4321,
  }]);
});

test("parseLogcat() reads time, level, tag and text", () => {
  const printed = `--------- beginning of main
 1763888000.123  4321  4350 I Capacitor/Console: File: main.js - Msg: ready
 1763888000.456  4321  4350 E AndroidRuntime: FATAL: main: boom`;
  assert.deepEqual(printed.split("\n").map(parseLogcat), [
    null,
    {
      t: 1763888000123,
      level: "info",
      tag: "Capacitor/Console",
      text: "File: main.js - Msg: ready",
    },
    { t: 1763888000456, level: "error", tag: "AndroidRuntime", text: "FATAL: main: boom" },
  ]);
});

test("simulators, iPhones and their log are read of what Xcode's programs print", () => {
  const udid = "5C2B2A5E-0F0C-4B9A-9C5D-1A2B3C4D5E6F";
  const runtime = "com.apple.CoreSimulator.SimRuntime.iOS-18-0";
  const booted = { udid, name: "iPhone 16", state: "Booted", isAvailable: true };
  const off = { udid: udid.replace("5C", "6C"), name: "iPad", state: "Shutdown" };
  const evil = { udid: "--help", name: "evil", state: "Booted" };
  assert.deepEqual(
    parseSimulators(JSON.stringify({ devices: { [runtime]: [booted, off, evil] } })),
    [{ id: udid, name: "iPhone 16", isConnected: true }],
  );
  const phone = (platform: string, tunnelState: string) => ({
    identifier: udid,
    deviceProperties: { name: "Ada's iPhone" },
    hardwareProperties: { platform },
    connectionProperties: { tunnelState, pairingState: "paired" },
  });
  const devices = [
    phone("iOS", "connected"),
    phone("watchOS", "connected"),
    phone("iOS", "unavailable"),
  ];
  assert.deepEqual(parseConnected(JSON.stringify({ result: { devices } })), [
    { id: udid, name: "Ada's iPhone", isConnected: true },
    { id: udid, name: "Ada's iPhone", isConnected: false },
  ]);
  const line = JSON.stringify({
    timestamp: "2026-05-01 10:00:00.123456-0700",
    messageType: "Error",
    eventMessage: "boom",
    processImagePath: "/private/App.app/App",
  });
  const reported = {
    t: Date.parse("2026-05-01T17:00:00.123Z"),
    level: "error",
    text: "boom",
    tag: "App",
  };
  assert.deepEqual([line, "not json", ""].map(parseSystemLog), [reported, null, null]);
  assert.deepEqual(ORDERS.screenshot(udid), [
    "simctl",
    "io",
    udid,
    "screenshot",
    "--type=png",
    "-",
  ]);
  for (const text of ["", "null", "{}", '{"devices":3}', '{"result":{"devices":[1,{}]}}']) {
    assert.deepEqual([parseSimulators(text), parseConnected(text)], [[], []]);
  }
});

for (
  const [name, image, screen, point, want, scale] of [
    ["as large", [1080, 2400], [1080, 2400, 2.625], [540, 1200], [540.5, 1200.5], 2.625],
    ["scaled down", [540, 1200], [1080, 2400, 3], [0, 1199], [1, 2399], 1.5],
    [
      "CSS pixels at 2.625",
      [1080, 2100],
      [411.42857142857144, 800, 1],
      [1079, 0],
      [411.24, 0.19],
      2.625,
    ],
    ["CSS pixels at 1", [1280, 720], [1280, 720, 1], [12.7, 3], [12.5, 3.5], 1],
  ] as const
) {
  test(`onScreen() means the middle of a pixel: ${name} (DEV-43)`, () => {
    const [width, height, unitsPerPoint] = screen;
    const shown = {
      image: { width: image[0], height: image[1] },
      screen: { width, height, rotation: 0, unitsPerPoint },
    };
    const place = onScreen({ x: point[0], y: point[1] }, shown);
    assert.ok(place.ok);
    assert.deepEqual([place.value.x, place.value.y].map((n) => Math.round(n * 100) / 100), want);
    const info = screenInfo(shown);
    assert.ok(Math.abs(info.scale - scale) < 1e-9, String(info.scale));
    assert.ok(Math.abs(info.width * info.scale - shown.image.width) < 1e-6);
    for (const [x, y] of [[-1, 0], [0, -0.1], [image[0], 0], [0, image[1]], [NaN, 0]] as const) {
      const outside = onScreen({ x, y }, shown);
      assert.equal(outside.ok ? "" : outside.error.code, "off-picture");
    }
  });
}

test("sameScreen() tells a screen that was turned upside down from the one before", () => {
  const screen = { width: 1080, height: 2400, rotation: 0, unitsPerPoint: 1 };
  assert.ok(sameScreen(screen, { ...screen }));
  assert.ok(!sameScreen(screen, { ...screen, rotation: 180 }));
  assert.ok(!sameScreen(screen, { ...screen, width: 2400, height: 1080, rotation: 90 }));
});

test("DeviceLog keeps each line once, however often it is read (DEV-45)", () => {
  const log = new DeviceLog();
  const line = (t: number, text: string) => ({ t, level: "log", text }) as const;
  log.merge([line(1, "a"), line(2, "b"), line(2, "b")]);
  log.merge([line(1, "a"), line(2, "b"), line(2, "b"), line(2, "c"), line(3, "d")]);
  log.merge([line(2, "c"), line(3, "d"), line(3, "d")]);
  assert.deepEqual(log.all().map(({ seq, text }) => `${seq}${text}`), [
    "1a",
    "2b",
    "3b",
    "4c",
    "5d",
    "6d",
  ]);
});

test("DeviceLog keeps what a clock that was set back, or another log's order, tells late (DEV-45)", () => {
  const log = new DeviceLog();
  const line = (t: number, text: string) => ({ t, level: "log", text }) as const;
  log.merge([line(9, "far")]);
  log.merge([line(9, "far"), line(1, "set back"), line(0, "of another log")]);
  for (let n = 0; n < 2; n++) log.push(line(1, "twice at once"));
  log.merge([line(1, "twice at once"), line(1, "twice at once"), line(1, "twice at once")]);
  assert.deepEqual(log.all().map(({ text }) => text), [
    "far",
    "set back",
    "of another log",
    ...Array.from({ length: 3 }, () => "twice at once"),
  ]);
});
