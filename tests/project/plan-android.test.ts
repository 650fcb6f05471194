import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import {
  androidFacts,
  type AndroidMachine,
  type FoundFolder,
} from "../../lib/project/building/plan/android-facts.ts";
import { planAndroid, readAndroidProject } from "../../lib/project/building/android-plan.ts";
import { readGradleFiles } from "../../lib/project/building/plan/gradle-files.ts";
import { parseGradleProject } from "../../lib/project/building/plan/gradle-project.ts";
import {
  firstGradleOn,
  needsOfPlugin,
  newestJdkOf,
  oldestJdkOf,
} from "../../lib/project/building/plan/gradle-tables.ts";
import { parseProperties } from "../../lib/project/building/plan/java-properties.ts";
import { compareVersions, javaMajorOf } from "../../lib/project/building/plan/versions.ts";
import type { Detection, LookOptions, ToolId } from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { androidApp, type CapacitorMajor, TEMPLATES, type Tree } from "./plan-apps.ts";

const { files } = await loadRuntime();

const WRAPPER = "android/gradle/wrapper/gradle-wrapper.properties";
const DAEMON = "android/gradle/gradle-daemon-jvm.properties";
const GRADLE = "android/build.gradle";
const APP = "android/app/build.gradle";
const REFERS = "android {\n compileSdk rootProject.ext.compileSdkVersion\n}\n";
const JAVA = "user.sdk.java in project.config.json";
const PROPERTIES = "android/gradle.properties";
const HOME = `org.gradle.java.home in ${PROPERTIES}`;
const RAISED = `Raise Gradle to 8.5 or newer in ${WRAPPER} (for Capacitor: npx cap migrate)`;

function jdk(version: string, from = "JAVA_HOME"): FoundFolder {
  return { path: "/jdk", version, from, setting: JAVA };
}

const MISSING = {
  path: "",
  from: "this machine",
  setting: JAVA,
  fault: { why: "not found", fix: "install" },
};

const MACHINE: AndroidMachine = {
  jdk: jdk("21.0.11"),
  sdk: { path: "/sdk", from: "ANDROID_HOME", setting: "user.sdk.android-sdk" },
  buildTools: ["34.0.0", "35.0.0", "36.0.0"],
  isReadOnly: false,
};

interface Row {
  readonly of?: CapacitorMajor;
  readonly change?: Tree;
  readonly without?: readonly string[];
  readonly machine?: Partial<AndroidMachine>;
  readonly user?: string;
  readonly argument?: string;
  readonly unknown?: string;
  readonly choosesJdk?: boolean;
  /** Facts that are not as they are in the app that is whole. */
  readonly want: Readonly<Record<string, object | string>>;
}

function wrapperOf(gradle: string): Tree {
  return { [WRAPPER]: `distributionUrl=https\\://mirror.example/gradle-${gradle}-bin.zip\r\n` };
}

