import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRequest } from "../../lib/ports/processes.ts";
import {
  createToolchain,
  TOOL_IDS,
  ToolAbsentError,
  type ToolId,
} from "../../lib/toolchain/mod.ts";
import { DESCRIPTORS } from "../../lib/toolchain/tools/tools.ts";
import { answer, type Entry, jdk, type Machine, machine } from "./machine.ts";

const PROGRAM: Entry = { program: "x" };
const TC = "/data/slipway/toolchain";
const PACKAGED = { SVC_PACKAGED: "1" };

function trail(tried: readonly { source: string; path: string; reason: string }[]): string[] {
  return tried.map(({ source, path, reason }) => `${source} ${path}: ${reason}`);
}

const GLTFPACK = answer("gltfpack 1.2\n");

// FIND-3
test("detect() takes the variable first, then its own, then PATH, and says why", async () => {
  const own = `${TC}/npm-tools/node_modules/.bin/gltfpack`;
  const on = machine({
    env: { SVC_GLTFPACK: "/env/gltfpack", PATH: "/p" },
    entries: { "/env/gltfpack": PROGRAM, [own]: PROGRAM, "/p/gltfpack": PROGRAM },
    run: GLTFPACK,
  });
  const toolchain = createToolchain(on);
  const found = async () => {
    const detection = await toolchain.detect("gltfpack");
    return detection.present ? [detection.source, detection.path, detection.version] : null;
  };
  assert.deepEqual(await found(), ["env", "/env/gltfpack", "1.2"]);
  on.entries.delete("/env/gltfpack");
  assert.deepEqual(await found(), ["own", own, "1.2"]);
  on.entries.delete(own);
  assert.deepEqual(await found(), ["path", "/p/gltfpack", "1.2"]);
  assert.deepEqual(trail((await toolchain.detect("gltfpack")).tried), [
    "env /env/gltfpack: SVC_GLTFPACK names it: nothing is there",
    `own ${TC}/npm-tools: no gltfpack is installed there`,
    "path /p/gltfpack: taken: 1.2",
  ]);
});

// FIND-4
test("detect() goes on to the next candidate when one does not work", async () => {
  const on = machine({
    env: { PATH: "/a:/b:/c" },
    entries: { "/a/ffmpeg": PROGRAM, "/b/ffmpeg": PROGRAM, "/c/ffmpeg": PROGRAM },
    run: ({ command }) =>
      command === "/c/ffmpeg"
        ? answer("ffmpeg version 7.1 Copyright\n")()
        : command === "/a/ffmpeg"
        ? { kind: "killed", by: "timeout", stdout: "", stderr: "", truncated: false }
        : answer("", "no such library\n", 127)(),
  });
  const detection = await createToolchain(on).detect("ffmpeg");
  assert.equal(detection.present && detection.version, "7.1");
  assert.deepEqual(trail(detection.tried).slice(1), [
    "path /a/ffmpeg: it did not answer '-version' within 10 s and was stopped",
    "path /b/ffmpeg: it exits with 127 when asked '-version': \"no such library\"",
    "path /c/ffmpeg: taken: 7.1 (the pinned version is 8.1.2 (2026))",
  ]);
});

test("detect() probes one file under two names once", async () => {
  const on = machine({
    env: { PATH: "/bin:/usr/bin" },
    entries: { "/bin/ffmpeg": { link: "/usr/bin/ffmpeg" }, "/usr/bin/ffmpeg": PROGRAM },
    run: answer("", "", 1),
  });
  await createToolchain(on).detect("ffmpeg");
  assert.deepEqual(on.runs.map(({ command }) => command), ["/bin/ffmpeg"]);
});

test("detect() takes ktx for toktx, and its path says so", async () => {
  const on = machine({
    env: { PATH: "/p" },
    entries: { "/p/ktx": PROGRAM },
    run: answer("ktx version: v4.4.2\n"),
  });
  const toolchain = createToolchain(on);
  const ktx = await toolchain.detect("toktx");
  assert.deepEqual(ktx.present && [ktx.path, ktx.version], ["/p/ktx", "4.4.2"]);
  assert.equal(ktx.tried.at(-1)?.reason, "taken: ktx 4.4.2");
  on.entries.set("/p/toktx", PROGRAM);
  const toktx = await toolchain.detect("toktx");
  assert.equal(toktx.present && toktx.path, "/p/toktx");
});

test("detect() says where the version differs from the pin, and 1.2 is 1.2.0", async () => {
  for (const [printed, want] of [["1.2", "1.2"], ["0.18", "0.18 (the pinned version is 1.2.0)"]]) {
    const on = machine({
      env: { PATH: "/p" },
      entries: { "/p/gltfpack": PROGRAM },
      run: answer(`gltfpack ${printed}\n`),
    });
    const detection = await createToolchain(on).detect("gltfpack");
    assert.equal(detection.tried.at(-1)?.reason, `taken: ${want}`);
  }
});

