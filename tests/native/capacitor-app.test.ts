import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { isRecord } from "../../lib/core/json.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { examine } from "../../scripts/ota-doctor.ts";
import { main as embedManifest } from "../../scripts/ota-embed-manifest.ts";
import {
  cap,
  type Capacitor,
  findCapacitor,
  npm,
  packPlugin,
  recipe,
  writeApp,
} from "../support/capacitor.ts";

// README's recipe in a real app of Capacitor's own command line, with the package as npm packs it: the
// plugin is found, listed and wired on both platforms. What the doctor says of it, whole and broken.

const runtime = await loadRuntime();
const scratch = mkdtempSync(join(tmpdir(), "slipway-capacitor-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

for (const [major, manager] of [[8, "SPM"], [7, "SPM"], [7, "CocoaPods"]] as const) {
  const capacitor = await findCapacitor(major);
  const kind = `Capacitor ${major} with ${manager}`;
  test(`README's recipe takes an empty app of ${kind} to one that updates itself`, {
    skip: capacitor.skip,
  }, async () => {
    if (capacitor.skip !== false) return;
    const app = await makeApp(capacitor, manager);
    const before = await examine(runtime, app);
    assert.deepEqual(before.platforms, ["android", "ios"]);
    assert.ok(before.findings.some(({ code }) => code === "plugin"));
    await follow(recipe(), capacitor, app);
    assert.deepEqual((await examine(runtime, app)).findings, []);
    checkWiring(app, manager);
  });
}

const current = await findCapacitor(8);
test("the doctor names each thing that is missing in a real app, and nothing else", {
  skip: current.skip,
}, async (t) => {
  if (current.skip !== false) return;
  const app = await makeApp(current, "SPM");
  await follow(recipe(), current, app);
  const assets = "android/app/src/main/assets";
  const manifest = "android/app/src/main/AndroidManifest.xml";
  for (
    const [what, path, change, codes] of [
      ["the plugin", "package.json", without("slipway-ota"), ["plugin"]],
      ["Gradle's settings", "android/capacitor.settings.gradle", () => "", ["sync"]],
      ["a class that is Capacitor's", `${assets}/capacitor.plugins.json`, () => "[]", ["sync"]],
      ["the embedded manifest", `${assets}/public/ota-embedded-manifest.json`, null, ["embedded"]],
      ["a file of the bundle", `${assets}/public/index.html`, () => "other", ["web-assets"]],
      ["the activity", "android/app/src/main/java/com/example/game/MainActivity.java", null, [
        "hook",
      ]],
      ["the provider", manifest, removing("provider", "dev.slipway.ota.OtaProvider"), ["hook"]],
      ["the network", manifest, removing("uses-permission", "android.permission.INTERNET"), [
        "internet",
      ]],
      ["Swift's package", "ios/App/CapApp-SPM/Package.swift", without("SlipwayOta"), ["sync"]],
      ["the class list", "ios/App/App/capacitor.config.json", () => '{"webDir":"www"}', ["hook"]],
      ["the iOS assets", "ios/App/App/public/ota-embedded-manifest.json", () => "{}", ["embedded"]],
      [
        "live reload",
        `${assets}/capacitor.config.json`,
        configured({ server: { url: "http://pc" } }),
        ["live-reload"],
      ],
      ["a metered word", `${assets}/capacitor.config.json`, plugin({ metered: "no" }), [
        "configuration",
      ]],
      ["another name", `${assets}/capacitor.config.json`, plugin({ bundleName: "other" }), [
        "configuration",
      ]],
      ["another key", `${assets}/capacitor.config.json`, plugin({ publicKey: "other" }), [
        "public-key",
      ]],
    ] as const
  ) {
    await t.test(what, async () => {
      const file = join(app, path);
      const whole = readFileSync(file, "utf8");
      if (change === null) renameSync(file, `${file}.away`);
      else writeFileSync(file, change(whole));
      const found = (await examine(runtime, app, "key")).findings;
      rmSync(`${file}.away`, { force: true });
      writeFileSync(file, whole);
      assert.deepEqual([...new Set(found.map(({ code }) => code))], codes, JSON.stringify(found));
    });
  }
  assert.deepEqual((await examine(runtime, app)).findings, []);
});

type Change = (text: string) => string;

function without(text: string): Change {
  return (whole) => whole.split("\n").join(" ").replaceAll(text, "nothing");
}

function removing(element: string, name: string): Change {
  const removed = `<${element} android:name="${name}" tools:node="remove" /></manifest>`;
  return (whole) => whole.replace("</manifest>", removed);
}

function configured(more: object): Change {
  return (whole) => JSON.stringify({ ...JSON.parse(whole), ...more });
}

function plugin(more: object): Change {
  return configured({ plugins: { SlipwayOta: more } });
}

/** An app with both platforms and a page, and nothing of ours. */
async function makeApp(
  capacitor: Capacitor & { skip: false },
  manager: "SPM" | "CocoaPods",
): Promise<string> {
  const app = mkdtempSync(join(scratch, "app-"));
  writeApp(capacitor, app);
  mkdirSync(join(app, "www"));
  writeFileSync(join(app, "www/index.html"), "<!doctype html><title>Game</title>");
  await cap(capacitor, ["init", "game", "com.example.game", "--web-dir", "www"], app);
  await cap(capacitor, ["add", "android"], app);
  const added = cap(capacitor, ["add", "ios", "--packagemanager", manager], app);
  // Capacitor 7 asks for the package manager before it has written the app: its first update fails, and
  // every sync after that does not.
  if (capacitor.major === 7 && manager === "SPM") await added.catch(() => undefined);
  else await added;
  return app;
}

/** Runs the lines of the recipe; what this checkout builds stands in for what the registry would give. */
async function follow(
  lines: readonly string[],
  capacitor: Capacitor & { skip: false },
  app: string,
): Promise<void> {
  assert.ok(lines.length > 0 && lines.length < 10, `the recipe has ${lines.length} lines`);
  for (const line of lines) {
    const [program = "", command = "", ...args] = line.split(" ");
    const called = `${program} ${command}`;
    if (line === "npm install slipway-ota") {
      await npm(["install", await packPlugin(mkdtempSync(join(scratch, "pack-")))], app);
    } else if (called === "npx cap") await cap(capacitor, args, app);
    else if (line === "npx slipway ota-doctor") {
      assert.deepEqual((await examine(runtime, app)).findings, []);
    } else if (called === "npx slipway" && args[0] === "embed-manifest") {
      const dist = args.indexOf("--dist") + 1;
      const absolute = args.slice(1).with(dist - 1, join(app, args[dist] ?? ""));
      assert.equal(await embedManifest([...absolute, "--json"]), 0);
    } else assert.fail(`no way to run: ${line}`);
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
  const [, path = ""] = line.exec(readFileSync(join(app, "ios/App", file), "utf8")) ?? [];
  const plugin = join(app, "ios/App", dirname(file), path);
  const described = manager === "SPM" ? "Package.swift" : "SlipwayOta.podspec";
  assert.match(readFileSync(join(plugin, described), "utf8"), /'SlipwayOta'|"SlipwayOta"/);
  const gradle = readFileSync(join(app, "android/app/capacitor.build.gradle"), "utf8");
  assert.match(gradle, /implementation project\(':slipway-ota'\)/);
}
