import assert from "node:assert/strict";
import { test } from "node:test";
import { allowsSystem, canAutoInstall, refusesSystem } from "../../lib/toolchain/find/policy.ts";
import { createToolchain, type Platform, TOOL_IDS, type ToolId } from "../../lib/toolchain/mod.ts";
import type { Pin } from "../../lib/toolchain/pins/pins.ts";
import { DESCRIPTORS, PINS, type Pins } from "../../lib/toolchain/tools/tools.ts";
import { machine } from "./machine.ts";

const PIN: Pin = { artifacts: [], unpackedBytes: 1 };
/** What the specification has the editor provide, whether a hash for it is known yet or not. */
const ALL_PINS: Pins = {
  ...PINS,
  ffmpeg: { "darwin-arm64": PIN, "linux-arm64": PIN, "linux-x64": PIN, "win32-x64": PIN },
  ruby: { "darwin-arm64": PIN },
  cocoapods: { "darwin-arm64": PIN },
};

const REFUSED_ALWAYS: readonly ToolId[] = [
  "java",
  "android-sdk",
  "gltf-transform-cli",
  "gltfpack",
  "ffmpeg",
  "ffprobe",
];

interface Case {
  readonly title: string;
  readonly platform?: Platform;
  readonly packaged: boolean;
  readonly env?: Record<string, string>;
  /** Besides those that are always refused. */
  readonly refused: readonly ToolId[];
}

const CASES: readonly Case[] = [
  { title: "a development checkout", packaged: false, refused: [] },
  { title: "a packaged editor", packaged: true, refused: ["npm"] },
  {
    title: "a checkout that provisions Node",
    packaged: false,
    env: { SVC_PROVISION_NODE: "1" },
    refused: ["npm"],
  },
  {
    title: "a host that brings the two image tools",
    packaged: false,
    env: { SVC_TOKTX: "/bundle/toktx", SVC_MSDF_ATLAS_GEN: "/bundle/msdf-atlas-gen" },
    refused: ["toktx", "msdf-atlas-gen"],
  },
  {
    title: "a variable that is set to nothing",
    packaged: false,
    env: { SVC_TOKTX: " " },
    refused: [],
  },
  {
    title: "a Mac, where CocoaPods can be installed",
    platform: "darwin",
    packaged: true,
    refused: ["npm", "cocoapods"],
  },
];

for (const { title, platform = "linux", packaged, env = {}, refused } of CASES) {
  // FIND-11
  test(`refusesSystem() with the toggle off refuses what the table says on ${title}`, () => {
    const arch = platform === "darwin" ? "arm64" : "x64";
    const on = { ...machine({ platform, arch, env }), pins: ALL_PINS };
    const facts = { packaged, allowSystem: false };
    const got = TOOL_IDS.filter((id) => refusesSystem(DESCRIPTORS[id], facts, on));
    assert.deepEqual(new Set(got), new Set([...REFUSED_ALWAYS, ...refused]));
  });

  test(`refusesSystem() with the toggle on refuses nothing on ${title}`, () => {
    const on = machine({ platform, env });
    const facts = { packaged, allowSystem: true };
    assert.deepEqual(TOOL_IDS.filter((id) => refusesSystem(DESCRIPTORS[id], facts, on)), []);
  });
}

const TOGGLE: readonly (readonly [Record<string, string>, boolean | undefined, boolean])[] = [
  [{}, undefined, true],
  [{}, false, false],
  [{}, true, true],
  [{ SVC_PACKAGED: "1" }, undefined, false],
  [{ SVC_PACKAGED: "1" }, true, true],
  [{ SVC_PACKAGED: "1" }, false, false],
  [{ SVC_PACKAGED: "1", SVC_ALLOW_SYSTEM_TOOLCHAIN: "1" }, undefined, true],
  [{ SVC_PACKAGED: "1", SVC_ALLOW_SYSTEM_TOOLCHAIN: "1" }, false, true],
  [{ SVC_PACKAGED: "1", SVC_ALLOW_SYSTEM_TOOLCHAIN: "0" }, undefined, false],
  [{ SVC_PACKAGED: "0" }, undefined, true],
];

for (const [env, saved, want] of TOGGLE) {
  test(`allowsSystem() with ${JSON.stringify(env)} and ${saved} saved is ${want}`, async () => {
    assert.equal(allowsSystem(saved, machine({ env })), want);
    const settings = "/data/slipway/toolchain/settings.json";
    const entries = saved === undefined
      ? {}
      : { [settings]: JSON.stringify({ allowSystemToolchain: saved }) };
    const toolchain = createToolchain(machine({ env, entries }));
    assert.equal(await toolchain.systemToolchainAllowed(), want);
  });
}

const GUIDED: readonly ToolId[] = ["toktx", "msdf-atlas-gen", "xcodebuild"];

for (
  const [platform, arch, guided] of [
    ["darwin", "arm64", GUIDED],
    ["win32", "x64", [...GUIDED, "cocoapods"]],
    ["linux", "x64", [...GUIDED, "cocoapods"]],
    ["darwin", "x64", TOOL_IDS],
    ["linux", "arm64", [...GUIDED, "cocoapods", "android-sdk"]],
    ["linux", "other", TOOL_IDS],
  ] as const
) {
  test(`canAutoInstall() is true for what is pinned for ${platform}-${arch}`, () => {
    const on = { ...machine({ platform, arch }), pins: ALL_PINS };
    const got = TOOL_IDS.filter((id) => !canAutoInstall(DESCRIPTORS[id], on));
    assert.deepEqual(new Set(got), new Set(guided));
  });
}