const ROWS: readonly (readonly [string, Row])[] = [
  ["an app of Capacitor 8", { want: {} }],
  ["an app of Capacitor 7", { of: 7, want: {} }],
  ["an app of Capacitor 6 on JDK 21", {
    of: 6,
    want: {
      gradle: {
        ok: false,
        why: "it does not run on JDK 21, only on JDK 19 or older",
        fix:
          `Raise Gradle to 8.5 or newer in ${WRAPPER} (for Capacitor: npx cap migrate), or set ` +
          `${JAVA} to a JDK 17`,
      },
    },
  }],
  ["an app of Capacitor 6 on a JDK 17 that the project names", {
    of: 6,
    machine: { jdk: jdk("17.0.15", JAVA) },
    want: { jdk: { value: "/jdk (17.0.15)", from: JAVA } },
  }],
  ["an app of Capacitor 7 on a JDK 17 that the project names", {
    of: 7,
    machine: { jdk: jdk("17.0.15", JAVA) },
    want: {
      jdk: {
        value: "/jdk (17.0.15)",
        from: JAVA,
        ok: false,
        why:
          "it is JDK 17, expected 21 or newer: android/app/capacitor.build.gradle compiles for " +
          "Java 21",
        fix: `Set ${JAVA} to a JDK 21 or newer`,
      },
    },
  }],
  ["a compiler with a JDK of its own", {
    machine: { jdk: jdk("17.0.15", JAVA) },
    change: {
      [APP]: REFERS +
        "java {\n toolchain {\n languageVersion = JavaLanguageVersion.of(21)\n }\n}\n",
    },
    want: { jdk: { value: "/jdk (17.0.15)", from: JAVA } },
  }],
  ["a JDK that is too old for the Android plugin", {
    of: 6,
    machine: { jdk: jdk("1.8.0_402", JAVA) },
    change: { "android/app/capacitor.build.gradle": "" },
    want: {
      jdk: {
        value: "/jdk (1.8.0_402)",
        from: JAVA,
        ok: false,
        why:
          "it is JDK 8, expected 17 or newer: version 8.2.1 of the Android plugin does not start " +
          "on it",
        fix: `Set ${JAVA} to a JDK 17 or newer`,
      },
    },
  }],
  ["a JDK for which no Gradle is published", {
    machine: { jdk: jdk("29", JAVA) },
    want: {
      jdk: { value: "/jdk (29)", from: JAVA },
      gradle: {
        ok: false,
        why: "it does not run on JDK 29, only on JDK 24 or older",
        fix: `Set ${JAVA} to a JDK 21`,
      },
    },
  }],
  ["a JDK and a Gradle that are newer than the table", {
    machine: { jdk: jdk("29", JAVA) },
    change: wrapperOf("10.0"),
    want: { gradle: { value: "10.0" }, jdk: { value: "/jdk (29)", from: JAVA } },
  }],
  ["an old Gradle on the JDK that its own settings name", {
    of: 6,
    machine: { jdk: { ...jdk("21.0.5", PROPERTIES), setting: HOME } },
    want: {
      jdk: { value: "/jdk (21.0.5)", from: PROPERTIES },
      gradle: {
        ok: false,
        why: "it does not run on JDK 21, only on JDK 19 or older",
        fix: `${RAISED}, or set ${HOME} to a JDK 17`,
      },
    },
  }],
  ["an old Gradle where the JDK is missing", {
    of: 6,
    machine: { jdk: MISSING, expectedJdk: 21 },
    want: {
      jdk: { value: "", from: "this machine", ok: false, ...MISSING.fault },
      gradle: {
        ok: false,
        why: "it does not run on the required JDK 21, only on JDK 19 or older",
        fix: `${RAISED}, or set ${JAVA} to a JDK 17`,
      },
    },
  }],
  ["a JDK of Gradle's own choice that is too new", {
    change: { [DAEMON]: "toolchainVersion=25\n" },
    want: {
      jdk: {
        value: "JDK 25",
        from: DAEMON,
        why: "Gradle looks for one by itself, or downloads it",
      },
      gradle: {
        ok: false,
        why: "it does not run on JDK 25, only on JDK 24 or older",
        fix:
          `Raise Gradle to 9.1.0 or newer in ${WRAPPER} (for Capacitor: npx cap migrate), or set ` +
          `toolchainVersion=21 in ${DAEMON}`,
      },
    },
  }],
  ["an SDK that cannot be looked at", {
    machine: { unknownSdk: "it is on a network", buildTools: [] },
    want: { sdk: "it is on a network" },
  }],
  ["a JDK that does not tell its version", {
    of: 6,
    machine: { jdk: { path: "/jdk", from: JAVA, setting: JAVA } },
    want: { jdk: { value: "/jdk", from: JAVA } },
  }],
  ["no JDK", {
    machine: { jdk: { ...jdk("17"), fault: { why: "it is JDK 17, expected 21", fix: "install" } } },
    want: {
      jdk: { value: "/jdk (17)", ok: false, why: "it is JDK 17, expected 21", fix: "install" },
    },
  }],
  ["a JDK of Gradle's own choice", {
    change: { [DAEMON]: "toolchainVendor=jetbrains\r\ntoolchainVersion=21\r\n" },
    want: {
      jdk: {
        value: "JDK 21",
        from: DAEMON,
        why: "Gradle looks for one by itself, or downloads it",
      },
    },
  }],
  ["a JDK of Gradle's own choice that is too old", {
    change: { [DAEMON]: "toolchainVersion=17\n" },
    want: {
      jdk: {
        value: "JDK 17",
        from: DAEMON,
        ok: false,
        why:
          "it is JDK 17, expected 21 or newer: android/app/capacitor.build.gradle compiles for " +
          "Java 21",
        fix: `Set toolchainVersion=21 in ${DAEMON}`,
      },
    },
  }],
  ["a JDK of the choice of a Gradle whose version nobody names", {
    change: { [DAEMON]: "toolchainVersion=17\n", [WRAPPER]: "distributionUrl=own.zip\n" },
    want: {
      gradle: "no distributionUrl of the wrapper names a version",
      jdk:
        `Gradle 8.8 or newer looks for the JDK 17 of ${DAEMON}, and the version of this Gradle is not known`,
    },
  }],
  ["a Gradle that is too old to choose its JDK", {
    of: 6,
    machine: { jdk: jdk("17.0.15", JAVA) },
    change: { [DAEMON]: "toolchainVersion=21\n" },
    want: { jdk: { value: "/jdk (17.0.15)", from: JAVA } },
  }],
  ["a wrapper without its archive", {
    without: ["android/gradle/wrapper/gradle-wrapper.jar"],
    want: {
      gradle: {
        from: "android/gradle/wrapper/gradle-wrapper.jar",
        ok: false,
        why: "it is not there, and gradlew starts it",
        fix: "Add android/gradle/wrapper/gradle-wrapper.jar to the project, and to its version " +
          "control (*.jar in .gitignore keeps it out)",
      },
    },
  }],
  ["a wrapper whose archive is a pointer of Git LFS", {
    change: { "android/gradle/wrapper/gradle-wrapper.jar": "version https://git-lfs.github.com/" },
    want: {
      gradle: {
        from: "android/gradle/wrapper/gradle-wrapper.jar",
        ok: false,
        why: "it is not an archive, and gradlew starts it",
        fix: "Add android/gradle/wrapper/gradle-wrapper.jar to the project, and to its version " +
          "control (*.jar in .gitignore keeps it out)",
      },
    },
  }],
  ["a script that starts no archive", {
    without: ["android/gradle/wrapper/gradle-wrapper.jar", "android/gradlew.bat"],
    change: { "android/gradlew": '#!/bin/sh\nexec gradle "$@"\n' },
    want: {},
  }],
  ["a wrapper that names no version", {
    change: { [WRAPPER]: "distributionUrl=https\\://example/gradle.zip\n" },
    want: { gradle: "no distributionUrl of the wrapper names a version" },
  }],
  ["a release candidate of Gradle, of a mirror", {
    change: wrapperOf("9.1.0-rc-1"),
    want: { gradle: { value: "9.1.0-rc-1" } },
  }],
  ["a Gradle that is too old for the Android plugin", {
    change: wrapperOf("8.11.1"),
    want: {
      gradle: { value: "8.11.1" },
      androidPlugin: {
        ok: false,
        why: `it needs Gradle 8.13 or newer, and ${WRAPPER} names 8.11.1`,
        fix: `Raise Gradle to 8.13 in ${WRAPPER}`,
      },
    },
  }],
  ["a Gradle that does not run on the JDK", {
    machine: { jdk: jdk("11.0.2", JAVA) },
    change: {
      ...wrapperOf("9.1.0"),
      [GRADLE]: "",
      "android/app/capacitor.build.gradle": "",
    },
    want: {
      gradle: { value: "9.1.0" },
      androidPlugin: "no Gradle file names com.android.tools.build:gradle in plain text",
      buildTools: "the version of the Android plugin is not known",
      jdk: {
        value: "/jdk (11.0.2)",
        from: JAVA,
        ok: false,
        why: "it is JDK 11, expected 17 or newer: Gradle 9.1.0 does not run on it",
        fix: `Set ${JAVA} to a JDK 17 or newer`,
      },
    },
  }],
  ["a plugin in Kotlin", {
    without: [GRADLE],
    change: {
      "android/build.gradle.kts":
        'plugins {\n  id("com.android.application") version "8.11.0" apply false\n}\n',
    },
    want: {
      androidPlugin: { value: "8.11.0", from: "android/build.gradle.kts" },
      buildTools: { from: "version 8.11.0 of the Android plugin" },
    },
  }],
  ["a plugin in the settings", {
    without: [GRADLE],
    change: {
      "android/settings.gradle":
        "pluginManagement {\n plugins {\n  id 'com.android.application' version '8.12.1'\n }\n}\n",
    },
    want: {
      androidPlugin: { value: "8.12.1", from: "android/settings.gradle" },
      buildTools: { from: "version 8.12.1 of the Android plugin" },
    },
  }],
  ["a plugin in a version catalog", {
    change: {
      [GRADLE]: "plugins { alias(libs.plugins.android.application) apply false }\n",
      "android/gradle/libs.versions.toml": '[versions]\nagp = "8.10.1"\n\n[plugins]\n' +
        'android-application = { id = "com.android.application", version.ref = "agp" }\n',
    },
    want: {
      androidPlugin: { value: "8.10.1", from: "android/gradle/libs.versions.toml" },
      buildTools: { from: "version 8.10.1 of the Android plugin" },
    },
  }],
  ["a plugin in a comment and one that is computed", {
    change: {
      [GRADLE]: "// classpath 'com.android.tools.build:gradle:4.2.0'\n" +
        'classpath "com.android.tools.build:gradle:$agp"\n',
    },
    want: {
      androidPlugin: "no Gradle file names com.android.tools.build:gradle in plain text",
      buildTools: "the version of the Android plugin is not known",
    },
  }],
  ["a plugin that is newer than the table", {
    change: { [GRADLE]: "classpath 'com.android.tools.build:gradle:12.0.0'\n" },
    want: {
      androidPlugin: { value: "12.0.0" },
      buildTools: "the version of the Android plugin is not known",
    },
  }],
  ["a platform that is newer than the plugin", {
    change: { "android/variables.gradle": "ext {\n compileSdkVersion = 37\n}\n" },
    want: {
      compileSdk: {
        value: "37",
        why: "version 8.13.0 of the Android plugin was tested up to 36, and warns",
      },
    },
  }],
  ["a platform that is computed", {
    change: { "android/variables.gradle": "ext {\n compileSdkVersion = level()\n}\n" },
    want: {
      compileSdk:
        "no Gradle file states it in plain text; set build.android.compileSdk in project.config.json",
    },
  }],
  ["build tools that the SDK lacks", {
    machine: { buildTools: ["36.0.0"] },
    want: {
      buildTools: { why: "/sdk has no build-tools;35.0.0: Gradle fetches it in the build" },
    },
  }],
  ["build tools that a write-protected SDK lacks", {
    machine: { buildTools: ["36.0.0"], isReadOnly: true },
    want: {
      buildTools: {
        ok: false,
        why:
          "/sdk has no build-tools;35.0.0, and Gradle cannot fetch it into a write-protected folder",
        fix: "Add build-tools;35.0.0 to /sdk",
      },
    },
  }],
  ["build tools that the app asks for", {
    change: { [APP]: REFERS + 'android {\n    buildToolsVersion = "36.0.0"\n}\n' },
    want: { buildTools: { value: "36.0.0", from: APP } },
  }],
  ["build tools that the plugin ignores, as they are old", {
    change: { [APP]: REFERS + "android {\n    buildToolsVersion '30.0.3'\n}\n" },
    want: {},
  }],
  ["build tools that are not in plain text", {
    change: { [APP]: REFERS + "buildToolsVersion rootProject.ext.buildToolsVersion\n" },
    want: {
      buildTools: "the app's Gradle file does not state its buildToolsVersion in plain text",
    },
  }],
  ["a step that chooses the JDK itself", {
    unknown: "a step sets JAVA_HOME for Gradle",
    choosesJdk: true,
    want: {
      gradle: "a step sets JAVA_HOME for Gradle",
      jdk: "a step sets JAVA_HOME for Gradle",
    },
  }],
  ["a step that chooses the JDK itself, where none is found", {
    unknown: "a step sets JAVA_HOME for Gradle",
    choosesJdk: true,
    machine: { jdk: MISSING },
    want: {
      gradle: "a step sets JAVA_HOME for Gradle",
      jdk: { value: "", from: "this machine", ok: false, why: "not found", fix: "install" },
    },
  }],
  ["a step whose Gradle is not known", {
    of: 6,
    unknown: "no step starts the wrapper of Gradle",
    want: { gradle: "no step starts the wrapper of Gradle" },
  }],
];