for (const id of TOOL_IDS) {
  const descriptor = DESCRIPTORS[id];
  if (descriptor.kind === "directory") continue;
  const variable = `SVC_${id.toUpperCase().replaceAll("-", "_")}`;
  test(`detect("${id}") takes what ${variable} names, on a packaged host as well`, async () => {
    for (const env of [{}, PACKAGED]) {
      const on = machine({
        env: { ...env, [variable]: "/mine/tool", PATH: "/p" },
        entries: { "/mine/tool": PROGRAM, [`/p/${descriptor.names[0]}`]: PROGRAM },
        run: answer(`${id} version 1.2.3\nXcode 1.2.3\n1.2.3\ngltfpack 1.2.3\n`),
      });
      const found = await createToolchain(on).detect(id);
      assert.equal(found.present ? found.path : found.reason, "/mine/tool");
      assert.deepEqual(on.runs.map(({ command }) => command), ["/mine/tool"]);
    }
  });
}

const BROKEN_ENV: readonly (readonly [string, string, Record<string, Entry>, RegExp])[] = [
  ["relative", "bin/npm", { "bin/npm": PROGRAM }, /expected an absolute path/],
  ["missing", "/gone/npm", {}, /nothing is there/],
  ["a folder", "/d", { "/d": { folder: true } }, /found a folder, expected a program/],
  ["not executable", "/f/npm", { "/f/npm": "text" }, /this user may not execute it/],
];

for (const [title, value, entries, reason] of BROKEN_ENV) {
  test(`detect() never runs a variable that is ${title}`, async () => {
    const on = machine({ env: { SVC_NPM: value }, entries });
    const detection = await createToolchain(on).detect("npm");
    assert.equal(detection.present, false);
    assert.match(detection.tried[0]?.reason ?? "", reason);
    assert.match(detection.present ? "" : detection.reason, reason);
    assert.equal(on.runs.length, 0);
  });
}

test("detect() keeps a good answer until the file changes, a failure for 5 s", async () => {
  let code = 1;
  const on = machine({
    env: { PATH: "/p" },
    entries: { "/p/npm": PROGRAM },
    run: () => answer("10.8.2\n", "", code)(),
  });
  const toolchain = createToolchain(on);
  const present = async () => (await toolchain.detect("npm")).present;
  assert.deepEqual([await present(), await present(), on.runs.length], [false, false, 1]);
  code = 0;
  on.time = 5_000;
  assert.deepEqual([await present(), await present(), on.runs.length], [true, true, 2]);
  on.time = 1e9;
  assert.deepEqual([await present(), on.runs.length], [true, 2]);
  on.entries.set("/p/npm", { program: "another size" });
  assert.deepEqual([await present(), on.runs.length], [true, 3]);
  await toolchain.status();
  assert.equal(on.runs.length, 4);
});

test("detect() in a project's folder asks again after 5 s: files there select a version (TOOL-16)", async () => {
  const on = machine({
    env: { PATH: "/p" },
    entries: { "/p/npm": PROGRAM },
    run: answer("10.8.2\n"),
  });
  const toolchain = createToolchain(on);
  const ask = async () => (await toolchain.detect("npm", { runsIn: "/game" })).present;
  assert.deepEqual([await ask(), await ask(), on.runs.length], [true, true, 1]);
  on.time = 5_000;
  assert.deepEqual([await ask(), on.runs.length], [true, 2]);
});

const RUNTIMES = "== Runtimes ==\nwatchOS 26.1 (26.1 - 23S31) - com.apple.watchOS-26-1\n";
const IOS = "iOS 26.1 (26.1 - 23B86) - com.apple.CoreSimulator.SimRuntime.iOS-26-1";

/** What `xcrun simctl list runtimes` prints, the version of Xcode, and whether that can build for iOS. */
for (
  const [title, xcode, printed, want] of [
    ["with its platform", "26.1", `${RUNTIMES}${IOS}\n`, true],
    ["without its platform", "26.1", RUNTIMES, false],
    [
      "whose platform is unavailable",
      "26.1",
      `${RUNTIMES}${IOS} (unavailable, not found)\n`,
      false,
    ],
    ["whose list cannot be read", "26.1", "", true],
    ["that brings its platform", "14.3.1", RUNTIMES, true],
  ] as const
) {
  test(`detect("xcodebuild") of an Xcode ${title}`, async () => {
    const on = machine({
      platform: "darwin",
      arch: "arm64",
      env: { PATH: "/usr/bin" },
      entries: { "/usr/bin/xcodebuild": PROGRAM, "/usr/bin/xcrun": PROGRAM },
      run: ({ command }) => answer(command === "/usr/bin/xcrun" ? printed : `Xcode ${xcode}\n`)(),
    });
    const found = await createToolchain(on).detect("xcodebuild");
    assert.equal(found.present, want, JSON.stringify(found));
    if (!found.present) assert.match(found.reason, /run 'xcodebuild -downloadPlatform iOS'$/);
  });
}

