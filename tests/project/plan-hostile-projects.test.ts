import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { appFacts } from "../../lib/project/building/app-facts.ts";
import { isInstalled, leastNode } from "../../lib/project/building/app-packages.ts";
import { ownAppOf, projectLacks, readAppSettings } from "../../lib/project/building/capacitor.ts";
import { comparablePath } from "../../lib/project/building/capacitor-report.ts";
import { gradleStartOf } from "../../lib/project/building/gradle-run.ts";
import { neededTools } from "../../lib/project/building/needed-tools.ts";
import { packageManagerOf } from "../../lib/project/building/package-manager.ts";
import { readGradleFiles } from "../../lib/project/building/plan/gradle-files.ts";
import { parseGradleProject } from "../../lib/project/building/plan/gradle-project.ts";
import type { Command } from "../../lib/project/config/config.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { withoutPosixFiles } from "../support/needs.ts";
import { androidApp } from "./plan-apps.ts";

// A project may come from anywhere: looking at it opens nothing outside of it, fails by no value, and takes
// no longer than its files are long.

const { files, host } = await loadRuntime();

const SYNC: Command = ["npx", "cap", "sync"];
const build = { web: { out: "dist" } } as const;

/** A value that JavaScript cannot turn into a text. */
const NO_TEXT = { toString: 1, valueOf: 1 };

test(
  "a plan opens no file outside the project by a link",
  { skip: withoutPosixFiles },
  () =>
    withFolder(async (top) => {
      const links = {
        "node_modules.map": ".pnp.cjs",
        "yarn.lock": "yarn.lock",
        "jar.txt": "android/gradle/wrapper/gradle-wrapper.jar",
      };
      const root = join(top, "game");
      const { "game/android/gradle/wrapper/gradle-wrapper.jar": _, ...app } = androidApp(
        8,
        "game/android",
      );
      writeTree(top, { ...app, "game/package.json": '{"packageManager":"yarn@4.0.0"}' });
      for (const [own, link] of Object.entries(links)) {
        writeTree(top, { [own]: "# yarn lockfile v1\n" });
        symlinkSync(join(top, own), join(root, link));
      }
      const opened: string[] = [];
      const watched = {
        ...files,
        read: (...[path, ...rest]: Parameters<typeof files.read>) => {
          opened.push(path);
          return files.read(path, ...rest);
        },
        readRange: (...[path, ...rest]: Parameters<typeof files.readRange>) => {
          opened.push(path);
          return files.readRange(path, ...rest);
        },
      };
      const manager = await packageManagerOf(watched, root);
      assert.equal(manager.map, ".pnp.cjs");
      // What cannot be read proves no package missing.
      assert.equal(await isInstalled(watched, { root, manager, name: "three" }), true);
      const gradle = await readGradleFiles(watched, root, "android");
      assert.deepEqual(gradle.wrapper, { startsJar: true, jar: "there" });
      writeTree(root, { "package.json": "{}" });
      assert.equal((await packageManagerOf(watched, root)).isClassic, false);
      const real = await files.realPath(top) ?? "";
      const ofTop = opened.filter((path) => path.startsWith(`${real}/`));
      assert.ok(ofTop.length > 5);
      assert.deepEqual(ofTop.filter((path) => !path.startsWith(`${real}/game/`)), []);
    }),
);

for (
  const path of [
    "variables.gradle",
    "build.gradle",
    "gradle.properties",
    "local.properties",
  ] as const
) {
  test(
    `android/${path} behind a link out of the project is read in a build alone, and the others not without it`,
    { skip: withoutPosixFiles },
    () =>
      withFolder(async (top) => {
        const root = join(top, "game");
        writeTree(root, androidApp(8));
        rmSync(join(root, "android", path), { force: true });
        writeTree(top, { "shared.txt": SHARED[path] });
        symlinkSync(join(top, "shared.txt"), join(root, "android", path));
        const looked = await readGradleFiles(files, root, "android");
        assert.deepEqual([looked.unread, looked.texts.size], ["outside", 0]);
        const { compileSdk, exists } = parseGradleProject(looked, { user: null, steps: [] });
        assert.deepEqual([compileSdk, exists], [undefined, true]);
        const built = await readGradleFiles(files, root, "android", { outside: true });
        assert.deepEqual([built.unread, built.texts.get(path)], [undefined, SHARED[path]]);
      }),
  );
}

const SHARED = {
  "variables.gradle": "ext { compileSdkVersion = 35 }\n",
  "build.gradle": "classpath 'com.android.tools.build:gradle:8.9.1'\n",
  "gradle.properties": "org.gradle.java.home=/jdk\n",
  "local.properties": "sdk.dir=/sdk\n",
} as const;