for (const [title, row] of ROWS) {
  // BUILD-13
  test(`androidFacts() judges ${title}`, () =>
    withFolder(async (root) => {
      const major = row.of ?? 8;
      const tree = { ...androidApp(major), ...row.change };
      for (const path of row.without ?? []) delete tree[path];
      writeTree(root, tree);
      const read = await readGradleFiles(files, root, "android");
      const project = parseGradleProject(read, { user: null, steps: [] });
      const run = {
        migrate: "npx cap migrate",
        ...(row.unknown !== undefined && { unknown: row.unknown }),
        ...(row.choosesJdk && { choosesJdk: true }),
      };
      const { plan, unknown } = androidFacts(project, { ...MACHINE, ...row.machine }, run);
      const { gradle, plugin, compileSdk } = TEMPLATES[major];
      const tools = { 6: "34.0.0", 7: "34.0.0", 8: "35.0.0" }[major];
      const complete: Record<string, object> = {
        gradle: { value: gradle, from: WRAPPER },
        androidPlugin: { value: plugin, from: GRADLE },
        jdk: { value: "/jdk (21.0.11)", from: "JAVA_HOME" },
        sdk: { value: "/sdk", from: "ANDROID_HOME" },
        compileSdk: { value: `${compileSdk}`, from: "android/variables.gradle" },
        buildTools: { value: tools, from: `version ${plugin} of the Android plugin` },
      };
      const known: object[] = [];
      const open: object[] = [];
      for (const [name, usual] of Object.entries(complete)) {
        const want = row.want[name];
        if (typeof want === "string") open.push({ name, why: want });
        else known.push({ name, ok: true, ...usual, ...want });
      }
      assert.deepEqual({ plan, unknown }, { plan: known, unknown: open });
    }));
}

