import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gradleLevelsOf } from "../../lib/project/building/gradle-levels.ts";
import { neededTools } from "../../lib/project/building/needed-tools.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { withoutPosixFiles } from "../support/needs.ts";

const { files, host } = await loadRuntime();
const web = { command: ["true"], out: "dist" } as const;

const APP = "android/app/build.gradle";
const KOTLIN = `${APP}.kts`;
const VARIABLES = "android/variables.gradle";
const refers = "android {\n    compileSdk = rootProject.ext.compileSdkVersion\n}\n";

const ROWS:
  readonly (readonly [string, Readonly<Record<string, string>>, number | "unknown" | undefined])[] =
    [
      ["nothing", {}, undefined],
      ["the variable of Capacitor", {
        [APP]: refers,
        [VARIABLES]: "ext {\n    minSdkVersion = 24\n    compileSdkVersion = 35\n}\n",
      }, 35],
      ["the module's own word before the variable", {
        [APP]: "android {\n  compileSdk 34\n}",
        [VARIABLES]: "ext { \n compileSdkVersion = 35 }",
      }, 34],
      ["an assignment", { [APP]: "android {\n\tcompileSdk = 37\n}" }, 37],
      ["the old name", { [APP]: "compileSdkVersion 33\n" }, 33],
      ["a call", { [APP]: "compileSdkVersion(33)\n" }, 33],
      ["Kotlin", { [KOTLIN]: "android {\r\n    compileSdk = 36\r\n}\r\n" }, 36],
      ["a reference alone", { [APP]: refers }, "unknown"],
      ["a comment", { [APP]: "// compileSdk 21\nandroid {}\n" }, "unknown"],
      ["other names", { [APP]: "compileSdkPreview 21\nxcompileSdk 22\ncompileSdk36\n" }, "unknown"],
      ["a comment of lines", { [APP]: "android {\n/*\n compileSdk 21\n*/\n compileSdk 35\n}" }, 35],
      ["one line", { [APP]: 'url "https://x"; android { compileSdk 35 }' }, 35],
      ["a name in quotes", { [APP]: 'android {\n compileSdkVersion "android-35"\n}' }, 35],
      ["a release", { [KOTLIN]: "android {\n compileSdk { version = release(35) }\n}" }, 35],
      ["a minor release", {
        [KOTLIN]: "compileSdk {\n version = release(36) {\n minorApiLevel = 1\n }\n}\n",
      }, 36.1],
      ["a minor level", { [KOTLIN]: "compileSdk = 37\ncompileSdkMinor = 1\n" }, 37.1],
      ["the minor level 0", { [APP]: "compileSdk 37\ncompileSdkMinor 0\n" }, 37],
      ["the variable of the root", {
        [APP]: refers,
        "android/build.gradle": "buildscript {\n  ext {\n    compileSdkVersion = 35\n",
      }, 35],
      ["a property", { [APP]: refers, "android/gradle.properties": "compileSdkVersion=35\n" }, 35],
      ["a version catalog", {
        [KOTLIN]: "android {\n compileSdk = libs.versions.android.compileSdk.get().toInt()\n}",
        "android/gradle/libs.versions.toml":
          '[versions]\ncompileSdk = "3"\nandroid-compileSdk = "35"\n',
      }, 35],
      ["a catalog that is not there", {
        [KOTLIN]: "compileSdk = libs.versions.compileSdk.get().toInt()",
      }, "unknown"],
      ["a level that the module computes, whatever a variable is", {
        [APP]: "android {\n compileSdk = System.getenv('SDK') as int\n}",
        [VARIABLES]: "ext { \n compileSdkVersion = 35 }",
      }, "unknown"],
      ["a level of the module behind a condition", {
        [APP]: "if (old) compileSdk 34\ncompileSdk rootProject.ext.compileSdkVersion\n",
        [VARIABLES]: "ext { \n compileSdkVersion = 35 }",
      }, "unknown"],
      ["a level that replaces the variable", {
        [APP]:
          "android {\n compileSdk rootProject.ext.compileSdkVersion\n if (old) {\n compileSdk 34\n }\n}",
        [VARIABLES]: "ext { \n compileSdkVersion = 35 }",
      }, "unknown"],
      ["a condition between a number and the variable", {
        [APP]: "compileSdk = old ? 34 : rootProject.ext.compileSdkVersion\n",
        [VARIABLES]: "ext { \n compileSdkVersion = 35 }",
      }, "unknown"],
      ["the variable of another name", {
        [APP]: "compileSdk = rootProject.ext.compileSdkOfOurs\n",
        [VARIABLES]: "ext { \n compileSdkVersion = 35 }",
      }, "unknown"],
      ["the variable, and a number where it is not set", {
        [APP]:
          "compileSdk = project.hasProperty('compileSdkVersion') ? rootProject.ext.compileSdkVersion : 34\n",
        [VARIABLES]: "ext { \n compileSdkVersion = 35 }",
      }, 35],
      ["the variable that the root also gives to other modules", {
        [APP]: refers,
        "android/build.gradle":
          "ext { compileSdkVersion = 35 }\nsubprojects { android { compileSdkVersion rootProject.ext.compileSdkVersion } }\n",
      }, 35],
      ["a property next to a comment on it", {
        [APP]: refers,
        "android/gradle.properties":
          "# compileSdkVersion=30\n#compileSdkVersion=31\ncompileSdkVersion = 35\n",
      }, 35],
      ["a quarter million empty lines", { [APP]: "\n".repeat(250_000) }, "unknown"],
      ["texts without end", { [APP]: `"${'\\\\"'.repeat(100_000)}` }, "unknown"],
      ["comments without end", { [APP]: "/*".repeat(125_000) }, "unknown"],
      [
        "no level",
        { [APP]: "compileSdk 0\n", [VARIABLES]: "compileSdkVersion = 4000\n" },
        "unknown",
      ],
      ["a file larger than any", { [APP]: `compileSdk 36\n${" ".repeat(300_000)}` }, "unknown"],
    ];

