import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import type { Fact } from "../../lib/project/mod.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { addBuildParts, provide, script } from "../toolchain/real-machine.ts";
import { inWorld, needs, PATH_TO_NODE } from "./build-world.ts";
import { androidApp, type CapacitorMajor, TEMPLATES, type Tree } from "./plan-apps.ts";
import { writeJdk, writeProject, writeRunners } from "./plan-stand-ins.ts";

// BUILD-14: what is told before a build is what the build does. Each project is planned and then built, with
// stand-ins that end as the real tools do: one that is ready is built, and one that is not would fail.

type Manager = "npm" | "pnpm" | "yarn" | "classic" | "pnp" | "bun";

interface Row {
  readonly of?: CapacitorMajor;
  readonly manager?: Manager;
  /** The file of Capacitor's settings. */
  readonly settings?: "json" | "ts" | "js";
  /** The folder of the Android app. */
  readonly app?: string;
  readonly steps?: readonly (readonly string[])[];
  readonly change?: Tree;
  readonly without?: readonly string[];
  /** Changes the folder of a project that is written; `at` is the folder around it, with JDKs and SDKs. */
  readonly spoil?: (root: string, at: string) => void;
  /** The JDK that the project names, by its version. */
  readonly jdk?: string;
  readonly ready: boolean;
  /** Names of what lacks. */
  readonly lacks?: readonly (string | RegExp)[];
  /** The next step for the first. */
  readonly fix?: RegExp;
  /** Values of facts that are not those of the usual app; of one that cannot be used also why. */
  readonly facts?: Readonly<Record<string, string | RegExp>>;
  /** What is told about facts that a build can use. */
  readonly notes?: Readonly<Record<string, RegExp>>;
  /** Where facts are decided. */
  readonly from?: Readonly<Record<string, string>>;
  /** Facts that nobody knows. */
  readonly unknown?: readonly string[];
  /** Whether the steps do build it, if that is not what is told: what is missing is required all the same. */
  readonly builds?: true;
}

const LOCKS: Readonly<Record<Manager, Tree>> = {
  npm: { "package-lock.json": "{}" },
  pnpm: { "pnpm-lock.yaml": "lockfileVersion: '9.0'\n" },
  yarn: { "yarn.lock": "__metadata:\n  version: 8\n" },
  classic: { "yarn.lock": "# yarn lockfile v1\n" },
  pnp: { "yarn.lock": "__metadata:\n  version: 8\n", ".pnp.cjs": '"@capacitor/cli"' },
  bun: { "bun.lock": "{}" },
};

const RUNS: Readonly<Record<Manager, readonly string[]>> = {
  npm: ["npx", "cap"],
  pnpm: ["pnpm", "exec", "cap"],
  yarn: ["yarn", "cap"],
  classic: ["yarn", "cap"],
  pnp: ["yarn", "cap"],
  bun: ["bunx", "cap"],
};

const WRAPPER = "android/gradle/wrapper/gradle-wrapper.properties";
const JAR = "android/gradle/wrapper/gradle-wrapper.jar";
const PROPERTIES = "android/gradle.properties";
const LOCAL = "android/local.properties";
const wrapperOf = (version: string, path = WRAPPER): Tree => ({
  [path]:
    `distributionUrl=https\\://services.gradle.org/distributions/gradle-${version}-all.zip\r\n`,
});

/** Puts the project into a workspace of pnpm, whose packages are links into the workspace's own. */
function inWorkspace(root: string, at: string): void {
  rmSync(join(root, "pnpm-lock.yaml"));
  writeTree(at, {
    "pnpm-workspace.yaml": "packages:\n  - '*'\ncatalog:\n  vite: ^7\n",
    "pnpm-lock.yaml": "lockfileVersion: '9.0'\n",
  });
  for (const name of ["core", "cli", "android"]) {
    const own = join(root, "node_modules/@capacitor", name);
    const stored = `node_modules/.pnpm/@capacitor+${name}/node_modules/@capacitor/${name}`;
    mkdirSync(join(at, stored, ".."), { recursive: true });
    renameSync(own, join(at, stored));
    symlinkSync(join("../../..", stored), own);
  }
}

/** Settings of an app in `android`, which is a link. */
const LINKED: Tree = {
  "capacitor.config.json": '{"appId":"com.example.game","webDir":"dist"}',
  "settings.sh": "web=dist platform=android name=capacitor.config.json\n",
};