const HOMES: readonly (readonly [string, Omit<Row, "want">, readonly [string, string] | null])[] = [
  ["nothing", {}, null],
  ["the project", {
    change: {
      "android/gradle.properties": "org.gradle.java.home=C\\:\\\\Program Files\\\\jdk-17\r\n",
    },
  }, ["C:\\Program Files\\jdk-17", "android/gradle.properties"]],
  ["the user, before the project", {
    user: "org.gradle.java.home : /opt/jdk-21\n",
    change: { "android/gradle.properties": "org.gradle.java.home=/opt/jdk-17\n" },
  }, ["/opt/jdk-21", "~/.gradle/gradle.properties"]],
  ["a step, before the user", {
    user: "org.gradle.java.home=/opt/jdk-21\n",
    argument: "-Dorg.gradle.java.home=/opt/jdk-22",
  }, ["/opt/jdk-22", "-Dorg.gradle.java.home of a step"]],
  [
    "a text that is longer than any path",
    { change: { "android/gradle.properties": `org.gradle.java.home=/${"x".repeat(5_000)}\n` } },
    null,
  ],
  [
    "a comment",
    { change: { "android/gradle.properties": "#org.gradle.java.home=/opt/x\n" } },
    null,
  ],
];

for (const [title, { change = {}, user, argument }, want] of HOMES) {
  test(`parseGradleProject() finds the JDK that ${title} names`, () =>
    withFolder(async (root) => {
      writeTree(root, { ...androidApp(8), ...change });
      const { javaHome } = parseGradleProject(await readGradleFiles(files, root, "android"), {
        user: user === undefined ? null : { text: user, from: "~/.gradle/gradle.properties" },
        steps: [["./android/gradlew", ...(argument === undefined ? [] : [argument]), "build"]],
      });
      assert.deepEqual(javaHome, want === null ? undefined : { value: want[0], from: want[1] });
    }));
}

