import assert from "node:assert/strict";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gradleStartOf } from "../../lib/project/building/gradle-run.ts";
import { readGradleFiles } from "../../lib/project/building/plan/gradle-files.ts";
import { parseGradleProject } from "../../lib/project/building/plan/gradle-project.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { androidApp, type Tree } from "./plan-apps.ts";

// BUILD-13: Gradle projects that are legal and unusual. What is written in plain text is read as Gradle reads
// it; what a program decides is not known, and nothing is guessed in its place.

const { files } = await loadRuntime();

interface Row {
  readonly change?: Readonly<Record<string, string | Uint8Array>>;
  readonly without?: readonly string[];
  readonly spoil?: (root: string) => void;
  readonly user?: string;
  readonly options?: string;
  readonly javaOptions?: string;
  readonly arguments?: readonly string[];
  /** What differs from the usual app of Capacitor 8. */
  readonly want: Readonly<Record<string, string | number | undefined>>;
}

const GROOVY = ["build.gradle", "settings.gradle", "app/build.gradle", "variables.gradle"]
  .map((path) => `android/${path}`);
const WRAPPER = "android/gradle/wrapper/gradle-wrapper.properties";
const PROPERTIES = "android/gradle.properties";
const latin1 = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

const ROWS: readonly (readonly [string, Row])[] = [
  [
    "a wrapper with comments, line ends of Windows, a value over two lines and an older one before it",
    {
      change: {
        [WRAPPER]: "! made by hand \\\r\n# distributionUrl=https\\://x/gradle-6.0-all.zip\r\n" +
          "distributionUrl = https\\://x/gradle-7.0-bin.zip\r\n\r\n" +
          "  distributionUrl : https\\://x.example/a=b/\\\r\n      gradle-8.14.3-all.zip\r\n",
      },
      want: {},
    },
  ],
  ["a wrapper whose address is spelled in codes", {
    change: { [WRAPPER]: "distribution\\u0055rl=https\\u003a//x/gradle\\u002d8.14.3-all.zip\n" },
    want: {},
  }],
  ["properties in Latin-1, with codes", {
    change: {
      [PROPERTIES]: latin1("# für uns\norg.gradle.java.home=/opt/j\xfcrgen/jdk\\u002d21\\ lts\n"),
    },
    want: { javaHome: "/opt/jürgen/jdk-21 lts" },
  }],
  ["a user's properties in Latin-1 that follow a byte order mark", {
    user: "\uFEFForg.gradle.java.home : C\\:\\\\jdk-21\n",
    want: { javaHome: "C:\\jdk-21" },
  }],
  ["options of Gradle that name a JDK", {
    options: `-Xmx1g "-Dorg.gradle.java.home=/opt/my jdk" -Dx=1`,
    user: "org.gradle.java.home=/other\n",
    want: { javaHome: "/opt/my jdk" },
  }],
  // As Gradle 4.4.1 of Debian does, with the wrapper of Capacitor 8.
  ["options of Java that name a JDK twice", {
    javaOptions: "-Dorg.gradle.java.home=/first -Dorg.gradle.java.home=/jdk",
    user: "org.gradle.java.home=/other\n",
    want: { javaHome: "/jdk" },
  }],
  ["options of Gradle before those of Java", {
    options: "-Dorg.gradle.java.home=/jdk",
    javaOptions: "-Dorg.gradle.java.home=/other",
    want: { javaHome: "/jdk" },
  }],
  ["a JDK that arguments name twice", {
    arguments: ["-Dorg.gradle.java.home=/other", "-D", "org.gradle.java.home=/jdk"],
    options: "-Dorg.gradle.java.home=/other",
    want: { javaHome: "/jdk" },
  }],
  ["a JDK that a long argument names", {
    arguments: [
      "--system-prop",
      "org.gradle.java.home=/other",
      "--system-prop=org.gradle.java.home=/jdk",
    ],
    want: { javaHome: "/jdk" },
  }],
  ["blanks at the end of a path, which are a part of it", {
    change: {
      [PROPERTIES]: "org.gradle.java.home=/jdk  \n",
      "android/local.properties": "sdk.dir=/sdk \r\n",
    },
    want: { javaHome: "/jdk  ", sdkDir: "/sdk " },
  }],
  ["a JDK without a name, which Gradle refuses", {
    change: { [PROPERTIES]: "org.gradle.java.home=\n" },
    want: { javaHome: "" },
  }],
  ["a platform that no statement of the module sets", {
    change: { "android/app/build.gradle": "apply plugin: 'our.app'\nandroid {\n}\n" },
    want: { compileSdk: undefined },
  }],
  ["the Kotlin DSL", {
    without: GROOVY,
    change: {
      "android/settings.gradle.kts":
        'pluginManagement {\n  repositories { google() }\n}\ninclude(":app")\n',
      "android/build.gradle.kts":
        'plugins {\n  /* id("com.android.application") version "7.0.0" */\n' +
        '  id("com.android.application").version("8.13.0").apply(false)\n}\n',
      "android/app/build.gradle.kts":
        'android {\n  compileSdk = 36 // was 30\n  buildToolsVersion = "36.0.0"\n}\n',
    },
    want: { buildTools: "36.0.0" },
  }],
  ["a version catalog", {
    without: GROOVY,
    change: {
      "android/gradle/libs.versions.toml":
        '[versions]\n# agp = "7.4.2"\nagp = "8.13.0" # ours\nandroid-compileSdk = "36"\n\n[plugins]\n' +
        'android-application = { id = "com.android.application", version.ref = "agp" }\n',
      "android/build.gradle.kts":
        "plugins {\n  alias(libs.plugins.android.application) apply false\n}\n",
      "android/app/build.gradle.kts":
        "android {\n  compileSdk = libs.versions.android.compileSdk.get().toInt()\n}\n",
    },
    want: {},
  }],
  ["buildSrc with the plugin", {
    without: ["android/build.gradle"],
    change: {
      "android/buildSrc/build.gradle.kts":
        'dependencies {\n  implementation("com.android.tools.build:gradle:8.13.0")\n}\n',
    },
    want: {},
  }],
  ["an included build with the plugin", {
    without: ["android/build.gradle"],
    change: {
      "android/settings.gradle": "includeBuild('build-logic')\ninclude ':app'\n",
      "android/build-logic/build.gradle": "dependencies { implementation libs.android.gradle }\n",
    },
    want: { plugin: undefined },
  }],
  ["plugin management whose version is a property", {
    without: ["android/build.gradle"],
    change: {
      "android/settings.gradle":
        "pluginManagement {\n  plugins {\n    id 'com.android.application' version \"$agpVersion\"\n  }\n}\n",
      [PROPERTIES]: "agpVersion=8.13.0\n",
    },
    want: { plugin: undefined },
  }],
  ["a plugin that a condition selects", {
    change: {
      "android/build.gradle":
        "buildscript { dependencies {\n  if (old) classpath 'com.android.tools.build:gradle:8.2.1'\n" +
        "  else classpath 'com.android.tools.build:gradle:8.13.0'\n} }\napply from: 'variables.gradle'\n",
    },
    want: { plugin: undefined },
  }],
  ["a plugin behind comments and texts about others", {
    change: {
      "android/build.gradle":
        "// classpath 'com.android.tools.build:gradle:7.0.0'\n/* classpath \"com.android.tools.build:gradle:7.1.0\" */\n" +
        "def url = 'https://x' // '\nclasspath \"com.android.tools.build:gradle:8.13.0\"\n",
    },
    want: {},
  }],
  ["a condition on the JDK", {
    change: {
      "android/app/capacitor.build.gradle": "",
      "android/app/build.gradle":
        "if (JavaVersion.current().isCompatibleWith(JavaVersion.VERSION_25)) { println 'new' }\n" +
        "android {\n  compileSdk rootProject.ext.compileSdkVersion\n  compileOptions {\n    sourceCompatibility = JavaVersion.VERSION_1_8\n" +
        "    targetCompatibility = JavaVersion.VERSION_1_8\n  }\n}\n",
    },
    want: { javaLevel: 8 },
  }],
  ["a level of Java in a text", {
    change: {
      "android/app/capacitor.build.gradle":
        'android { compileOptions {\n sourceCompatibility "17"\n targetCompatibility = "17"\n} }\n',
    },
    want: { javaLevel: 17 },
  }],
  ["files behind links to a folder that several apps share", {
    spoil(root) {
      mkdirSync(join(root, "shared"));
      for (const path of ["gradle", "variables.gradle", "build.gradle"]) {
        renameSync(join(root, "android", path), join(root, "shared", path));
        symlinkSync(join("../shared", path), join(root, "android", path));
      }
    },
    want: {},
  }],
  ["a plugin that is computed, and another one that was left in buildSrc", {
    change: {
      "android/build.gradle": 'classpath "com.android.tools.build:gradle:$agp"\n',
      "android/buildSrc/build.gradle": "implementation 'com.android.tools.build:gradle:8.1.0'\n",
    },
    want: { plugin: undefined },
  }],
  ["a plugin that a condition selects, and another one in a catalog", {
    change: {
      "android/build.gradle":
        "if (old) classpath 'com.android.tools.build:gradle:8.2.1'\nelse classpath 'com.android.tools.build:gradle:8.13.0'\n",
      "android/gradle/libs.versions.toml":
        '[plugins]\nandroid = { id = "com.android.application", version = "8.1.0" }\n',
    },
    want: { plugin: undefined },
  }],
  ["a plugin that is asked for by its id, and is the module of that version", {
    change: {
      "android/settings.gradle": "pluginManagement { resolutionStrategy { eachPlugin {\n" +
        '  if (requested.id.namespace == "com.android") {\n' +
        '    useModule("com.android.tools.build:gradle:${requested.version}")\n  }\n} } }\n',
      "android/build.gradle":
        "plugins {\n  id 'com.android.application' version '8.13.0' apply false\n}\n",
    },
    want: {},
  }],
  ["a plugin that the settings take in another version than its id says", {
    change: {
      "android/settings.gradle": "pluginManagement { resolutionStrategy { eachPlugin {\n" +
        "  if (requested.id.id == 'com.android.application') useModule('com.android.tools.build:gradle:8.9.1')\n" +
        "} } }\n",
      "android/build.gradle":
        "plugins {\n  id 'com.android.application' version '8.13.0' apply false\n}\n",
    },
    want: { plugin: "8.9.1" },
  }],
  ["a plugin whose version the settings replace", {
    change: {
      "android/settings.gradle":
        "pluginManagement { resolutionStrategy { eachPlugin {\n  useVersion(agp)\n} } }\n",
      "android/build.gradle":
        "plugins {\n  id 'com.android.application' version '8.13.0' apply false\n}\n",
    },
    want: { plugin: undefined },
  }],
  ["a version catalog whose versions the settings replace", {
    without: GROOVY,
    change: {
      "android/settings.gradle.kts":
        'dependencyResolutionManagement { versionCatalogs { create("libs") { version("agp", old) } } }\n',
      "android/gradle/libs.versions.toml":
        '[versions]\nagp = "8.13.0"\nandroid-compileSdk = "36"\n\n[plugins]\n' +
        'android-application = { id = "com.android.application", version.ref = "agp" }\n',
      "android/app/build.gradle.kts":
        "android {\n  compileSdk = libs.versions.android.compileSdk.get().toInt()\n}\n",
    },
    want: { plugin: undefined, compileSdk: undefined },
  }],
  ["build tools that a variable names", {
    change: {
      "android/app/build.gradle":
        "android {\n  compileSdk rootProject.ext.compileSdkVersion\n  buildToolsVersion rootProject.ext.buildToolsVersion\n}\n",
    },
    want: { buildTools: "computed" },
  }],
  ["build tools behind a condition", {
    change: {
      "android/app/build.gradle":
        "android {\n  compileSdk = 36\n  if (old) buildToolsVersion '34.0.0'\n}\n",
    },
    want: { buildTools: "computed" },
  }],
  ["build tools of a candidate", {
    change: {
      "android/app/build.gradle":
        "android {\n  compileSdk = 36\n  buildToolsVersion = '37.0.0-rc1'\n}\n",
    },
    want: { buildTools: "37.0.0-rc1" },
  }],
  ["a platform that is computed", {
    change: { "android/variables.gradle": "ext {\n  compileSdkVersion = 35 + 1\n}\n" },
    want: { compileSdk: undefined },
  }],
  ["a platform that a condition selects", {
    change: {
      "android/variables.gradle":
        "ext {\n  compileSdkVersion = project.hasProperty('x') ? 35 : 36\n}\n",
    },
    want: { compileSdk: undefined },
  }],
  ["a platform that a condition of several lines selects", {
    change: {
      "android/variables.gradle":
        "ext {\n  if (old) {\n    compileSdkVersion = 34\n  } else {\n    compileSdkVersion = 36\n  }\n}\n",
    },
    want: { compileSdk: undefined },
  }],
  ["a wrapper whose archive several apps share", {
    without: ["android/gradle/wrapper/gradle-wrapper.jar"],
    change: {
      "android/gradlew":
        '#!/bin/sh\nexec java -jar "$APP_HOME/../gradle/wrapper/gradle-wrapper.jar" "$@"\n',
    },
    want: {},
  }],
  ["a wrapper that starts that of the folder above", {
    without: ["android/gradle/wrapper/gradle-wrapper.jar"],
    change: { "android/gradlew": '#!/bin/sh\nexec ../gradlew "$@"\n' },
    want: {},
  }],
  ["an SDK in Latin-1 with escapes", {
    change: { "android/local.properties": latin1("sdk.dir=/home/j\xf6rg/my\\ sdk\r\n") },
    want: { sdkDir: "/home/jörg/my sdk" },
  }],
];

