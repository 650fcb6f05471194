import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { readGradleFiles } from "../../lib/project/building/plan/gradle-files.ts";
import { parseGradleProject } from "../../lib/project/building/plan/gradle-project.ts";
import { capacitorSteps, ownAppOf } from "../../lib/project/building/capacitor.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { cap, type Capacitor, findCapacitor, writeApp } from "../support/capacitor.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { addBuildParts, provide, script } from "../toolchain/real-machine.ts";
import { inWorld, needs, PATH_TO_NODE, type World } from "./build-world.ts";
import { androidApp, type CapacitorMajor, TEMPLATES } from "./plan-apps.ts";
import { GRADLEW, writeJdk } from "./plan-stand-ins.ts";

// BUILD-14, in apps that Capacitor itself makes: its packages come from the registry, its command line adds
// the platform, is asked for the folders and syncs. Only Gradle and Xcode are stand-ins.

const { files } = await loadRuntime();
const MAJORS: readonly CapacitorMajor[] = [6, 7, 8];
const found = new Map<CapacitorMajor, Capacitor>();
for (const major of MAJORS) found.set(major, await findCapacitor(major));

/** How a test of a major version is skipped. */
function needsOf(major: CapacitorMajor): { readonly skip: string | false } {
  return { skip: needs.skip || (found.get(major)?.skip ?? "it was not looked for") };
}

const BUILD = "import { mkdirSync, writeFileSync } from 'node:fs';\n" +
  "mkdirSync('dist', { recursive: true });\nwriteFileSync('dist/index.html', 'new');\n";

/** An app with a platform, before its first web build. */
async function addPlatform(
  root: string,
  major: CapacitorMajor,
  args: readonly string[],
): Promise<Capacitor & { readonly skip: false }> {
  const capacitor = found.get(major);
  assert.ok(capacitor !== undefined && capacitor.skip === false);
  mkdirSync(root, { recursive: true });
  writeApp(capacitor, root);
  writeTree(root, {
    "build.mjs": BUILD,
    "package-lock.json": "{}",
    "capacitor.config.json": JSON.stringify({
      ...{ appId: "com.example.game", appName: "Game", webDir: "dist" },
    }),
    "dist/index.html": "old",
  });
  // Capacitor 7 asks for the package manager before it has written the app: its first update fails.
  const isAsked = major === 7 && args.includes("SPM");
  await cap(capacitor, ["add", ...args], root).catch((thrown) => assert.ok(isAsked, thrown));
  rmSync(join(root, "dist"), { recursive: true });
  return capacitor;
}

for (const major of MAJORS) {
  const { gradle, plugin, compileSdk, java } = TEMPLATES[major];

  test(
    `the app for Android of Capacitor ${major} in tests says what the real one says`,
    needsOf(major),
    () =>
      withFolder(async (folder) => {
        const [real, written] = [join(folder, "real"), join(folder, "written")];
        await addPlatform(real, major, ["android"]);
        writeTree(written, androidApp(major));
        const [own, ours] = await Promise.all(
          [real, written].map(async (root) =>
            parseGradleProject(await readGradleFiles(files, root, "android"), {
              user: null,
              steps: [],
            })
          ),
        );
        assert.deepEqual(ours, own);
        assert.equal(own?.javaLevel?.value, java);
        for (const path of Object.keys(androidApp(major))) {
          assert.ok(existsSync(join(real, path)), `${path} is not in the real app`);
        }
      }),
  );

  test(
    `a build does what is told before it of a real app for Android of Capacitor ${major}`,
    needsOf(major),
    () =>
      inRealApp(
        { major, args: ["android"] },
        async ({ root, at, node, builds, build, toolchainDir }) => {
          provide(toolchainDir);
          if (compileSdk !== 36) addBuildParts(join(toolchainDir, "android-sdk"), compileSdk);
          writeFileSync(join(root, "android/gradlew"), GRADLEW);
          const isOld = major === 6; // its Gradle does not run on JDK 21
          for (const jdk of isOld ? [undefined, "17.0.15"] : [undefined]) {
            const sdk = jdk === undefined
              ? {}
              : { user: { sdk: { java: writeJdk(join(at, "jdk-17"), jdk) } } };
            writeSettings(root, "android", { android: { steps: capacitorSteps("android") } }, sdk);
            const ready = !isOld || jdk !== undefined;
            const planned = await builds.plan("android", { programs: "all" });
            assert.ok(planned.ok, JSON.stringify(planned));
            const { preflight } = planned.value;
            const text = JSON.stringify(preflight, null, 1);
            assert.equal(preflight.ready, ready, text);
            assert.deepEqual(preflight.unknown, [], text);
            const values = Object.fromEntries(
              preflight.plan.map(({ name, value }) => [name, value]),
            );
            assert.deepEqual(
              Object.fromEntries(Object.keys(FACTS).map((name) => [name, values[name]])),
              {
                ...FACTS,
                node,
                gradle,
                androidPlugin: plugin,
                compileSdk: `${compileSdk}`,
                buildTools: major === 8 ? "35.0.0" : "34.0.0",
              },
              text,
            );
            const end = await build("android");
            assert.equal(end.event, ready ? "done" : "problem", JSON.stringify(end));
            assert.equal(existsSync(join(root, "android/app.apk")), ready);
            if (!ready) continue;
            const copy = join(root, "android/app/src/main/assets/public/index.html");
            assert.equal(readFileSync(copy, "utf8"), "new");
          }
        },
      ),
  );
}

