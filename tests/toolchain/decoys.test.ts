import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import {
  BUILD_TARGETS,
  TOOL_IDS,
  ToolAbsentError,
  type Toolchain,
} from "../../lib/toolchain/mod.ts";
import { folder, posix, script, toolchainWith } from "./real-machine.ts";

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
async function askEverything(toolchain: Toolchain): Promise<void> {
  for (const id of TOOL_IDS) {
    await toolchain.describe(await toolchain.detect(id));
    await toolchain.resolve(id).catch((thrown: unknown) =>
      assert.ok(thrown instanceof ToolAbsentError)
    );
    await toolchain.withToolOnPath(id, {});
  }
  for (const target of BUILD_TARGETS) await toolchain.preflight(target);
  await toolchain.detectAdb();
  await toolchain.status();
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