for (const [title, tree, want] of ROWS) {
  test(`gradleLevelsOf() reads ${title}`, () =>
    withFolder(async (root) => {
      writeTree(root, tree);
      assert.equal((await gradleLevelsOf(files, root, { build: { web } })).compileSdk, want);
      const android = { steps: [], compileSdk: 30 };
      assert.equal((await gradleLevelsOf(files, root, { build: { web, android } })).compileSdk, 30);
    }));
}

const posix = { skip: withoutPosixFiles };

test(
  "gradleLevelsOf() reads nothing outside the project",
  posix,
  () =>
    withFolder(async (folder) => {
      const root = join(folder, "game");
      writeTree(folder, { "elsewhere/build.gradle": "compileSdk 30\n", "game/android/app/x": "" });
      symlinkSync(join(folder, "elsewhere/build.gradle"), join(root, APP));
      assert.equal((await gradleLevelsOf(files, root, { build: { web } })).compileSdk, "unknown");
    }),
);

test("neededTools() reads the level of the folder that the app's settings name", () =>
  withFolder(async (root) => {
    writeTree(root, {
      "capacitor.config.json": '{"android":{"path":"./apps/droid/"}}',
      "apps/droid/variables.gradle": "ext {\n compileSdkVersion = 37\n}\n",
      "android/variables.gradle": "ext {\n compileSdkVersion = 30\n}\n",
    });
    const config = { name: "Game", startScene: "a.scene.json", build: { web } };
    assert.equal((await neededTools({ files, host }, root, config)).compileSdk, 37);
    const android = { steps: [["./android/gradlew", "-p", "android", "build"]] as const };
    const own = { ...config, build: { web, android } };
    assert.equal((await neededTools({ files, host }, root, own)).compileSdk, 30);
  }));

test("neededTools() names the build tools that the Android plugin takes, for every report of tools", () =>
  withFolder(async (root) => {
    writeTree(root, {
      "android/build.gradle": "classpath 'com.android.tools.build:gradle:8.13.0'\n",
    });
    const config = { name: "Game", startScene: "a.scene.json", build: { web } };
    assert.equal((await neededTools({ files, host }, root, config)).buildTools, "35.0.0");
  }));

test("neededTools() names the SDK that Gradle takes, for the rows of every report of tools", () =>
  withFolder(async (root) => {
    const sdk = join(root, "studio");
    writeTree(root, {
      "studio/platform-tools/adb": "",
      "droid/local.properties": `sdk.dir=${sdk}\n`,
      "capacitor.config.json": '{"android":{"path":"droid"}}',
    });
    const android = { steps: [["./droid/gradlew", "-p", "droid", "build"]] as const };
    const user = { sdk: { java: "/jdk", "android-sdk": "/sdk" } };
    const config = { name: "Game", startScene: "a.scene.json", build: { web, android }, user };
    assert.deepEqual((await neededTools({ files, host }, root, config)).overrides, {
      java: "/jdk",
      "android-sdk": { path: sdk, by: "sdk.dir in droid/local.properties" },
    });
    const unbuilt = { ...config, build: { web } };
    assert.deepEqual((await neededTools({ files, host }, root, unbuilt)).overrides, user.sdk);
  }));
