import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { TOOL_IDS } from "../../lib/toolchain/mod.ts";
import { until } from "../support/until.ts";
import { addBuildParts, folder, posix, script, toolchainWith } from "./real-machine.ts";

/** Programs and what they print when asked for their version; the Android SDK is told by its folder. */
const TOOLS: Readonly<Record<string, string>> = {
  "bin/toktx": "toktx v4.4.2",
  "bin/msdf-atlas-gen": "MSDF-Atlas-Gen v1.3",
  "bin/npm": "10.8.2",
  "bin/xcodebuild": "Xcode 16.2",
  "bin/pod": "1.17.0",
  "bin/gltf-transform": "4.4.1",
  "bin/gltfpack": "gltfpack 1.2",
  "bin/ffmpeg": "ffmpeg version 7.1",
  "bin/ffprobe": "ffprobe version 7.1",
  "jdk/bin/java": 'openjdk version "21.0.11"',
};

test("status() runs all tools side by side, and the event loop goes on", posix, async () => {
  const at = folder();
  const started = join(at, "started");
  const go = join(at, "go");
  // No tool answers before all have started and this very process has told them to.
  for (const [path, version] of Object.entries(TOOLS)) {
    script(
      join(at, path),
      `mkdir -p "${started}/$(basename "$0")"\n` +
        `while [ ! -e "${go}" ]; do sleep 0.05; done\n` +
        `echo '${version}'; echo '${version}' >&2`,
    );
  }
  script(join(at, "jdk/bin/javac"), "exit 1");
  const adbRan = join(at, "adb ran");
  script(join(at, "sdk/platform-tools/adb"), `: > "${adbRan}"`);
  addBuildParts(join(at, "sdk"));
  const toolchain = toolchainWith({
    PATH: [join(at, "bin"), "/usr/bin", "/bin"].join(delimiter),
    JAVA_HOME: join(at, "jdk"),
    ANDROID_HOME: join(at, "sdk"),
  });

  const asked = toolchain.status();
  const expected = Object.keys(TOOLS).length;
  await until(
    `${expected} tools run at the same time`,
    () => existsSync(started) && readdirSync(started).length === expected,
  );
  writeFileSync(go, "");
  const status = await asked;
  const present = status.tools.filter((tool) => tool.present).map(({ id }) => id);
  assert.deepEqual(present, [...TOOL_IDS]);
  assert.deepEqual([status.adb.present, existsSync(adbRan)], [true, false], "nobody waits for adb");
});
