import assert from "node:assert/strict";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { examine } from "../../scripts/ota-doctor.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { findCapacitor } from "../support/capacitor.ts";
import { followRecipe } from "../support/capacitor-recipe.ts";

// Reports of the doctor about a real app, intact and with one fault at a time.

const runtime = await loadRuntime();

type Change = (text: string) => string;

const PRIVACY = "node_modules/slipway-ota/ios/Sources/OtaPlatform/PrivacyInfo.xcprivacy";
const ASSETS = "android/app/src/main/assets";
const MANIFEST = "android/app/src/main/AndroidManifest.xml";
const CONFIG = `${ASSETS}/capacitor.config.json`;
const GAME = `${ASSETS}/public/game.js`;
const OTHER_KEY = "4ruKProhPkbmehDK0p2Ctvk9pL005XLKXfDiDno8qXA";

/** The fault, its file, how that is changed (`null`: it is missing), and the codes of the findings. */
const FAULTS: readonly (readonly [string, string, Change | null, readonly string[]])[] = [
  ["the plugin", "package.json", without("slipway-ota"), ["plugin"]],
  ["what npm installs", "node_modules/slipway-ota/package.json", null, ["plugin"]],
  ["an update without a sync", "node_modules/slipway-ota/package.json", atVersion("9.0.0"), [
    "client",
  ]],
  ["Gradle's settings", "android/capacitor.settings.gradle", () => "", ["sync"]],
  ["the folder that Gradle names", "android/capacitor.settings.gradle", naming("old"), ["sync"]],
  ["a class that is Capacitor's", `${ASSETS}/capacitor.plugins.json`, () => "[]", ["sync"]],
  ["the embedded manifest", `${ASSETS}/public/ota-embedded-manifest.json`, null, ["embedded"]],
  ["a file of the bundle", `${ASSETS}/public/index.html`, () => "other", ["web-assets"]],
  ["the activity", "android/app/src/main/java/com/example/game/MainActivity.java", null, ["hook"]],
  ["the provider", MANIFEST, removing("provider", "dev.slipway.ota.OtaProvider"), ["hook"]],
  ["the network", MANIFEST, removing("uses-permission", "android.permission.INTERNET"), [
    "internet",
  ]],
  ["Swift's package", "ios/App/CapApp-SPM/Package.swift", without("SlipwayOta"), ["sync"]],
  ["the folder that Xcode names", "ios/App/CapApp-SPM/Package.swift", naming("old"), ["sync"]],
  ["the privacy manifest", PRIVACY, null, ["privacy"]],
  ["a reason of the privacy manifest", PRIVACY, without("CategoryDiskSpace"), ["privacy"]],
  ["the class list", "ios/App/App/capacitor.config.json", () => '{"webDir":"www"}', ["hook"]],
  ["the iOS assets", "ios/App/App/public/ota-embedded-manifest.json", () => "{}", ["embedded"]],
  [
    "an Android that is too old",
    "android/variables.gradle",
    (text) => text.replace(/minSdkVersion = \d+/, "minSdkVersion = 23"),
    ["system"],
  ],
  [
    "an iOS that is too old",
    "ios/App/App.xcodeproj/project.pbxproj",
    (text) =>
      text.replace(/IPHONEOS_DEPLOYMENT_TARGET = [\d.]+;/, "IPHONEOS_DEPLOYMENT_TARGET = 14.9;"),
    [
      "system",
    ],
  ],
  ["live reload", CONFIG, configured({ server: { url: "http://pc" } }), ["live-reload"]],
  ["service workers", CONFIG, configured({ android: {} }), ["service-worker"]],
  [
    "a service worker in the bundle",
    `${ASSETS}/public/ota-embedded-manifest.json`,
    (text) => text.replace('"game.js"', '"sw.js"'),
    ["web-assets", "service-worker", "client"],
  ],
  ["a metered word", CONFIG, plugin({ metered: "no" }), ["configuration"]],
  ["a trial that is a word", CONFIG, plugin({ backOnTrial: "yes" }), ["configuration"]],
  ["a lock misspelled", CONFIG, plugin({ publickey: OTHER_KEY }), ["configuration"]],
  ["a lock that is no key", CONFIG, plugin({ publicKey: "key" }), ["configuration"]],
  ["no lock", "capacitor.config.json", plugin({ backOnTrial: false }), ["recommended"]],
  ["no word on trials", "capacitor.config.json", plugin({ publicKey: OTHER_KEY }), [
    "recommended",
  ]],
  ["a key that is not put in", "project.config.json", set({ publicKey: "the line" }), [
    "configuration",
    "public-key",
  ]],
  ["updates that are off", "project.config.json", set({ enabled: false }), ["configuration"]],
  ["another name", CONFIG, plugin({ bundleName: "other" }), ["configuration"]],
  ["a bundle that the game does not follow", "project.config.json", set({ bundleName: "a" }), [
    "embedded",
  ]],
  ["a level that it does not follow", "project.config.json", set({ engineApi: 2 }), ["embedded"]],
  ["a game that never looks", GAME, () => "", ["web-assets", "client"]],
  ["a client of another version", GAME, (text) => text.replace(/slipway-ota [\d.]+/, "$&9"), [
    "web-assets",
    "client",
  ]],
  ["two clients", GAME, (text) => text + text, ["web-assets", "client"]],
  ["another key", CONFIG, plugin({ publicKey: OTHER_KEY }), ["public-key"]],
];

const capacitor = await findCapacitor(8);
test("the doctor names each thing that is wrong in a real app, and nothing else", {
  skip: capacitor.skip,
}, async (t) => {
  if (capacitor.skip !== false) return;
  const app = await followRecipe({ capacitor, packages: "npm" });
  for (const [what, path, change, codes] of FAULTS) {
    await t.test(what, async () => {
      const file = join(app, path);
      const source = readFileSync(file, "utf8");
      if (change === null) renameSync(file, `${file}.away`);
      else writeFileSync(file, change(source));
      const found = (await examine(runtime, app)).findings;
      rmSync(`${file}.away`, { force: true });
      writeFileSync(file, source);
      assert.deepEqual([...new Set(found.map(({ code }) => code))], codes, JSON.stringify(found));
    });
  }
  assert.deepEqual((await examine(runtime, app)).findings, []);
});

function without(text: string): Change {
  return (source) => source.split("\n").join(" ").replaceAll(text, "nothing");
}

/** Names a folder of the package that is not the installed one, as pnpm leaves behind. */
function naming(folder: string): Change {
  return (source) => source.replaceAll("node_modules/slipway-ota", `node_modules/${folder}`);
}

function atVersion(version: string): Change {
  return (source) => JSON.stringify({ ...JSON.parse(source), version });
}

function removing(element: string, name: string): Change {
  const removed = `<${element} android:name="${name}" tools:node="remove" /></manifest>`;
  return (source) => source.replace("</manifest>", removed);
}

function configured(more: object): Change {
  return (source) => JSON.stringify({ ...JSON.parse(source), ...more });
}

function set(more: object): Change {
  return (source) => JSON.stringify({ ota: { ...JSON.parse(source).ota, ...more } });
}

function plugin(more: object): Change {
  return configured({ plugins: { SlipwayOta: more } });
}