/** What a plan says of each app here. */
const FACTS: Readonly<Record<string, string>> = {
  webDir: "dist",
  platformDir: "android",
  appId: "com.example.game",
  packageManager: "npm",
  node: "",
  gradle: "",
  androidPlugin: "",
  compileSdk: "",
  buildTools: "",
};

for (
  const [major, packages, flags] of [
    [6, "CocoaPods", []],
    [7, "CocoaPods", []],
    [7, "SPM", ["--packagemanager", "SPM"]],
    [8, "SPM", []],
    [8, "CocoaPods", ["--packagemanager", "CocoaPods"]],
  ] as const
) {
  const kind = `Capacitor ${major} with ${packages}`;
  test(
    `a build does what is told before it of a real app for iOS of ${kind}`,
    needsOf(major),
    () =>
      inRealApp({ major, args: ["ios", ...flags] }, async ({ root, builds, build }) => {
        const pods = packages === "CocoaPods";
        const app = await ownAppOf(files, root, "ios");
        const [flag, path] = pods
          ? ["-workspace", "ios/App/App.xcworkspace"]
          : ["-project", "ios/App/App.xcodeproj"];
        assert.deepEqual(app, { folder: "ios", xcode: [flag, path] });
        for (const isOwn of [true, false]) {
          const other = pods
            ? ["-project", "ios/App/App.xcodeproj"]
            : ["-workspace", "ios/App/App.xcworkspace"];
          const steps = capacitorSteps("ios", { ...app, xcode: isOwn ? app.xcode : other });
          writeSettings(root, "ios", { ios: { steps } });
          const planned = await builds.plan("ios", { programs: "all" });
          assert.ok(planned.ok, JSON.stringify(planned));
          const { preflight } = planned.value;
          const text = JSON.stringify(preflight, null, 1);
          assert.equal(preflight.ready, isOwn, text);
          assert.deepEqual(preflight.unknown, [], text);
          const lacks = (preflight.lacks ?? []).map(({ name }) => name);
          assert.deepEqual(lacks, isOwn ? [] : ["build.ios.steps[1]"], text);
          const end = await build("ios");
          assert.equal(end.event, isOwn ? "done" : "problem", JSON.stringify(end));
        }
        assert.equal(readFileSync(join(root, "ios/App/App/public/index.html"), "utf8"), "new");
      }, { platform: "darwin" }),
  );
}

/**
 * Stands in for Xcode: it builds a workspace that CocoaPods made, or a project that needs none. Capacitor has
 * it clean the project.
 */
const XCODE = `case "$*" in *" clean") exit 0 ;; esac
case $1 in
-workspace) [ -f "$2/contents.xcworkspacedata" ] || { echo "no workspace $2" >&2; exit 66; } ;;
-project) [ ! -f "$(dirname "$2")/Podfile" ] || { echo "no such module 'Capacitor'" >&2; exit 65; } ;;
-version) echo "Xcode 26.1" ;;
esac`;

/** Stands in for CocoaPods: it makes the workspace of the folder that it runs in. */
const POD = `case $1 in
install) echo '<Workspace/>' >App.xcworkspace/contents.xcworkspacedata ;;
--version) echo 1.17.0 ;;
esac`;

interface RealApp {
  readonly root: string;
  /** The folder around it. */
  readonly at: string;
  /** The version of Node. */
  readonly node: string;
  readonly builds: World["builds"];
  /** Builds to the end; its last event, or the refusal. */
  build(target: "android" | "ios"): Promise<{ readonly event: string; readonly data?: unknown }>;
  readonly toolchainDir: string;
}

function inRealApp(
  { major, args }: { readonly major: CapacitorMajor; readonly args: readonly string[] },
  work: (app: RealApp) => Promise<void>,
  host: { readonly platform?: "darwin" } = {},
): Promise<void> {
  return withFolder((bin) => {
    const capacitor = found.get(major);
    assert.ok(capacitor !== undefined && capacitor.skip === false);
    script(join(bin, "xcodebuild"), XCODE);
    script(join(bin, "pod"), POD);
    // npm is of the machine, and runs on the Node before it.
    const PATH = [dirname(capacitor.node), bin, PATH_TO_NODE].join(delimiter);
    script(join(bin, "npx"), 'exec "node_modules/.bin/$1" "$2" "$3" "$4"');
    return inWorld(async ({ root, ...world }) => {
      await addPlatform(root, major, args);
      const gradlew = join(root, "android/gradlew");
      if (existsSync(gradlew)) chmodSync(gradlew, 0o755);
      await work({
        ...{ ...world, root, at: join(root, ".."), node: "22.23.1" },
        async build(target) {
          const events = await world.build(target);
          return Array.isArray(events) ? events.at(-1) : { event: "problem", data: events };
        },
      });
    }, { host, environment: { SVC_PACKAGED: "", SVC_NPM: "", PATH } });
  });
}

function writeSettings(root: string, target: string, build: object, more: object = {}): void {
  writeTree(root, {
    "project.config.json": JSON.stringify({
      name: `Game for ${target}`,
      startScene: "a.scene.json",
      build: { web: { command: ["node", "build.mjs"], out: "dist" }, ...build },
      ...more,
    }),
  });
}