for (
  const [text, want] of [
    ["sdk.dir=C\\:\\\\Users\\\\me\\\\sdk\r\n", { "sdk.dir": "C:\\Users\\me\\sdk" }],
    ["# a=1\n! b=2\n\n  c = 3 \nd:4\ne 5\nf\n", { c: "3 ", d: "4", e: "5", f: "" }],
    ["a=1,\\\n   2,\\\r\n\t3\nb=x\\\\\nc=y", { a: "1,2,3", b: "x\\", c: "y" }],
    ["a\\=b\\ c=\\u00e9\\t!\n\ufeff", { "a=b c": "é\t!", "\ufeff": "" }],
    ["\ufeffa=1\na=2", { a: "2" }],
    ["a=\\", { a: "" }],
  ] as const
) {
  test(`parseProperties() reads ${JSON.stringify(text)}`, () => {
    assert.deepEqual(Object.fromEntries(parseProperties(text)), want);
  });
}

test("parseProperties() reads what goes on for a quarter million lines in a moment", () => {
  assert.equal(parseProperties(`a=${"x\\\n".repeat(85_000)}`).size, 1);
  assert.equal(parseProperties("\\".repeat(250_000)).size, 1);
});

test("the tables answer at both sides of each limit", () => {
  const jdks = [["8.4", 20], ["9.6.1", 26], ["9.7", null], ["8.5", 21], ["8.14.3", 24], [
    "9.1.0-rc-1",
    25,
  ], [
    "1.9",
    null,
  ]] as const;
  for (const [gradle, jdk] of jdks) assert.equal(newestJdkOf(gradle), jdk, gradle);
  const least = [["8.14.3", 8], ["9.0.0", 17], ["9.0-milestone-1", 17], ["4.10", 7]] as const;
  for (const [gradle, jdk] of least) assert.equal(oldestJdkOf(gradle), jdk, gradle);
  assert.deepEqual([21, 26, 27].map(firstGradleOn), ["8.5", "9.4.0", null]);
  const plugins = ["8.13.2", "8.1.0", "9.99.0", "x"].map((version) => needsOfPlugin(version));
  assert.deepEqual(plugins.map((needs) => needs?.buildTools), [
    "35.0.0",
    "33.0.1",
    undefined,
    undefined,
  ]);
});

