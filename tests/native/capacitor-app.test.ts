import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { isRecord } from "../../lib/core/json.ts";
import { examine } from "../../scripts/ota-doctor.ts";
import { loadRuntime, packageRoot } from "../../scripts/shared/runtime.ts";
import { cap, findCapacitor, npm, recipe, run, standInGradlew } from "../support/capacitor.ts";
import { followRecipe, packedPlugin } from "../support/capacitor-recipe.ts";

// The plugin's README in real apps of Capacitor's own command line, with the package as npm packs it: from
// an empty folder up to where Gradle and Xcode begin.

// Takes long: npm and the Capacitor of an app install and sync for real, for each major and manager.

const runtime = await loadRuntime();

for (
  const [major, packages, ios] of [
    [8, "npm", undefined],
    [8, "pnpm", undefined],
    [7, "npm", undefined],
    [7, "pnpm", "SPM"],
  ] as const
) {
  const capacitor = await findCapacitor(major);
  const manager = major === 7 && ios === undefined ? "CocoaPods" : "SPM";
  const kind = `Capacitor ${major} with ${packages} and ${manager}`;
  test(`README's recipe takes an empty folder to an app that updates itself: ${kind}`, {
    skip: capacitor.skip,
  }, async () => {
    if (capacitor.skip !== false) return;
    const app = await followRecipe({ capacitor, packages, ios });
    if (major === 7) {
      const { findings } = await examine(runtime, app);
      const places = [VARIABLES, PROJECT, ...(manager === "SPM" ? [] : [PODFILE])];
      assert.deepEqual(findings.map(({ code }) => code), places.map(() => "system"));
      assert.deepEqual(findings.map(({ where }) => where), places);
      raiseSystems(app);
      await cap(capacitor, ["sync"], app);
    }
    const looked = await examine(runtime, app);
    assert.deepEqual(looked, { platforms: ["android", "ios"], findings: [] });
    checkWiring(app, manager);
    checkVersion(app);
    standInGradlew(app, capacitor.node);
    assert.equal(
      await run(join(app, "android/gradlew"), ["assembleDebug"], app),
      "Task assembleDebug: :app :capacitor-android :capacitor-cordova-android-plugins :slipway-ota\n",
    );
    assert.ok(existsSync(join(app, "bucket/release.json")));
    const asked = 'console.log(JSON.stringify(await SlipwayOta.getState({})), "ended")';
    const browser = `import { SlipwayOta } from "slipway-ota"; ${asked}`;
    const reported = await run(capacitor.node, ["--input-type=module", "--eval", browser], app);
    assert.equal(reported, '{"state":null,"sequence":{}} ended\n'); // no launch: nothing to confirm
    if (packages === "npm") await checkInstalled(app);
  });
}

test("the package's entries and types are what a bundler and a compiler expect", async () => {
  const bin = (path: string) => join(packageRoot(), "node_modules", path);
  const attw = bin("@arethetypeswrong/cli/dist/index.js");
  const node = "Deno" in globalThis ? "node" : process.execPath;
  const packed = await packedPlugin();
  const folder = mkdtempSync(join(tmpdir(), "slipway-lint-"));
  try {
    await run(node, [attw, packed, "--profile", "esm-only", "--no-color"], folder);
    await run(node, [bin("publint/src/cli.js"), packed, "--strict"], folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const VARIABLES = "android/variables.gradle";
const PROJECT = "ios/App/App.xcodeproj/project.pbxproj";
const PODFILE = "ios/App/Podfile";

/** Raises the oldest systems as README says for Capacitor 7. */
function raiseSystems(app: string): void {
  for (
    const [path, found, expected] of [
      [VARIABLES, /minSdkVersion = \d+/, "minSdkVersion = 24"],
      [PROJECT, /IPHONEOS_DEPLOYMENT_TARGET = [\d.]+/g, "IPHONEOS_DEPLOYMENT_TARGET = 15.0"],
      [PODFILE, /platform :ios, '[\d.]+'/, "platform :ios, '15.0'"],
    ] as const
  ) {
    const file = join(app, path);
    if (!existsSync(file)) continue;
    assert.ok(recipe().page.includes(`\`${expected}\``) && recipe().page.includes(`\`${path}\``));
    writeFileSync(file, readFileSync(file, "utf8").replace(found, expected));
  }
}

/** Checks that an app gets the package, and nothing else that it would not have anyway. */
async function checkInstalled(app: string): Promise<void> {
  const listed = JSON.parse(await npm(["ls", "--all", "--json"], app));
  const { dependencies = {} } = listed.dependencies["slipway-ota"];
  assert.deepEqual([listed.problems, Object.keys(dependencies)], [undefined, ["@capacitor/core"]]);
}

/** Checks that the app's binary knows as which version its bundle was published. */
function checkVersion(app: string): void {
  for (const assets of ["android/app/src/main/assets/public", "ios/App/App/public"]) {
    const text = readFileSync(join(app, assets, "ota-embedded-manifest.json"), "utf8");
    const { name, version, sequence } = JSON.parse(text);
    assert.deepEqual({ name, version, sequence }, { name: "game", version: "v1", sequence: 1 });
  }
}

/** What the command line wrote for both platforms. */
function checkWiring(app: string, manager: "SPM" | "CocoaPods"): void {
  const json = (path: string): unknown => JSON.parse(readFileSync(join(app, path), "utf8"));
  assert.deepEqual(json("android/app/src/main/assets/capacitor.plugins.json"), [
    { pkg: "slipway-ota", classpath: "dev.slipway.ota.OtaPlugin" },
  ]);
  const ios = json("ios/App/App/capacitor.config.json");
  assert.ok(isRecord(ios));
  assert.deepEqual(ios["packageClassList"], ["SlipwayOtaPlugin"]);
  const [file, line] = manager === "SPM"
    ? ["CapApp-SPM/Package.swift", /\.package\(name: "SlipwayOta", path: "([^"]*)"\)/] as const
    : ["Podfile", /pod 'SlipwayOta', :path => '([^']*)'/] as const;
  const text = readFileSync(join(app, "ios/App", file), "utf8");
  // SwiftPM refuses a package for a later system than the one that takes it; pods are refused alike.
  assert.match(
    text,
    manager === "SPM" ? /platforms: \[\.iOS\(\.v15\)\]/ : /platform :ios, '15\.0'/,
  );
  const [, path = ""] = line.exec(text) ?? [];
  const plugin = join(app, "ios/App", dirname(file), path);
  const described = manager === "SPM" ? "Package.swift" : "SlipwayOta.podspec";
  assert.match(readFileSync(join(plugin, described), "utf8"), /'SlipwayOta'|"SlipwayOta"/);
}
