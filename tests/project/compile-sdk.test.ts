import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { compileSdkOf } from "../../lib/project/compile-sdk.ts";
import { loadRuntime } from "../../scripts/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";

const { files } = await loadRuntime();
const web = { command: ["true"], out: "dist" } as const;

const APP = "android/app/build.gradle";
const KOTLIN = `${APP}.kts`;
const VARIABLES = "android/variables.gradle";
const refers = "android {\n    compileSdk = rootProject.ext.compileSdkVersion\n}\n";

const ROWS: readonly (readonly [string, Readonly<Record<string, string>>, number | undefined])[] = [
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
  ["a reference alone", { [APP]: refers }, undefined],
  ["a comment", { [APP]: "// compileSdk 21\nandroid {}\n" }, undefined],
  ["other names", { [APP]: "compileSdkPreview 21\nxcompileSdk 22\ncompileSdk36\n" }, undefined],
  ["no level", { [APP]: "compileSdk 0\n", [VARIABLES]: "compileSdkVersion = 4000\n" }, undefined],
  ["a file larger than any", { [APP]: `compileSdk 36\n${" ".repeat(300_000)}` }, undefined],
];

for (const [title, tree, want] of ROWS) {
  test(`compileSdkOf() reads ${title}`, () =>
    withFolder(async (root) => {
      writeTree(root, tree);
      assert.equal(await compileSdkOf(files, root, { build: { web } }), want);
      const android = { steps: [], compileSdk: 30 };
      assert.equal(await compileSdkOf(files, root, { build: { web, android } }), 30);
    }));
}

const posix = process.platform === "win32" ? { skip: "needs links" } : {};

test("compileSdkOf() reads nothing outside the project", posix, () =>
  withFolder(async (folder) => {
    const root = join(folder, "game");
    writeTree(folder, { "elsewhere/build.gradle": "compileSdk 30\n", "game/android/app/x": "" });
    symlinkSync(join(folder, "elsewhere/build.gradle"), join(root, APP));
    assert.equal(await compileSdkOf(files, root, { build: { web } }), undefined);
  }));