test("detect() asks a program once when two ask at the same time", async () => {
  const on = machine({
    env: { PATH: "/p" },
    entries: { "/p/npm": PROGRAM },
    run: answer("10.8.2\n"),
  });
  const toolchain = createToolchain(on);
  await Promise.all([toolchain.detect("npm"), toolchain.detect("npm")]);
  assert.equal(on.runs.length, 1);
});

test("detect() never throws, whatever breaks below it", async () => {
  const broken = () => Promise.reject(new Error("disk on fire"));
  const given = {
    env: { PATH: "/p", JAVA_HOME: "/j" },
    entries: { "/p/npm": PROGRAM, "/j/bin/java": PROGRAM, "/s/platform-tools": { folder: true } },
  } as const;
  const on = machine(given);
  const files = { ...on.files, realPath: broken, stat: broken, list: broken, read: broken };
  const processes = { run: broken };
  for (const deps of [{ ...on, files }, { ...on, processes }, { ...on, files, processes }]) {
    const toolchain = createToolchain(deps);
    for (const id of TOOL_IDS) assert.equal((await toolchain.detect(id)).present, false, id);
  }
});

// FIND-17
test("resolve() gives the tool, or throws the whole trail with the next step", async () => {
  const on = machine({
    env: { PATH: "/p" },
    entries: { "/p/npm": PROGRAM },
    run: answer("10.8.2\n"),
  });
  const toolchain = createToolchain(on);
  assert.equal((await toolchain.resolve("npm")).path, "/p/npm");
  await assert.rejects(toolchain.resolve("toktx"), (thrown: unknown) => {
    assert.ok(thrown instanceof ToolAbsentError);
    assert.match(thrown.message, /^Cannot find toktx: not found/);
    assert.match(thrown.message, /path +PATH: no toktx or ktx in its folder/);
    assert.match(thrown.message, /next: npx slipway toolchain guide toktx$/);
    assert.equal(thrown.detection.tried.length, 2);
    return true;
  });
});

// Every tool whose system copy is refused when packaged, everywhere it could hide.
function decoys(env: Record<string, string>): Machine {
  return machine({
    env: { PATH: "/p", JAVA_HOME: "/j", ANDROID_HOME: "/sdk", ANDROID_SDK_ROOT: "/sdk", ...env },
    entries: {
      ...Object.fromEntries(
        ["java", "adb", "npm", "gltf-transform", "gltfpack", "ffmpeg", "ffprobe"].map((name) => [
          `/p/${name}`,
          PROGRAM,
        ]),
      ),
      "/j/bin/java": PROGRAM,
      "/usr/lib/jvm/jdk-21/bin/java": PROGRAM,
      "/sdk/platform-tools/adb": PROGRAM,
      "/home/user/Android/Sdk/platform-tools/adb": PROGRAM,
    },
    run: answer("gltfpack 1.2\n4.4.1\n", 'openjdk version "21.0.1"\n'),
  });
}

const REFUSABLE: readonly ToolId[] = [
  "java",
  "android-sdk",
  "npm",
  "gltf-transform-cli",
  "gltfpack",
  "ffmpeg",
  "ffprobe",
];

test("detect() bundled-only runs no copy of the system, and names each in the trail", async () => {
  const on = decoys(PACKAGED);
  const toolchain = createToolchain(on);
  for (const id of REFUSABLE) {
    const detection = await toolchain.detect(id);
    assert.ok(!detection.present && detection.systemRefused, id);
    const refused = detection.tried.filter(({ reason }) => reason.startsWith("refused:"));
    assert.ok(refused.length > 0, id);
    assert.match(
      (await toolchain.preflight("android")).missing[0]?.fix ?? "",
      /^npx slipway toolchain install npm$/,
    );
  }
  assert.deepEqual(on.runs, []);
  const java = await toolchain.detect("java");
  assert.deepEqual(
    java.tried.filter(({ reason }) => reason.startsWith("refused:")).map(({ path }) => path),
    ["/j", "/usr/lib/jvm/jdk-21", "/p/java"],
  );
});

