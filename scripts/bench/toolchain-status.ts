import { ANDROID_LICENCE } from "../../lib/toolchain/tools/android-packages.ts";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { createToolchain, TOOL_IDS, type Toolchain } from "../../lib/toolchain/mod.ts";
import { ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Found } from "./report.ts";

const ROUNDS = 15;
const SLOW_S = 0.4;
const USUAL_S = 0.1;

/** Output and duration of a fake tool's version query. */
const TOOLS: readonly (readonly [path: string, version: string, seconds: number])[] = [
  ["bin/toktx", "toktx v4.4.2", USUAL_S],
  ["bin/msdf-atlas-gen", "MSDF-Atlas-Gen v1.3", USUAL_S],
  ["bin/npm", "10.8.2", USUAL_S],
  ["bin/xcodebuild", "Xcode 16.2", USUAL_S],
  ["bin/pod", "1.17.0", USUAL_S],
  ["bin/gltf-transform", "4.4.1", SLOW_S],
  ["bin/gltfpack", "gltfpack 1.2", USUAL_S],
  ["bin/ffmpeg", "ffmpeg version 7.1", USUAL_S],
  ["bin/ffprobe", "ffprobe version 7.1", USUAL_S],
  ["jdk/bin/java", 'openjdk version "21.0.11"', USUAL_S],
];

/** The status of a machine that has all eleven tools, against its slowest tool alone. */
export async function measureToolchainStatus(
  context: BenchContext,
): Promise<Found> {
  const about = `All eleven tools are there; each takes ${USUAL_S} s to tell its version, one ` +
    `${SLOW_S} s. Cold is a new process's first look; warm the same again, probed again as the ` +
    "status always is; remembered is detecting all eleven once more.";
  const against = "its slowest tool alone";
  const names = ["status, cold", "status, warm", "detect all, remembered"];
  if (process.platform === "win32") {
    const notMeasured = "the fake tools are shell scripts";
    return {
      about,
      findings: names.map((ours) => ({ ours, against, of: "time" as const, notMeasured })),
    };
  }
  const { runtime, folder, quick, onRound } = context;
  writeTools(folder);
  const open = opener(context);
  const warm = open();
  await assertAll(warm);
  const slowest = join(folder, "bin/gltf-transform");
  const alone = {
    run: async () =>
      void await runtime.processes.run({
        command: slowest,
        args: ["--version"],
        cwd: folder,
        env: { PATH: "/usr/bin:/bin" },
        timeoutMs: 10_000,
        maxOutputBytes: 1_000,
      }),
  };
  const sides = [
    alone,
    { run: async () => void await open().status() },
    { run: async () => void await warm.status() },
    { run: async () => void await Promise.all(TOOL_IDS.map((id) => warm.detect(id))) },
  ];
  const rounds = quick ? 2 : ROUNDS;
  const now = () => runtime.clock.monotonic();
  const [peer = [], ...times] = await timeRounds(sides, { rounds, now, onRound });
  return {
    about,
    findings: names.map((ours, i) => ({
      ours,
      against,
      of: "time" as const,
      ratio: ratioOf(times[i] ?? [], peer),
    })),
  };
}

/** Files that must exist but are not run. */
const QUIET = ["jdk/bin/javac", "sdk/platform-tools/adb", "sdk/build-tools/36.0.0/aapt2"];
const FILES: readonly (readonly [path: string, text: string])[] = [
  ["sdk/platforms/android-36/android.jar", "fake"],
  [`sdk/licenses/${ANDROID_LICENCE.id}`, ANDROID_LICENCE.hash],
];

function writeTools(folder: string): void {
  const programs = [...TOOLS, ...QUIET.map((path) => [path, "", 0] as const)];
  for (const [path, version, seconds] of programs) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\nsleep ${seconds}\necho '${version}'\necho '${version}' >&2\n`);
    chmodSync(file, 0o755);
  }
  for (const [path, text] of FILES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function opener({ runtime, folder }: BenchContext): () => Toolchain {
  const env: Readonly<Record<string, string>> = {
    PATH: [join(folder, "bin"), "/usr/bin", "/bin"].join(delimiter),
    JAVA_HOME: join(folder, "jdk"),
    ANDROID_HOME: join(folder, "sdk"),
  };
  const host = {
    ...runtime.host,
    env: (name: string) => env[name],
    environment: () => ({ ...env }),
    home: join(folder, "home"),
    userData: join(folder, "data"),
  };
  return () => createToolchain({ ...runtime, host });
}

/** A status that misses a tool would be fast for the wrong reason. */
async function assertAll(toolchain: Toolchain): Promise<void> {
  const { tools } = await toolchain.status();
  const missing = tools.filter(({ present }) => !present).map(({ id }) => id);
  if (missing.length > 0) throw new Error(`The fake tools ${missing.join(", ")} are not found`);
}
