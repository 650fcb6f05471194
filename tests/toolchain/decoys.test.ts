import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import {
  BUILD_TARGETS,
  createToolchain,
  type DetectOptions,
  type SdkOverrides,
  TOOL_IDS,
  ToolAbsentError,
  type Toolchain,
} from "../../lib/toolchain/mod.ts";
import {
  folder,
  hostWith,
  posix,
  runtime,
  script,
  syncStat,
  toolchainWith,
} from "./real-machine.ts";

// A machine full of tools that write down that they were run: bundled-only is proven by silence.

/** Every program that a tool, or its runtime, could be. */
const NAMES = [
  ...["java", "javac", "adb", "npm", "npx", "node", "gltf-transform", "gltfpack"],
  ...["ffmpeg", "ffprobe", "toktx", "ktx", "msdf-atlas-gen", "pod", "ruby", "gem"],
  ...["xcodebuild", "sdkmanager"],
];

interface Decoys {
  readonly env: Readonly<Record<string, string>>;
  readonly userData: string;
  /** The names of those that were run, each once. */
  readonly ran: () => Set<string>;
}

/** Decoys on PATH, in JAVA_HOME, in ANDROID_HOME and in the well-known folders of the home folder. */
function decoys(): Decoys {
  const at = folder();
  const log = join(at, "ran");
  const decoy = (path: string, name: string) =>
    script(join(path, name), `echo ${name} >> "${log}"; echo "${name} version 21.0.1"; exit 1`);
  const home = join(at, "home");
  const javaHomes = [
    join(at, "jdk"),
    ...["21-tem", "21.0.1-zulu"].map((name) => join(home, ".sdkman/candidates/java", name)),
    join(home, ".jdks/temurin-21"),
    join(home, "Library/Java/JavaVirtualMachines/temurin-21.jdk/Contents/Home"),
  ];
  for (const java of javaHomes) {
    for (const name of ["java", "javac"]) decoy(join(java, "bin"), name);
  }
  const sdks = [join(at, "sdk"), join(home, "Android/Sdk"), join(home, "Library/Android/sdk")];
  for (const sdk of sdks) decoy(join(sdk, "platform-tools"), "adb");
  for (const name of NAMES) decoy(join(at, "bin"), name);
  return {
    env: {
      PATH: join(at, "bin"),
      JAVA_HOME: join(at, "jdk"),
      ANDROID_HOME: join(at, "sdk"),
      ANDROID_SDK_ROOT: join(at, "sdk"),
    },
    userData: at,
    ran: () => new Set(existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
  };
}

/** Everything that looks for tools. */
async function askEverything(toolchain: Toolchain, options: DetectOptions = {}): Promise<void> {
  for (const id of TOOL_IDS) {
    await toolchain.describe(await toolchain.detect(id, options));
    await toolchain.resolve(id, options).catch((thrown: unknown) =>
      assert.ok(thrown instanceof ToolAbsentError)
    );
    await toolchain.withToolOnPath(id, {}, options);
  }
  for (const target of BUILD_TARGETS) await toolchain.preflight(target, options);
  await toolchain.detectAdb(options);
  await toolchain.status(options);
}

// What the table leaves to the system: on Linux CocoaPods cannot be installed, Xcode never.
const LEFT = ["pod", "xcodebuild"];
const GRAPHICS = ["toktx", "ktx", "msdf-atlas-gen"];

interface Row {
  readonly title: string;
  readonly env: Readonly<Record<string, string>>;
  /** The toggle as it was saved. */
  readonly saved?: boolean;
  /** What may run, and is run. */
  readonly ran: readonly string[];
}

const ROWS: readonly Row[] = [
  { title: "packaged", env: { SVC_PACKAGED: "1" }, ran: [...LEFT, ...GRAPHICS] },
  {
    title: "packaged, saved as off",
    env: { SVC_PACKAGED: "1" },
    saved: false,
    ran: [...LEFT, ...GRAPHICS],
  },
  {
    title: "packaged with the graphics tools bundled",
    env: { SVC_PACKAGED: "1", SVC_TOKTX: "/bundle/toktx", SVC_MSDF_ATLAS_GEN: "/bundle/msdf" },
    ran: LEFT,
  },
  {
    title: "of a checkout, saved as off, that provisions Node",
    env: { SVC_PROVISION_NODE: "1" },
    saved: false,
    ran: [...LEFT, ...GRAPHICS],
  },
  {
    title: "of a checkout, saved as off",
    env: {},
    saved: false,
    ran: [...LEFT, ...GRAPHICS, "npm"],
  },
];

const linux = process.platform === "linux" ? posix : { skip: "the table differs by platform" };

for (const { title, env: given, saved, ran: want } of ROWS) {
  test(`a toolchain ${title} runs no refusable decoy, whatever it is asked`, linux, async () => {
    const { env, userData, ran } = decoys();
    const toolchain = toolchainWith({ ...env, ...given }, userData);
    if (saved !== undefined) assert.ok((await toolchain.setAllowSystem(saved)).ok);
    assert.equal(await toolchain.systemToolchainAllowed(), false);
    await askEverything(toolchain);
    assert.deepEqual(ran(), new Set(want));
  });
}

for (
  const [title, given, saved] of [
    ["of a checkout", {}, undefined],
    ["packaged, switched on", { SVC_PACKAGED: "1", SVC_ALLOW_SYSTEM_TOOLCHAIN: "1" }, undefined],
    ["packaged, saved as on", { SVC_PACKAGED: "1" }, true],
  ] as const
) {
  test(`a toolchain ${title} does run the decoys: they work`, posix, async () => {
    const { env, userData, ran } = decoys();
    const toolchain = toolchainWith({ ...env, ...given }, userData);
    if (saved !== undefined) assert.ok((await toolchain.setAllowSystem(saved)).ok);
    await askEverything(toolchain);
    const helpers = new Set(["javac", "npx", "node", "ruby", "gem", "sdkmanager"]);
    assert.deepEqual(ran(), new Set(NAMES.filter((name) => !helpers.has(name))));
  });
}

/** A project whose `user.sdk` names programs of its own; each writes down that it was run. */
function hollowProject(): { root: string; overrides: SdkOverrides; ran: () => boolean } {
  const root = folder();
  const log = join(root, "ran");
  for (const program of ["jdk/bin/java", "jdk/bin/javac", "sdk/platform-tools/adb"]) {
    script(join(root, program), `env >> "${log}"; echo 'openjdk version "21.0.1"' >&2`);
  }
  for (const name of NAMES) script(join(root, "node_modules/.bin", name), `env >> "${log}"`);
  return {
    root,
    overrides: { java: join(root, "jdk"), "android-sdk": join(root, "sdk") },
    ran: () => existsSync(log),
  };
}

test("looking for tools runs nothing that a project names, and finds it", posix, async () => {
  const { overrides, ran } = hollowProject();
  const toolchain = toolchainWith({ PATH: "/nowhere" });
  await askEverything(toolchain, { overrides });
  assert.equal(ran(), false);
  const java = await toolchain.detect("java", { overrides });
  assert.equal(java.present && java.source, "override");
  assert.equal("version" in java, false);
  assert.match(java.tried[0]?.reason ?? "", /not told without running it/);
  assert.deepEqual(await toolchain.detectAdb({ overrides }), {
    present: true,
    path: join(overrides["android-sdk"] ?? "", "platform-tools/adb"),
  });
});

for (const way of ["itself", "a link to it"]) {
  test(`looking for tools runs nothing of the project on PATH: ${way}`, posix, async () => {
    const { root, ran } = hollowProject();
    const bin = way === "itself" ? join(root, "node_modules/.bin") : join(folder(), "bin");
    if (way !== "itself") symlinkSync(join(root, "node_modules/.bin"), bin);
    // A tool of the machine that looks its interpreter up on PATH, as npm does.
    const machines = folder();
    script(join(machines, "node"), 'echo "10.1.2"');
    writeFileSync(join(machines, "npm"), "#!/usr/bin/env node\n", { mode: 0o755 });
    const host = hostWith({ PATH: `${bin}:relative::${machines}` }, folder());
    const toolchain = createToolchain({ ...runtime, host, project: root });
    await askEverything(toolchain);
    assert.equal(ran(), false);
    const npm = await toolchain.detect("npm");
    assert.ok(npm.present, JSON.stringify(npm));
    assert.deepEqual([npm.path, npm.version], [join(machines, "npm"), "10.1.2"]);
    await askEverything(createToolchain({ ...runtime, host }));
    assert.equal(ran(), true, "without a project they are tools like others");
  });
}

for (const path of ["\\\\server\\jdk", "//server/jdk", "\\\\?\\C:\\jdk", "\\/server/jdk"]) {
  test(`detect() refuses an override on a network before it is looked at: ${path}`, async () => {
    for (const platform of ["linux", "win32"] as const) {
      const host = { ...hostWith({}, folder()), platform };
      const looked: string[] = [];
      const toolchain = createToolchain({
        ...runtime,
        host,
        syncStat(at) {
          looked.push(at);
          return syncStat(at);
        },
      });
      for (const id of ["java", "android-sdk"] as const) {
        const found = await toolchain.detect(id, { overrides: { [id]: path } });
        assert.match(found.present ? "" : found.reason, /it is a path of a network/);
      }
      assert.deepEqual(looked.filter((at) => at.includes("server")), []);
    }
  });
}

test("every probe runs without the secrets of the environment", posix, async () => {
  const at = folder();
  const log = join(at, "ran");
  for (const name of NAMES) {
    script(join(at, "bin", name), `env >> "${log}"; echo "${name} version 21.0.1"`);
  }
  script(join(at, "jdk/bin/java"), `env >> "${log}"; echo 'openjdk version "21.0.1"' >&2`);
  const secrets = ["CLOUDFLARE_API_TOKEN", "GH_TOKEN", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK"];
  await askEverything(toolchainWith({
    PATH: `${join(at, "bin")}:/usr/bin:/bin`,
    JAVA_HOME: join(at, "jdk"),
    SVC_BUILD_ENV: secrets.join(),
    ...Object.fromEntries(secrets.map((name) => [name, "hush"])),
  }, at));
  const seen = readFileSync(log, "utf8");
  assert.match(seen, /PATH=/);
  assert.doesNotMatch(seen, /hush|SVC_/);
});