test("detect() bundled-only still takes its own and what a variable of ours names", async () => {
  const on = decoys({ ...PACKAGED, SVC_FFMPEG: "/mine/ffmpeg" });
  on.entries.set("/mine/ffmpeg", PROGRAM);
  on.entries.set(`${TC}/npm-tools/node_modules/.bin/gltfpack`, PROGRAM);
  for (const [path, entry] of Object.entries(jdk(`${TC}/jdk/21.0.11+10`, "21.0.11"))) {
    on.entries.set(path, entry);
  }
  const toolchain = createToolchain(on);
  const sources = async (id: ToolId) => {
    const detection = await toolchain.detect(id);
    return detection.present ? detection.source : null;
  };
  assert.deepEqual(
    [await sources("gltfpack"), await sources("java"), await sources("ffprobe")],
    ["own", "own", null],
  );
  assert.equal((await toolchain.detect("ffmpeg")).tried[0]?.source, "env");
});

test("detect() takes toktx from PATH in a packaged editor without a bundle, not beside one", async () => {
  const entries = { "/p/toktx": PROGRAM, "/bundle/toktx": PROGRAM };
  const run = answer("toktx v4.4.2\n");
  const found = async (env: Record<string, string>) => {
    const on = machine({ env: { ...PACKAGED, PATH: "/p", ...env }, entries, run });
    const detection = await createToolchain(on).detect("toktx");
    return detection.present ? [detection.source, detection.path] : null;
  };
  assert.deepEqual(await found({}), ["path", "/p/toktx"]);
  assert.deepEqual(await found({ SVC_TOKTX: "/bundle/toktx" }), ["bundled", "/bundle/toktx"]);
  assert.equal(await found({ SVC_TOKTX: "/bundle/gone" }), null);
});

test("detect() runs its own programs on its own runtime", async () => {
  const on = machine({
    env: { PATH: "/usr/bin" },
    entries: {
      [`${TC}/node/node-v22.23.1-linux-x64/bin/node`]: PROGRAM,
      [`${TC}/node/node-v22.23.1-linux-x64/bin/npm`]: PROGRAM,
      [`${TC}/npm-tools/node_modules/.bin/gltfpack`]: PROGRAM,
      [`${TC}/cocoapods-gems/bin/pod`]: PROGRAM,
      [`${TC}/ruby/portable-ruby/3.4.5/bin/ruby`]: PROGRAM,
    },
  });
  const toolchain = createToolchain(on);
  const env = async (id: ToolId): Promise<RunRequest["env"]> => {
    await toolchain.detect(id);
    return on.runs.at(-1)?.env ?? {};
  };
  const node = `${TC}/node/node-v22.23.1-linux-x64/bin`;
  assert.equal((await env("npm"))["PATH"], `${node}:/usr/bin`);
  assert.equal((await env("gltfpack"))["PATH"], `${node}:/usr/bin`);
  const pod = await env("cocoapods");
  assert.equal(pod["PATH"], `${TC}/ruby/portable-ruby/3.4.5/bin:/usr/bin`);
  assert.equal(pod["GEM_HOME"], `${TC}/cocoapods-gems`);
});

test("detect() on Windows sends a shim to cmd.exe only where it cannot see through it", async () => {
  const on = machine({
    platform: "win32",
    env: { Path: "C:\\nodejs", SystemRoot: "C:\\Windows" },
    entries: {
      "C:/nodejs/npm.cmd": PROGRAM,
      "C:/nodejs/node.exe": PROGRAM,
      "C:/nodejs/node_modules/npm/bin/npm-cli.js": "js",
      "C:/data/slipway/toolchain/npm-tools/node_modules/.bin/gltfpack.cmd": PROGRAM,
      "C:/data/slipway/toolchain/npm-tools/node_modules/.bin/gltf-transform.cmd":
        '"%_prog%"  "%dp0%\\..\\@gltf-transform\\cli\\cli.js" %*\r\n',
      "C:/data/slipway/toolchain/npm-tools/node_modules/@gltf-transform/cli/cli.js": "js",
      "C:/data/slipway/toolchain/npm-tools/node_modules/.bin/gltfpack": PROGRAM,
    },
    run: answer("gltfpack 1.2\n10.8.2\n"),
  });
  const toolchain = createToolchain(on);
  const npm = await toolchain.detect("npm");
  assert.equal(npm.present && npm.path, "C:\\nodejs\\npm.cmd");
  assert.equal(on.runs[0]?.command, "C:\\nodejs\\node.exe");
  const gltfpack = await toolchain.detect("gltfpack");
  assert.equal(gltfpack.present && gltfpack.source, "own");
  assert.equal(on.runs[1]?.command, "C:\\Windows\\System32\\cmd.exe");
  assert.equal(on.runs[1]?.verbatimArguments, true);
  await toolchain.detect("gltf-transform-cli");
  assert.equal(on.runs[2]?.command, "C:\\nodejs\\node.exe");
  assert.match(on.runs[2]?.args[0] ?? "", /\\@gltf-transform\\cli\\cli\.js$/);
});