test("a plan is told of settings that are no texts, and of names that no file has", () =>
  withFolder(async (top) => {
    const root = join(top, "game");
    writeTree(top, { "package.json": JSON.stringify({ workspaces: [NO_TEXT] }) });
    writeTree(root, {
      "package.json": JSON.stringify({
        packageManager: NO_TEXT,
        devEngines: { packageManager: { name: "pnpm", version: NO_TEXT } },
        scripts: { sync: "node a\0.js" },
        dependencies: { "@capacitor/core": NO_TEXT },
      }),
      "node_modules/@capacitor/cli/package.json": JSON.stringify({
        version: NO_TEXT,
        engines: { node: NO_TEXT },
      }),
      "android/local.properties": "sdk.dir=\\u0000\n",
    });
    assert.equal((await packageManagerOf(files, root)).name, "pnpm");
    assert.equal(await leastNode(files, root), null);
    const steps: readonly Command[] = [SYNC, ["npm", "run", "sync"]];
    const config = { name: "Game", startScene: "a.scene.json", build };
    for (
      const settings of [
        { webDir: NO_TEXT, android: { path: "a\0b" } },
        { webDir: "a\0b", android: NO_TEXT },
        { webDir: `${"a/".repeat(4_000)}b`, android: { path: "a".repeat(100_000) } },
        { webDir: "//server/share", android: { path: "\\\\server\\share" } },
      ]
    ) {
      writeTree(root, { "capacitor.config.json": JSON.stringify(settings) });
      const asked: string[] = [];
      const watched = {
        ...files,
        realPath(path: string) {
          asked.push(path);
          return files.realPath(path);
        },
      };
      const lacks = await projectLacks(watched, { root, config, target: "android", steps });
      assert.match(lacks.map(({ name }) => name).join(), /capacitor\.config\.json/);
      const app = { root, realRoot: root, target: "android", report: null, silent: null } as const;
      const read = await readAppSettings(watched, root);
      const [web] = appFacts({ ...app, settings: read, lacks }).plan;
      assert.deepEqual([web?.name, web?.ok], ["webDir", false]);
      const android = { steps };
      const { overrides } = await neededTools({ files: watched, host }, root, {
        ...config,
        build: { ...build, android },
      });
      assert.equal(overrides, undefined);
      // Windows would log in at that server.
      assert.deepEqual(asked.filter((path) => /^[\\/]{2}/.test(path)), []);
    }
  }));

const LONG = 250_000;

for (
  const [title, path, text] of [
    ["blanks before the id of a plugin", "build.gradle", `id${" ".repeat(LONG)}`],
    [
      "blanks after it",
      "build.gradle",
      `id("com.android.application"${" ".repeat(LONG)}`,
    ],
    ["statements of a platform", "app/build.gradle", "compileSdk 35\n".repeat(LONG / 14)],
    [
      "references to a catalog",
      "app/build.gradle",
      "compileSdk = libs.versions.x.get()\n".repeat(LONG / 40),
    ],
    [
      "entries of the plugin in a catalog",
      "gradle/libs.versions.toml",
      'a = { id = "com.android.application", version.ref = "x" }\n'.repeat(LONG / 60),
    ],
    ["an escape at each place", "gradle.properties", "\\".repeat(LONG)],
  ] as const
) {
  test(`parseGradleProject() of ${title} without end`, () =>
    withFolder(async (root) => {
      writeTree(root, { [`android/${path}`]: text });
      const read = await readGradleFiles(files, root, "android");
      const { plugin, compileSdk } = parseGradleProject(read, { user: null, steps: [] });
      assert.deepEqual([plugin, compileSdk], [undefined, undefined]);
    }));
}

test("paths without end take no longer than they are long", () =>
  withFolder(async (root) => {
    const slashes = "/".repeat(LONG);
    for (const path of [`${slashes}x`, "a".repeat(LONG), `x${slashes}`]) {
      writeTree(root, { "capacitor.config.json": JSON.stringify({ ios: { path } }) });
      const { folder } = await ownAppOf(files, root, "ios");
      assert.ok(folder.length <= 4_096);
    }
    const { folder } = gradleStartOf([[`${"a".repeat(LONG)}/gradlew`]], { root, appFolder: "" });
    assert.equal(folder.length, LONG);
    assert.equal(await comparablePath(files, `a${slashes}b`), `a${slashes}b`);
  }));

test("a package.json with many packages and scripts is looked at once", () =>
  withFolder(async (root) => {
    const many = Array.from({ length: 8_000 }, (_, index) => `p${index}`);
    const listed = (names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, ""]));
    // Thousands of names of one file.
    const scripts = Array.from(
      { length: 3_000 },
      (_, index) => `${index.toString(2).replaceAll("0", "./").replaceAll("1", ".//")}a.js`,
    );
    writeTree(root, {
      ".pnp.cjs": " ".repeat(20_000_000) + many.map((name) => `"${name}"`).join(),
      "yarn.lock": "",
      "capacitor.config.json": '{"webDir":"dist"}',
      "android/a": "",
      "a.js": "x".repeat(LONG),
      "package.json": JSON.stringify({
        dependencies: listed(many),
        devDependencies: listed(many.slice(0, 2_000)),
        scripts: { build: scripts.join(" ") },
      }),
    });
    const steps: readonly Command[] = [["npm", "run", "build"], SYNC];
    const config = { name: "Game", build };
    const lacks = await projectLacks(files, { root, config, target: "android", steps });
    assert.match(lacks[0]?.reason ?? "", /^found no @capacitor\/core, @capacitor\/cli, /);
  }));