test("versions compare by their numbers, a candidate before its release", () => {
  const ordered = ["8.2", "8.2.1", "8.13", "9.0-rc-1", "9.0", "9.0.1", "10"];
  assert.deepEqual([...ordered].reverse().sort(compareVersions), ordered);
  assert.equal(compareVersions("8.13", "8.13.0"), 0);
  assert.deepEqual(["1.8.0_402", "21.0.11+10", "25", "x", "2100"].map(javaMajorOf), [
    8,
    21,
    25,
    null,
    null,
  ]);
});

test("planAndroid() judges Gradle by the JDK that is required where none is found", () =>
  withFolder(async (root) => {
    writeTree(root, androidApp(6));
    const dependencies = {
      files,
      host: { platform: "linux", env: () => undefined, home: root },
      toolchain: {
        detect: (id: ToolId): Promise<Detection> =>
          Promise.resolve<Detection>({
            id,
            kind: "directory",
            present: false,
            tried: [],
            reason: "not found",
            systemRefused: false,
          }),
      },
    } as const;
    const project = await readAndroidProject(dependencies, {
      root,
      config: { build: { web: { out: "dist" } } },
      steps: [["./android/gradlew", "-p", "android", "assembleDebug"]],
      appFolder: "android",
      outside: false,
    });
    const preflight = { target: "android", ready: false, missing: [], bytes: 0 } as const;
    const gradleWith = async (look: LookOptions) => {
      const found = { preflight, look, migrate: "npx cap migrate" };
      const { plan } = await planAndroid(dependencies, project, found);
      const fact = plan.find(({ name }) => name === "gradle");
      return [fact?.ok, fact?.why];
    };
    assert.deepEqual(await gradleWith({}), [
      false,
      "it does not run on the required JDK 21, only on JDK 19 or older",
    ]);
    const chosen = await readAndroidProject(dependencies, {
      root,
      config: { build: { web: { out: "dist" } } },
      steps: [["env", "ANDROID_HOME=/sdk", "./android/gradlew", "-p", "android", "assembleDebug"]],
      appFolder: "android",
      outside: false,
    });
    const found = { preflight, look: {}, migrate: "npx cap migrate" };
    const { unknown } = await planAndroid(dependencies, chosen, found);
    assert.deepEqual(unknown.map(({ name, why }) => `${name}: ${why}`), [
      "gradle: a step sets ANDROID_HOME for Gradle",
      "sdk: a step sets ANDROID_HOME for Gradle",
    ]);
    // Another one takes its place.
    assert.deepEqual(await gradleWith({ overrides: { java: "/jdk-17" } }), [true, undefined]);
  }));

