import assert from "node:assert/strict";
import { test } from "node:test";
import { type ProgramEnd, scrubbedEnvironment, withFolders } from "../../lib/programs/mod.ts";
import { probe, readProbe } from "../../lib/toolchain/find/probe.ts";
import type { ToolId } from "../../lib/toolchain/mod.ts";
import { ADB_PROBE } from "../../lib/toolchain/tools/android-sdk.ts";
import type { ProbeSpec } from "../../lib/toolchain/tools/descriptor.ts";
import { JAVA_PROBE } from "../../lib/toolchain/tools/java.ts";
import { DESCRIPTORS } from "../../lib/toolchain/tools/tools.ts";
import { answer as answered, machine } from "./machine.ts";

function specOf(id: ToolId): ProbeSpec {
  const descriptor = DESCRIPTORS[id];
  if (descriptor.kind !== "binary") throw new TypeError(`${id} has no probe`);
  return descriptor.probe;
}

/** How a program ends that prints this. */
function answer(...printed: Parameters<typeof answered>): () => ProgramEnd {
  const result = answered(...printed)();
  if (result.kind !== "exited") throw new TypeError(`A program that prints was ${result.kind}`);
  return () => ({ ...result, tail: "" });
}

// Outputs as the real programs print them.
const FFMPEG = `ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000-2026 the FFmpeg developers
built with gcc 12 (Debian 12.2.0-14+deb12u1)
libavutil      57. 28.100 / 57. 28.100
`;
const JAVA_17 = `openjdk version "17.0.15" 2025-04-15
OpenJDK Runtime Environment (build 17.0.15+6-Debian-1deb12u1)
`;
const PICKED_UP = `Picked up JAVA_TOOL_OPTIONS: -Dversion="9.9.9"
NOTE: Picked up JDK_JAVA_OPTIONS: -Dx=version "8.0.0"
`;
const ADB = `Android Debug Bridge version 1.0.41
Version 29.0.6-debian
Installed as /usr/lib/android-sdk/platform-tools/adb
`;

const READ: readonly (readonly [string, ProbeSpec, ProgramEnd, string | RegExp])[] = [
  ["gltf-transform", specOf("gltf-transform-cli"), answer("4.4.1\n")(), "4.4.1"],
  ["gltfpack of npm, two parts", specOf("gltfpack"), answer("gltfpack 1.2\n")(), "1.2"],
  ["gltfpack of Debian", specOf("gltfpack"), answer("gltfpack 0.18\n")(), "0.18"],
  [
    "gltfpack asked wrongly",
    specOf("gltfpack"),
    answer("", "Unrecognized option --version\n", 1)(),
    /exits with 1.*Unrecognized option --version/,
  ],
  ["ffmpeg", specOf("ffmpeg"), answer(FFMPEG)(), "5.1.9-0+deb12u1 (2026)"],
  [
    "ffmpeg with the version on stderr and a bad exit",
    specOf("ffmpeg"),
    answer("", FFMPEG, 1)(),
    /exits with 1/,
  ],
  [
    "ffprobe",
    specOf("ffprobe"),
    answer(FFMPEG.replace("ffmpeg", "ffprobe").replace("2000-", "2007-"))(),
    "5.1.9-0+deb12u1 (2026)",
  ],
  [
    "ffmpeg that names its commit alone",
    specOf("ffmpeg"),
    answer("ffmpeg version N-92722-gf22fcd4483 Copyright (c) 2000-2018 the FFmpeg developers\n")(),
    "N-92722-gf22fcd4483 (2018)",
  ],
  [
    "ffmpeg on a system without what it loads",
    specOf("ffmpeg"),
    answer(
      "",
      "/t/ffmpeg: error while loading shared libraries: libpulse.so.0: cannot open",
      127,
    )(),
    /^it does not start: it needs libpulse\.so\.0, which is not there$/,
  ],
  ["a copy of ffmpeg called ffprobe", specOf("ffprobe"), answer(FFMPEG)(), /tells no version/],
  ["npm", specOf("npm"), answer("10.8.2\n")(), "10.8.2"],
  [
    "npm with a warning before it",
    specOf("npm"),
    answer("npm notice new version 12.0.0\n10.8.2\n")(),
    "10.8.2",
  ],
  ["ktx", specOf("toktx"), answer("ktx version: v4.3.2\n")(), "4.3.2"],
  ["toktx on stderr", specOf("toktx"), answer("", "toktx v4.0.0~8\n")(), "4.0.0~8"],
  [
    "msdf-atlas-gen",
    specOf("msdf-atlas-gen"),
    answer("MSDF-Atlas-Gen v1.3\n(c) 2020 - 2024 Viktor Chlumsky\n")(),
    "1.3",
  ],
  ["xcodebuild", specOf("xcodebuild"), answer("Xcode 16.2\nBuild version 16C5032a\n")(), "16.2"],
  [
    "xcodebuild after an update of macOS",
    specOf("xcodebuild"),
    answer(
      "",
      "xcrun: error: invalid active developer path (/Library/Developer/CommandLineTools), " +
        "missing xcrun at: /Library/Developer/CommandLineTools/usr/bin/xcrun",
      1,
    )(),
    /^the tools that it belongs to are gone, .*sudo xcode-select -s/,
  ],
  [
    "xcodebuild with the command line tools alone",
    specOf("xcodebuild"),
    answer(
      "",
      "xcode-select: error: tool 'xcodebuild' requires Xcode, but active developer directory " +
        "'/Library/Developer/CommandLineTools' is a command line tools instance\n",
      1,
    )(),
    /xcode-select -s/,
  ],
  ["pod", specOf("cocoapods"), answer("1.17.0\n")(), "1.17.0"],
  ["java", JAVA_PROBE, answer("", JAVA_17)(), "17.0.15"],
  ["java behind noise", JAVA_PROBE, answer("", PICKED_UP + JAVA_17)(), "17.0.15"],
  ["java 8", JAVA_PROBE, answer("", 'java version "1.8.0_402"\n')(), "1.8.0_402"],
  ["java that prints on stdout", JAVA_PROBE, answer(JAVA_17)(), /tells no version/],
  [
    "the java stub of macOS",
    JAVA_PROBE,
    answer("", "The operation couldn’t be completed. Unable to locate a Java Runtime.\n", 1)(),
    /stub of macOS/,
  ],
  ["adb, whose first line is its protocol", ADB_PROBE, answer(ADB)(), "29.0.6-debian"],
  [
    "adb with line ends of Windows",
    ADB_PROBE,
    answer(ADB.replaceAll("\n", "\r\n"))(),
    "29.0.6-debian",
  ],
  [
    "a version that steers the terminal",
    specOf("ffmpeg"),
    answer("ffmpeg version \x1b[31m9.9 Copyright\n")(),
    /^it tells no version when asked '-version': "ffmpeg version \\u001b\[31m9\.9/,
  ],
  [
    "a version without an end",
    specOf("ffmpeg"),
    answer(`ffmpeg version ${"9".repeat(60_000)}\n`)(),
    /^it tells no version when asked '-version': "ffmpeg version 9{145}"$/,
  ],
  ["silence", specOf("npm"), answer("")(), /^it tells no version when asked '--version'$/],
  ["a missing loader", specOf("npm"), { kind: "not-started", reason: "ENOENT" }, /ENOENT/],
  [
    "a crash",
    specOf("npm"),
    { kind: "signalled", signal: "SIGSEGV", stdout: "", stderr: "", tail: "" },
    /SIGSEGV/,
  ],
  [
    "a hang",
    specOf("ffmpeg"),
    { kind: "timed-out", timeoutMs: 10_000, stdout: "ffmpeg version 1", stderr: "", tail: "" },
    /did not answer '-version' within 10 s/,
  ],
];