for (const [title, row] of ROWS) {
  const { change = {}, without = [], spoil, user, options, javaOptions, want } = row;
  test(`a plan reads ${title}`, () =>
    withFolder(async (root) => {
      const tree: Record<string, string> = { ...androidApp(8) } satisfies Tree;
      for (const path of without) delete tree[path];
      writeTree(root, { ...tree, ...change });
      spoil?.(root);
      const project = parseGradleProject(await readGradleFiles(files, root, "android"), {
        user: user === undefined ? null : { text: user, from: "~/.gradle/gradle.properties" },
        steps: [["./android/gradlew", "-p", "android", ...row.arguments ?? [], "assembleDebug"]],
        variable: (name) => ({ JAVA_OPTS: javaOptions, GRADLE_OPTS: options })[name],
      });
      const { gradle, plugin, compileSdk, buildTools, javaLevel, javaHome, sdkDir } = project;
      assert.deepEqual(
        {
          gradle: gradle?.value,
          plugin: plugin?.value,
          compileSdk: compileSdk?.value,
          buildTools: typeof buildTools === "string" ? buildTools : buildTools?.value,
          javaLevel: javaLevel?.value,
          javaHome: javaHome?.value,
          sdkDir: sdkDir?.value,
          brokenJar: project.brokenJar?.path,
        },
        {
          ...{ gradle: "8.14.3", plugin: "8.13.0", compileSdk: 36, buildTools: undefined },
          ...{ javaLevel: 21, javaHome: undefined, sdkDir: undefined, brokenJar: undefined },
          ...want,
        },
      );
    }));
}

