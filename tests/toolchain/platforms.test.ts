import assert from "node:assert/strict";
import { test } from "node:test";
import { createToolchain, type Platform, TOOL_IDS, type ToolId } from "../../lib/toolchain/mod.ts";
import { machine } from "./machine.ts";

// Every tool on every platform: provided by the editor exactly where it is pinned, else by a person.

const PLATFORMS: readonly (readonly [Platform, "x64" | "arm64"])[] = [
  ["darwin", "arm64"],
  ["win32", "x64"],
  ["linux", "x64"],
  ["linux", "arm64"],
  ["darwin", "x64"],
];

const EVERYWHERE = ["darwin-arm64", "win32-x64", "linux-x64", "linux-arm64"];

/** Where the editor provides each tool, and which version. */
const PROVIDED: Readonly<Record<ToolId, readonly [string | null, readonly string[]]>> = {
  toktx: [null, []],
  "msdf-atlas-gen": [null, []],
  npm: ["node 22.23.1", EVERYWHERE],
  xcodebuild: [null, []],
  cocoapods: ["1.17.0", ["darwin-arm64"]],
  "gltf-transform-cli": ["4.4.1", EVERYWHERE],
  gltfpack: ["1.2.0", EVERYWHERE],
  ffmpeg: ["8.1.2 (2026)", EVERYWHERE],
  ffprobe: ["8.1.2 (2026)", EVERYWHERE],
  "android-sdk": ["cmdline-tools 15641748", ["darwin-arm64", "win32-x64", "linux-x64"]],
  java: ["21.0.11+10", EVERYWHERE],
};

for (const [platform, arch] of PLATFORMS) {
  // FIND-2
  test(`status() on ${platform} ${arch} offers what is pinned there, and guides to the rest`, async () => {
    const toolchain = createToolchain(machine({ platform, arch }));
    const { tools } = await toolchain.status();
    assert.deepEqual(tools.map(({ id }) => id), TOOL_IDS);
    for (const tool of tools) {
      const name = `${tool.id} on ${platform}-${arch}`;
      const [version, where] = PROVIDED[tool.id];
      const provided = where.includes(`${platform}-${arch}`);
      assert.equal(tool.present, false, name);
      assert.equal(tool.canAutoInstall, provided, name);
      assert.equal(tool.pinned, provided ? version ?? "" : undefined, name);
      assert.equal(tool.guide === undefined, provided, name);
      assert.equal((tool.licences ?? []).length > 0, provided, name);
      const refused = provided ? null : await toolchain.install(tool.id);
      assert.equal(
        refused === null || refused.ok ? null : refused.error.code,
        provided ? null : "not-installable",
      );

      const guide = toolchain.guide(tool.id);
      if (tool.guide !== undefined) assert.deepEqual(tool.guide, guide, name);
      assert.ok(guide.steps.length >= 2 && guide.title.length > 2, name);
      for (const step of guide.steps) assert.match(step, /^[A-Z].{10,}[.)]$/s, name);
      // A person can see that it worked, or is told why there is nothing to do here.
      const end = guide.steps.at(-1) ?? "";
      assert.match(end, /\bcheck\b.*:|^Updates over the air|SVC_COCOAPODS/i, name);
    }
  });
}

test("guide() of the Android SDK says where its vendor builds nothing", () => {
  const of = (platform: Platform, arch: "x64" | "arm64") =>
    createToolchain(machine({ platform, arch })).guide("android-sdk").steps.join("\n");
  assert.match(of("linux", "arm64"), /x86-64 only/);
  assert.doesNotMatch(of("linux", "x64"), /x86-64/);
  assert.doesNotMatch(of("darwin", "arm64"), /x86-64/);
});

for (
  const [platform, arch, want] of [
    ["darwin", "x64", /^On a Mac with Apple silicon start Slipway with a Node or Deno for arm64/],
    ["win32", "arm64", /^Start Slipway with a Node or Deno for x64/],
    ["linux", "other", null],
  ] as const
) {
  test(`install() on ${platform} ${arch} names another runtime where one would do`, async () => {
    const toolchain = createToolchain(machine({ platform, arch }));
    const refused = await toolchain.install("java");
    const next = refused.ok ? "" : refused.error.next ?? "";
    const [step = ""] = toolchain.guide("java").steps;
    if (want === null) assert.match(next, /^Follow the guide: /);
    else {
      assert.match(next, want);
      assert.match(next, /Or: Follow the guide: npx slipway toolchain guide java$/);
      assert.match(step, want);
    }
    assert.doesNotMatch(toolchain.guide("toktx").steps.join(), /Node or Deno/);
  });
}