for (const [title, spec, result, want] of READ) {
  test(`readProbe() reads ${title}`, () => {
    const read = readProbe(result, spec);
    if (typeof want === "string") assert.equal(read.ok && read.value.version, want);
    else assert.match(read.ok ? `found ${read.value.version}` : read.error.message, want);
  });
}

test("readProbe() shows one short line of what a program printed", () => {
  const read = readProbe(answer(`\n\n${"x".repeat(5000)}\nmore\n`, "", 3)(), specOf("npm"));
  assert.ok(!read.ok && read.error.message.length < 260 && !read.error.message.includes("\n"));
});

test("probe() runs in the temporary folder with bounds, without what would change a tool", async () => {
  const on = machine({});
  const env = scrubbedEnvironment({
    PATH: "/bin",
    HOME: "/home/user",
    JAVA_TOOL_OPTIONS: "x",
    _JAVA_OPTIONS: "x",
    JDK_JAVA_OPTIONS: "x",
    NODE_OPTIONS: "x",
    RUBYOPT: "x",
    GEM_HOME: "x",
    GEM_PATH: "x",
    BUNDLE_GEMFILE: "x",
    npm_config_prefix: "x",
    SVC_TOKEN: "secret",
    SVC_OTA_KEY: "secret",
    GITHUB_TOKEN: "secret",
    CLOUDFLARE_API_TOKEN: "secret",
    AWS_SECRET_ACCESS_KEY: "secret",
    SSH_AUTH_SOCK: "secret",
    DATABASE_URL: "postgres://me:secret@db.example",
  });
  const result = await probe({ path: "/a/npm", spec: specOf("npm"), env }, on);
  assert.equal(result.ok && result.value.version, "1.2.3");
  const [request] = on.runs;
  assert.equal(request?.cwd, "/tmp");
  assert.deepEqual(request?.env, {
    PATH: "/bin",
    HOME: "/home/user",
    npm_config_update_notifier: "false",
  });
  assert.ok((request?.timeoutMs ?? 0) >= 10_000 && (request?.maxOutputBytes ?? 0) > 0);
});

test("every probe gives a JavaScript or Ruby program at least 10 s", () => {
  for (const id of ["npm", "gltf-transform-cli", "gltfpack", "cocoapods"] as const) {
    assert.ok(specOf(id).timeoutMs >= 10_000, id);
  }
});

test("withFolders() puts folders first, each once, under the name that PATH has", () => {
  assert.deepEqual(withFolders({ PATH: "/a:/b" }, ["/b", "/c"], "linux"), { PATH: "/b:/c:/a" });
  assert.deepEqual(withFolders({ Path: "C:\\a" }, ["C:\\b"], "win32"), { Path: "C:\\b;C:\\a" });
  assert.deepEqual(withFolders({}, ["/a"], "linux"), { PATH: "/a" });
});
