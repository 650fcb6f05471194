import assert from "node:assert/strict";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { parseProjectConfig } from "../../lib/project/config/config.ts";
import { planTarget } from "../../lib/project/building/build-target.ts";
import { buildWeb } from "../../lib/project/building/build.ts";
import { withFolder } from "../support/folder.ts";
import { openPublishWorld } from "../project/publish-world.ts";

/** All files below a folder, as text; what is stored packed, unpacked. */
function textOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name)))
    .map((bytes) => (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes))
    .map((bytes) => bytes.toString("latin1")).join("\n");
}

const EDITOR = "ws://192.168.1.20:4747";
/** The bridge's own words: its route, its storage, its messages, its setting. */
const TRACE = /device.?bridge|api\/devices|slipway bridge 1|192\.168\.1\.20/;

test("what is published has no trace of the bridge, whatever was built before (DEV-47)", () =>
  withFolder(async (folder) => {
    const world = await openPublishWorld(folder);
    const { root, runtime, bucket } = world;
    cpSync("lib/editor/sample", root, { recursive: true });
    const { startScene } = JSON.parse(readFileSync(join(root, "project.config.json"), "utf8"));
    world.configure({ startScene, build: { web: { out: "dist" } }, devices: { bridge: EDITOR } });
    world.writeKey(world.key);
    const config = parseProjectConfig(readFileSync(join(root, "project.config.json")));
    assert.ok(config.ok, config.ok ? "" : config.error.message);
    const options = { root, config: config.value, env: {} };
    const lines: string[] = [];
    const built = await buildWeb(runtime, { ...options, onLine: (line) => lines.push(line) });
    assert.ok(built.ok, built.ok ? "" : built.error.detail);
    assert.match(textOf(built.value.folder), TRACE);
    assert.match(lines.join("\n"), /has the device bridge to ws:\S+: give it to no player/);

    const { data } = await world.publish({ version: "v1" });
    assert.equal(data.ok, true, JSON.stringify(data));
    assert.doesNotMatch(textOf(bucket), TRACE);
    assert.doesNotMatch(textOf(join(root, "dist")), TRACE);
  }));

for (
  const [steps, isForPlayers] of [
    [[["./android/gradlew", "-p", "android", "assembleDebug"]], false],
    [[["npx", "cap", "sync", "android"], ["./android/gradlew", "bundleRelease"]], true],
    [[["./android/gradlew", ":app:assembleRelease"]], true],
    [[["xcodebuild", "-scheme", "App", "-configuration", "Debug", "build"]], false],
    [[["xcodebuild", "-scheme", "App", "-configuration", "Release", "build"]], true],
    [[["xcodebuild", "archive", "-scheme", "App"]], true],
    [[["./release-tools/run", "debug"]], false],
    [[["npx", "cap", "build", "android"]], true],
    [[["./android/gradlew", "bundle"]], true],
    [[["npm", "run", "app"]], true],
    [[["xcodebuild", "-project", "App.xcodeproj"]], true],
    [[["xcodebuild", "-destination", "generic/platform=iOS Simulator", "build"]], false],
  ] as const
) {
  const title = steps.map((step) => step.join(" ")).join(", then ");
  test(`a build by ${title} has ${isForPlayers ? "no" : "the"} bridge (DEV-47)`, () => {
    const parsed = config(EDITOR);
    assert.ok(parsed.ok);
    const { build } = parsed.value;
    const plan = planTarget({
      root: "/game",
      config: { ...parsed.value, build: { ...build, android: { steps } } },
      target: "android",
    });
    assert.ok(plan.ok);
    assert.equal(plan.value.config.devices === undefined, isForPlayers);
    assert.equal(plan.value.unbridged !== undefined, isForPlayers);
  });
}

const config = (bridge: unknown) =>
  parseProjectConfig(new TextEncoder().encode(JSON.stringify({
    name: "Game",
    startScene: "assets/main.scene.json",
    build: { web: { out: "dist" } },
    devices: { bridge },
  })));

for (
  const [given, want] of [
    ["ws://192.168.1.20:4747", "ws://192.168.1.20:4747"],
    ["wss://editor.example", "wss://editor.example"],
    ["ws://[fe80::1]:4747/", "ws://[fe80::1]:4747"],
    ["http://192.168.1.20:4747", null],
    ["ws://192.168.1.20:4747/api/devices/bridge", null],
    ["ws://192.168.1.20:4747?token=1", null],
    ["ws://user:word@192.168.1.20:4747", null],
    ["192.168.1.20:4747", null],
    ["", null],
    [4747, null],
    [undefined, null],
  ] as const
) {
  test(`devices.bridge of ${JSON.stringify(given)} is ${want === null ? "refused" : "taken"} (DEV-47)`, () => {
    const read = config(given);
    if (want !== null) return assert.deepEqual(read.ok && read.value.devices, { bridge: want });
    assert.match(read.ok ? "" : read.error.message, /devices\.bridge.*ws:\/\/<address>:4747/);
  });
}