test("an app outside the project's folder is read once a build was asked for, and is unknown before", () =>
  withFolder(async (top) => {
    writeTree(top, { ...androidApp(6, "droid"), "game/a.txt": "" });
    const root = join(top, "game");
    symlinkSync("../droid", join(root, "android"));
    for (const folder of ["android", join(top, "droid")]) {
      const read = async (outside: boolean, machine: AndroidMachine = MACHINE) => {
        const found = await readGradleFiles(files, root, folder, { outside });
        const project = parseGradleProject(found, { user: null, steps: [] });
        return androidFacts(project, machine, { migrate: "npx cap migrate" });
      };
      const { plan, unknown } = await read(false);
      assert.deepEqual(plan, []);
      assert.deepEqual(unknown.map(({ name }) => name), [
        "jdk",
        "gradle",
        "androidPlugin",
        "sdk",
        "compileSdk",
        "buildTools",
      ]);
      assert.match(
        unknown[0]?.why ?? "",
        /is outside the project's folder, and is read in a build/,
      );
      const without = await read(false, { ...MACHINE, jdk: MISSING });
      assert.deepEqual(without.plan.map(({ name, ok }) => [name, ok]), [["jdk", false]]);
      assert.equal((await read(true)).plan.find(({ name }) => name === "gradle")?.ok, false);
    }
    const network = await readGradleFiles(files, root, "//server/droid", { outside: true });
    const ofNetwork = parseGradleProject(network, { user: null, steps: [] });
    const { unknown } = androidFacts(ofNetwork, MACHINE, { migrate: "npx cap migrate" });
    assert.deepEqual([...new Set(unknown.map(({ why }) => why))], [
      "the app's own project, or a file of it, is on a network, and is not read there",
    ]);
  }));