const ROWS: readonly (readonly [string, Row])[] = [
  ...([7, 8] as const).flatMap((of) =>
    (["npm", "pnpm", "yarn", "classic", "pnp", "bun"] as const).map((manager) =>
      [`Capacitor ${of} with ${manager}`, { of, manager, ready: true }] as const
    )
  ),
  ...([7, 8] as const).map((of) =>
    [`Capacitor ${of} in a workspace of pnpm`, {
      ...{ of, manager: "pnpm" as const, ready: true, spoil: inWorkspace },
      from: { packageManager: "pnpm-lock.yaml" },
    }] as const
  ),
  ["a workspace of pnpm that is not installed", {
    manager: "pnpm",
    spoil(root, at) {
      inWorkspace(root, at);
      rmSync(join(at, "node_modules"), { recursive: true });
    },
    ready: false,
    lacks: ["node_modules"],
    fix: /^pnpm install$/,
    facts: { packageManager: /^pnpm: found no @capacitor\/core, / },
    builds: true,
  }],
  ["packages that are not installed, below settings of pnpm that name no packages", {
    manager: "pnpm",
    without: ["node_modules/@capacitor/core/package.json"],
    spoil: (_root, at) => writeTree(at, { "pnpm-workspace.yaml": "allowBuilds:\n  a: true\n" }),
    ready: false,
    lacks: ["node_modules"],
    fix: /^pnpm install --ignore-workspace$/,
    facts: { packageManager: /^pnpm: found no @capacitor\/core/ },
    builds: true,
  }],
  ["packages that a workspace of npm has in the folder above", {
    spoil(root, at) {
      rmSync(join(root, "package-lock.json"));
      mkdirSync(join(at, "node_modules"));
      renameSync(join(root, "node_modules/@capacitor"), join(at, "node_modules/@capacitor"));
      writeTree(at, { "package.json": '{"workspaces":["my*"]}', "package-lock.json": "{}" });
    },
    ready: true,
    from: { packageManager: "package-lock.json" },
  }],
  ["a Node that the project does not ask for", {
    change: { ".nvmrc": "# by somebody\nv4.9\n" },
    ready: true,
    notes: { node: /^\.nvmrc asks for v4\.9, and nothing selects that here$/ },
  }],
  ["a Node that the project asks for", {
    change: { ".nvmrc": "lts/*\n", ".node-version": ">=18 || 4\n" },
    ready: true,
    notes: { node: /^undefined$/ },
  }],
  ["an app in a folder outside the project", {
    app: "../droid",
    ready: true,
    facts: { platformDir: /^\/.*\/droid$/ },
  }],
  ["an app in a folder outside the project, with settings in TypeScript", {
    app: "../droid",
    settings: "ts",
    ready: true,
    facts: { platformDir: /^\/.*\/droid$/ },
  }],
  ["an app in a folder outside the project, with an old Gradle", {
    of: 6,
    app: "../droid",
    ready: false,
    lacks: [/^\/.*\/droid\/gradle\/wrapper\/gradle-wrapper\.properties$/],
    facts: { platformDir: /^\/.*\/droid$/, gradle: /^8\.2\.1: / },
  }],
  ["an app in a folder outside the project that names a Mac's SDK", {
    app: "../droid",
    change: { "../droid/local.properties": "sdk.dir=/Users/somebody/Library/Android/sdk\n" },
    ready: false,
    lacks: [/^\/.*\/droid\/local\.properties$/],
    facts: { platformDir: /^\/.*\/droid$/, sdk: /: nothing is there/ },
  }],
  ["an app in a folder that is named from the root", {
    app: "../droid",
    spoil: (root, at) => nameApp(root, join(at, "droid")),
    steps: [["npx", "cap", "sync", "android"], [
      "AT/droid/gradlew",
      "-p",
      "AT/droid",
      "assembleDebug",
    ]],
    ready: true,
    facts: { platformDir: /^\/.*\/droid$/ },
  }],
  ["an app in a folder that is named from the root, and is not there", {
    spoil: (root, at) => nameApp(root, join(at, "droid")),
    steps: [["npx", "cap", "sync", "android"], ["AT/droid/gradlew", "assembleDebug"]],
    ready: false,
    lacks: [/\/droid\/$/],
    unknown: ["gradle", "androidPlugin", "compileSdk", "buildTools"],
    fix: /^npx cap add android$/,
    facts: { platformDir: /\/droid: the folder of the android app is not there$/ },
  }],
  ["an Android app behind a link that leads out of the project, with an old Gradle", {
    of: 6,
    app: "../elsewhere",
    spoil: (root) => symlinkSync("../elsewhere", join(root, "android")),
    change: LINKED,
    steps: [["npx", "cap", "sync", "android"], [
      "./android/gradlew",
      "-p",
      "android",
      "assembleDebug",
    ]],
    ready: false,
    lacks: [WRAPPER],
    facts: { platformDir: "android", gradle: /^8\.2\.1: / },
  }],
  ["settings behind a link that leads out of the project", {
    spoil(root, at) {
      renameSync(join(root, "capacitor.config.json"), join(at, "shared.json"));
      symlinkSync("../shared.json", join(root, "capacitor.config.json"));
    },
    ready: true,
  }],
  ["Capacitor 6 on JDK 21", {
    of: 6,
    ready: false,
    lacks: [WRAPPER],
    facts: { gradle: /^8\.2\.1: it does not run on JDK 21/ },
  }],
  ["Capacitor 6 on JDK 21, with pnpm", {
    of: 6,
    manager: "pnpm",
    ready: false,
    lacks: [WRAPPER],
    facts: { gradle: /^8\.2\.1: it does not run on JDK 21/ },
  }],
  ["Capacitor 6 on a JDK 17 that the project names", {
    of: 6,
    jdk: "17.0.15",
    ready: true,
    facts: { jdk: /jdk-17\.0\.15 \(17\.0\.15\)$/ },
  }],
  ["Capacitor 6 with a newer Gradle", {
    of: 6,
    change: wrapperOf("8.5"),
    ready: true,
    facts: { gradle: "8.5" },
  }],
  ["Capacitor 7 on a JDK 17 that the project names", {
    of: 7,
    jdk: "17.0.15",
    ready: false,
    lacks: ["user.sdk.java in project.config.json"],
    facts: { jdk: /: it is JDK 17, expected 21 or newer: .*compiles for Java 21$/ },
  }],
  ["Capacitor 8 on a JDK 25 that the project names", {
    jdk: "25.0.1",
    ready: false,
    lacks: [WRAPPER],
    facts: { jdk: /\(25\.0\.1\)$/, gradle: /does not run on JDK 25, only on JDK 24 or older$/ },
  }],
  ["settings in TypeScript", { settings: "ts", ready: true }],
  ["settings in JavaScript", { settings: "js", ready: true, of: 7 }],
  ["settings in TypeScript that do not load", {
    settings: "ts",
    change: { "settings.sh": "fails=1\n" },
    ready: false,
    lacks: ["@capacitor/cli"],
    fix: /^Correct what it says$/,
    unknown: ["webDir", "platformDir", "appId"],
  }],
  ["settings in TypeScript with another web folder", {
    settings: "ts",
    change: { "settings.sh": "web=www platform=android name=capacitor.config.ts\n" },
    ready: false,
    lacks: ["capacitor.config.ts"],
    facts: { webDir: /^www: Capacitor copies / },
  }],
  ["settings in JSON with another web folder", {
    change: {
      "capacitor.config.json": '{"appId":"com.example.game","webDir":"www"}',
      "settings.sh": "web=www platform=android name=capacitor.config.json\n",
    },
    ready: false,
    lacks: ["capacitor.config.json"],
    facts: { webDir: /: its webDir is "www", expected "dist"/ },
  }],
  ["a renamed folder in JSON", { app: "droid", ready: true }],
  ["a renamed folder in TypeScript", { app: "native/droid", settings: "ts", ready: true }],
  ["a step in android/ of an app in another folder", {
    app: "droid",
    steps: [["npx", "cap", "sync", "android"], [
      "./android/gradlew",
      "-p",
      "android",
      "assembleDebug",
    ]],
    ready: false,
    lacks: [/^build\.web\.command and build\.android\.steps/],
    fix: /^Correct build\.android\.steps\[1\]: the app's own project is in droid\/$/,
    unknown: ["gradle", "androidPlugin", "compileSdk", "buildTools"],
    facts: { steps: /found no program "\.\/android\/gradlew" there$/ },
  }],
  ["a renamed folder of Capacitor 6", {
    of: 6,
    app: "droid",
    ready: false,
    lacks: ["droid/gradle/wrapper/gradle-wrapper.properties"],
    facts: { gradle: /^8\.2\.1: / },
  }],
  ["a renamed folder with a newer platform", {
    app: "droid",
    settings: "ts",
    change: { "droid/variables.gradle": "ext {\n    compileSdkVersion = 37\n}\n" },
    ready: false,
    lacks: [/^android-sdk$/],
    facts: { compileSdk: /^37/, sdk: /lacks platforms;android-37\.0/ },
  }],
  ["a renamed folder with a Mac's SDK", {
    app: "droid",
    change: { "droid/local.properties": "sdk.dir=/Users/somebody/Library/Android/sdk\n" },
    ready: false,
    lacks: ["droid/local.properties"],
    facts: { sdk: /^\/Users\/somebody\/Library\/Android\/sdk: nothing is there/ },
  }],
  ["an Android app that is not there", {
    spoil: (root) => rmSync(join(root, "android"), { recursive: true }),
    ready: false,
    lacks: ["android/"],
    unknown: ["gradle", "androidPlugin", "compileSdk", "buildTools"],
    facts: { platformDir: /^android: the folder of the android app is not there$/ },
  }],
  ["packages that are not installed, with pnpm", {
    manager: "pnpm",
    without: ["node_modules/@capacitor/core/package.json"],
    ready: false,
    lacks: ["node_modules"],
    facts: { packageManager: /^pnpm: found no @capacitor\/core/ },
    builds: true,
  }],
  ["a Capacitor that wants a newer Node", {
    change: {
      "node_modules/@capacitor/cli/package.json":
        '{"version":"8.0.0","engines":{"node":">=99.0.0"}}',
    },
    ready: false,
    lacks: [/^npm$/],
    facts: { node: /: expected 99\.0\.0 or newer for this app's @capacitor\/cli$/ },
    builds: true,
  }],
  ["a wrapper without its archive", {
    without: [JAR],
    ready: false,
    lacks: [JAR],
    facts: { gradle: /: it is not there/ },
  }],
  ["a wrapper with a pointer of Git LFS", {
    change: { [JAR]: "version https://git-lfs.github.com/spec/v1\n" },
    ready: false,
    lacks: [JAR],
    facts: { gradle: /: it is not an archive/ },
  }],
  ["a gradlew with the line ends of Windows", {
    spoil: (root) => writeFileSync(join(root, "android/gradlew"), "#!/bin/sh\r\nexit 0\r\n"),
    ready: false,
    lacks: [/^build\.web\.command and build\.android\.steps/],
    facts: { steps: /line endings of Windows/ },
  }],
  ["a JDK 17 of the project's Gradle settings", {
    spoil: (root, at) =>
      append(
        root,
        PROPERTIES,
        `org.gradle.java.home=${writeJdk(join(at, "jdk-17"), "17.0.15")}\r\n`,
      ),
    ready: false,
    lacks: [PROPERTIES],
    facts: { jdk: /jdk-17 \(17\.0\.15\): it is JDK 17, expected 21/ },
  }],
  ["a JDK 21 of the project's Gradle settings", {
    spoil: (root, at) =>
      append(root, PROPERTIES, `org.gradle.java.home=${writeJdk(join(at, "jdk-21"), "21.0.5")}\n`),
    ready: true,
    facts: { jdk: /jdk-21 \(21\.0\.5\)$/ },
  }],
  ["a JDK of Gradle's settings that is not there", {
    change: { [PROPERTIES]: "org.gradle.java.home=C\\:\\\\Program Files\\\\Java\\\\jdk-17\n" },
    ready: false,
    lacks: [PROPERTIES],
    facts: { jdk: /^C:\\Program Files\\Java\\jdk-17: / },
  }],
  ["a JDK 17 of the user's Gradle settings, with Capacitor 6", {
    of: 6,
    spoil: (_root, at) =>
      append(
        join(at, "home"),
        ".gradle/gradle.properties",
        `org.gradle.java.home=${writeJdk(join(at, "jdk-17"), "17.0.15")}\n`,
      ),
    ready: true,
    facts: { jdk: /jdk-17 \(17\.0\.15\)$/ },
  }],
  ["a JDK 17 that Gradle looks for", {
    change: {
      "android/gradle/gradle-daemon-jvm.properties":
        "toolchainVersion=17\ntoolchainVendor=jetbrains\n",
    },
    ready: false,
    lacks: ["android/gradle/gradle-daemon-jvm.properties"],
    facts: { jdk: /^JDK 17: it is JDK 17, expected 21/ },
  }],
  ["a JDK 21 that Gradle looks for", {
    change: { "android/gradle/gradle-daemon-jvm.properties": "toolchainVersion=21\r\n" },
    ready: true,
    facts: { jdk: "JDK 21" },
  }],
  ["a plugin that is too new for Gradle", {
    change: { "android/build.gradle": "classpath 'com.android.tools.build:gradle:9.0.0'\n" },
    ready: false,
    lacks: ["android/build.gradle"],
    facts: { androidPlugin: /^9\.0\.0: it needs Gradle 9\.1\.0 or newer/, buildTools: "36.0.0" },
  }],
  ["a plugin of the settings", {
    without: ["android/build.gradle"],
    change: {
      "android/settings.gradle":
        "pluginManagement { plugins { id 'com.android.application' version '8.13.2' } }\n",
    },
    ready: true,
    facts: { androidPlugin: "8.13.2" },
  }],
  ["an SDK of Android Studio that has no platform", {
    spoil(root, at) {
      const sdk = join(at, "studio sdk");
      script(join(sdk, "platform-tools/adb"), "exit 0");
      append(root, LOCAL, `sdk.dir=${sdk.replaceAll(" ", "\\ ")}\n`);
    },
    ready: false,
    lacks: [/^android-sdk$/],
    facts: { sdk: /studio sdk: .*it lacks platforms;android-36/ },
  }],
  ["an SDK of Android Studio that can build", {
    spoil(root, at) {
      const sdk = join(at, "studio");
      script(join(sdk, "platform-tools/adb"), "exit 0");
      addBuildParts(sdk);
      append(root, LOCAL, `## by Android Studio\r\nsdk.dir=${sdk}\r\n`);
    },
    ready: true,
    facts: { sdk: /\/studio$/ },
  }],
  ["an SDK that the other variable names", {
    spoil: (_root, at) =>
      renameSync(join(at, "tool chain ü/android-sdk"), join(at, "somebody's sdk")),
    ready: true,
    facts: { sdk: /somebody's sdk$/ },
    from: { sdk: "ANDROID_SDK_ROOT" },
  }],
  ["an SDK as Gradle of Capacitor 7 fills it", {
    of: 7,
    spoil(_root, at) {
      const sdk = join(at, "tool chain ü/android-sdk");
      rmSync(join(sdk, "build-tools"), { recursive: true });
      script(join(sdk, "build-tools/34.0.0/aapt2"), "exit 0");
    },
    ready: true,
  }],
  ["an SDK as Gradle of Capacitor 8 fills it", {
    spoil(_root, at) {
      const sdk = join(at, "tool chain ü/android-sdk");
      rmSync(join(sdk, "build-tools"), { recursive: true });
      script(join(sdk, "build-tools/35.0.0/aapt2"), "exit 0");
    },
    ready: true,
  }],
  ["a platform that a program decides, which only an older SDK has", {
    change: {
      "android/variables.gradle": "ext {\n    compileSdkVersion = hasProperty('x') ? 35 : 35\n}\n",
    },
    spoil: (_root, at) => {
      const platforms = join(at, "tool chain ü/android-sdk/platforms");
      renameSync(join(platforms, "android-36"), join(platforms, "android-35"));
    },
    ready: true,
    unknown: ["compileSdk"],
  }],
  ["a platform that a program decides, with an SDK that has none", {
    change: {
      "android/variables.gradle": "ext {\n    compileSdkVersion = hasProperty('x') ? 35 : 35\n}\n",
    },
    spoil: (_root, at) =>
      rmSync(join(at, "tool chain ü/android-sdk/platforms"), { recursive: true }),
    ready: false,
    lacks: [/^android-sdk$/],
    unknown: ["compileSdk"],
    builds: true,
  }],
  ["an Android app behind a link in the project", {
    app: "native/android",
    spoil: (root) => symlinkSync("native/android", join(root, "android")),
    change: LINKED,
    steps: [["npx", "cap", "sync", "android"], [
      "./android/gradlew",
      "-p",
      "android",
      "assembleDebug",
    ]],
    ready: true,
    facts: { platformDir: "android" },
  }],
  ["an Android app behind a link, with an old Gradle", {
    of: 6,
    app: "native/android",
    spoil: (root) => symlinkSync("native/android", join(root, "android")),
    change: LINKED,
    steps: [["npx", "cap", "sync", "android"], [
      "./android/gradlew",
      "-p",
      "android",
      "assembleDebug",
    ]],
    ready: false,
    lacks: [WRAPPER],
    facts: { platformDir: "android", gradle: /^8\.2\.1: / },
  }],
  ["a step that lets Capacitor build, with an old Gradle", {
    of: 6,
    steps: [["npx", "cap", "sync", "android"], ["npx", "cap", "build", "android"]],
    ready: false,
    lacks: [WRAPPER],
    facts: { gradle: /^8\.2\.1: / },
  }],
  ["a project behind a link, whose Capacitor builds the app in another folder", {
    app: "droid",
    settings: "ts",
    steps: [["npx", "cap", "sync", "android"], ["npx", "cap", "build", "android"]],
    spoil(root, at) {
      renameSync(root, join(at, "real"));
      symlinkSync("real", root);
    },
    ready: true,
  }],
  ["steps that start no Gradle, with an old one", {
    of: 6,
    steps: [["npx", "cap", "sync", "android"]],
    ready: true,
    unknown: ["gradle"],
  }],
  ["a step with a JDK of its own", {
    of: 6,
    spoil: (_root, at) => void writeJdk(join(at, "jdk-17"), "17.0.15"),
    steps: [
      ["npx", "cap", "sync", "android"],
      ["./android/gradlew", "-p", "android", "-Dorg.gradle.java.home=AT/jdk-17", "assembleDebug"],
    ],
    ready: true,
    facts: { jdk: /jdk-17 \(17\.0\.15\)$/ },
  }],
  ["a step whose program is not there", {
    steps: [["npx", "cap", "sync", "android"], ["./android/build.sh"]],
    ready: false,
    lacks: [/^build\.web\.command and build\.android\.steps/],
    unknown: ["gradle"],
    facts: { steps: /found no program "\.\/android\/build\.sh" there$/ },
  }],
];

/** Names the folder of the app in the settings. */
function nameApp(root: string, path: string): void {
  const config = { appId: "com.example.game", webDir: "dist", android: { path } };
  writeTree(root, {
    "capacitor.config.json": JSON.stringify(config),
    "settings.sh": `web=dist platform='${path}' name=capacitor.config.json\n`,
  });
}

function append(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  const before = existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
  writeFileSync(join(root, path), before + text);
}

function treeFor(
  { of = 8, manager = "npm", settings = "json", app = "android", change, without = [] }: Row,
): Tree {
  const name = `capacitor.config.${settings}`;
  const config = { appId: "com.example.game", webDir: "dist", android: { path: app } };
  const packages = ["core", "cli", "android"].map((each) => [
    `node_modules/@capacitor/${each}/package.json`,
    JSON.stringify({
      version: `${of}.0.0`,
      ...(each === "cli" && { engines: { node: ">=18.0.0" } }),
    }),
  ]);
  const tree: Record<string, string> = {
    "build.mjs": "import { mkdirSync, writeFileSync } from 'node:fs';\n" +
      "mkdirSync('dist', { recursive: true });\nwriteFileSync('dist/index.html', 'new');\n",
    "package.json": JSON.stringify({
      dependencies: Object.fromEntries(
        ["core", "cli", "android"].map((each) => [`@capacitor/${each}`, `${of}`]),
      ),
    }),
    ...LOCKS[manager],
    [name]: settings === "json" ? JSON.stringify(config) : "export default {};\n",
    "settings.sh": `web=dist platform=${app} name=${name}\n`,
    ...Object.fromEntries(packages),
    ...androidApp(of, app),
    ...change,
  };
  for (const path of without) delete tree[path];
  return tree;
}

/** A fact as a row has it. */
function textOfFact({ value, ok, why }: Fact): string {
  return ok ? value : `${value}: ${why}`;
}

for (const [title, row] of ROWS) {
  test(`a build does what is told before it of ${title}`, needs, () =>
    withFolder((bin) => {
      const { of = 8, manager = "npm", app = "android", ready, jdk } = row;
      const { gradle, plugin, compileSdk } = TEMPLATES[of];
      const runners = writeRunners(bin);
      return inWorld(async ({ root, builds, build, toolchainDir }) => {
        const at = join(root, "..");
        provide(toolchainDir);
        if (compileSdk !== 36) addBuildParts(join(toolchainDir, "android-sdk"), compileSdk);
        writeProject(root, treeFor(row));
        row.spoil?.(root, at);
        const steps = (row.steps ?? [
          [...RUNS[manager], "sync", "android"],
          [`./${app}/gradlew`, "-p", app, "assembleDebug"],
        ]).map((step) => step.map((word) => word.replace("AT/", `${at}/`)));
        writeProject(root, {
          "project.config.json": JSON.stringify({
            name: "Game",
            startScene: "a.scene.json",
            build: { web: { command: ["node", "build.mjs"], out: "dist" }, android: { steps } },
            ...(jdk !== undefined &&
              { user: { sdk: { java: writeJdk(join(at, `jdk-${jdk}`), jdk) } } }),
          }),
        });

        const planned = await builds.plan("android", { programs: "all" });
        assert.ok(planned.ok, JSON.stringify(planned));
        const { preflight } = planned.value;
        const text = JSON.stringify(preflight, null, 1);
        assert.equal(preflight.ready, ready, text);
        const names = [
          ...preflight.missing.map(({ id }) => id),
          ...(preflight.lacks ?? []).map(({ name }) => name),
        ];
        const { lacks = [] } = row;
        assert.equal(names.length, lacks.length, text);
        for (const [n, lack] of lacks.entries()) {
          if (typeof lack === "string") assert.equal(names[n], lack, text);
          else assert.match(names[n] ?? "", lack, text);
        }
        if (row.fix !== undefined) {
          assert.match(
            [...preflight.missing, ...preflight.lacks ?? []][0]?.fix ?? "",
            row.fix,
            text,
          );
        }
        const usual: Record<string, string> = {
          webDir: "dist",
          platformDir: app,
          appId: "com.example.game",
          packageManager: { pnp: "yarn", classic: "yarn" }[manager as string] ?? manager,
          gradle,
          androidPlugin: plugin,
          compileSdk: `${compileSdk}`,
          buildTools: of === 8 ? "35.0.0" : "34.0.0",
        };
        const unknown = row.unknown ?? [];
        assert.deepEqual(preflight.unknown.map(({ name }) => name), unknown, text);
        for (const [name, note] of Object.entries(row.notes ?? {})) {
          const fact = preflight.plan.find((each) => each.name === name);
          assert.ok(fact?.ok, text);
          assert.match(`${fact.why}`, note, text);
        }
        for (const [name, from] of Object.entries(row.from ?? {})) {
          assert.equal(preflight.plan.find((each) => each.name === name)?.from, from, text);
        }
        for (const [name, value] of Object.entries({ ...usual, ...row.facts })) {
          if (unknown.includes(name)) continue;
          const fact = preflight.plan.find((each) => each.name === name);
          assert.ok(fact, `${name}: ${text}`);
          if (typeof value === "string") assert.equal(textOfFact(fact), value, text);
          else assert.match(textOfFact(fact), value, text);
          assert.equal(fact.ok || fact.fix !== "", true, text);
        }
        assert.equal(existsSync(join(root, "dist")), false, "a plan builds nothing");

        const events = await build("android");
        const problem = Array.isArray(events) ? events.at(-1) : { event: "problem", data: events };
        assert.equal(problem.event, ready ? "done" : "problem", JSON.stringify(problem));
        if (ready) return;
        assert.equal(existsSync(join(root, "dist")), false, "what is refused touches nothing");
        const env = {
          PATH: [runners, PATH_TO_NODE].join(delimiter),
          HOME: join(at, "home"),
          JAVA_HOME: jdk === undefined ? join(toolchainDir, "jdk") : join(at, `jdk-${jdk}`),
          ANDROID_HOME: join(toolchainDir, "android-sdk"),
        };
        const failed = [["node", "build.mjs"], ...steps].find(([program = "", ...args]) =>
          spawnSync(program, args, { cwd: root, env }).status !== 0
        );
        assert.equal(failed === undefined, row.builds === true, `${failed} ${text}`);
      }, {
        environment: {
          SVC_PACKAGED: "",
          SVC_NPM: "",
          PATH: [runners, PATH_TO_NODE].join(delimiter),
        },
      });
    }));
}