for (
  const [step, folder] of [
    ["./android/gradlew -p android build", "android"],
    ["sh android/gradlew -p android build", "android"],
    ["env CI=1 ./android/gradlew --project-dir=android build", "android"],
    ["nice -n 5 ./android/gradlew -p android build", "android"],
    ["/game/android/gradlew -p /game/android build", "android"],
    ["../droid/gradlew -p ../droid build", "/droid"],
    ["./gradlew build", ""],
    ["env JAVA_HOME=/jdk ./android/gradlew -p android build", null],
    ["sh -c ./android/gradlew", null],
    ["node run.mjs android/gradlew", null],
    ["gradle -p android build", null],
    ["./gradlew -p android build", null],
  ] as const
) {
  test(`gradleStartOf() ${step}`, () => {
    const [program = "", ...args] = step.split(" ");
    const start = gradleStartOf([[program, ...args]], { root: "/game", appFolder: "android" });
    assert.equal(start.unknown === undefined ? start.folder : null, folder, start.unknown);
  });
}

for (
  const [words, set] of [
    [["-g", "home"], "-g"],
    [["-ghome"], "-g"],
    [["--gradle-user-home=home"], "--gradle-user-home"],
    [["-D", "gradle.user.home=home"], "gradle.user.home"],
    [["-Dgradle.user.home=home"], "gradle.user.home"],
    [["--system-prop=gradle.user.home=home"], "gradle.user.home"],
    [["-Dother.gradle.user.home=home", "graph", "--graph"], undefined],
  ] as const
) {
  test(`gradleStartOf() with ${words.join(" ")} knows whose settings Gradle takes`, () => {
    const start = gradleStartOf([["./android/gradlew", "-p", "android", ...words]], {
      root: "/game",
      appFolder: "android",
    });
    assert.deepEqual(start.sets, set === undefined ? undefined : [set]);
  });
}

test("gradleStartOf() names the variables by which a step chooses other tools", () => {
  const step = "env ANDROID_HOME=/sdk CI=1 JAVA_HOME=/jdk ./android/gradlew -p android build";
  const [program = "", ...args] = step.split(" ");
  assert.deepEqual(gradleStartOf([[program, ...args]], { root: "/game", appFolder: "android" }), {
    folder: "android",
    unknown: "a step sets ANDROID_HOME and JAVA_HOME for Gradle",
    sets: ["ANDROID_HOME", "JAVA_HOME"],
  });
});
