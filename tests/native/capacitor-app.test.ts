import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { build } from "esbuild";
import { isRecord } from "../../lib/core/json.ts";
import { loadRuntime, packageRoot } from "../../scripts/shared/runtime.ts";
import { examine } from "../../scripts/ota-doctor.ts";
import { main as embedManifest } from "../../scripts/ota-embed-manifest.ts";
import { createKey } from "../../lib/ota-publish/mod.ts";
import { main as publish } from "../../scripts/ota-publish.ts";
import {
  cap,
  type Capacitor,
  findCapacitor,
  npm,
  packPlugin,
  recipe,
  run,
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
    await follow(recipe().lines, capacitor, app);
    assert.deepEqual((await examine(runtime, app)).findings, []);
    checkWiring(app, manager);
    assert.ok(existsSync(join(app, "bucket/release.json")));
    const asked = 'console.log(JSON.stringify(await SlipwayOta.getState({})), "ended")';
    const browser = `import { SlipwayOta } from "slipway-ota"; ${asked}`;
    const told = await run(capacitor.node, ["--input-type=module", "--eval", browser], app);
    assert.equal(told, '{"state":null,"sequence":{}} ended\n'); // no launch: nothing to confirm
  });
}

test("the package's entries and types are what a bundler and a compiler expect", async () => {
  const packed = await packPlugin(mkdtempSync(join(scratch, "pack-")));
  const bin = (path: string) => join(packageRoot(), "node_modules", path);
  const attw = bin("@arethetypeswrong/cli/dist/index.js");
  const node = "Deno" in globalThis ? "node" : process.execPath;
  await run(node, [attw, packed, "--profile", "esm-only", "--no-color"], scratch);
  await run(node, [bin("publint/src/cli.js"), packed, "--strict"], scratch);
});

const current = await findCapacitor(8);
test("the doctor names each thing that is missing in a real app, and nothing else", {
  skip: current.skip,
}, async (t) => {
  if (current.skip !== false) return;
  const app = await makeApp(current, "SPM");
  await follow(recipe().lines, current, app);
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
      ["service workers", `${assets}/capacitor.config.json`, configured({ android: {} }), [
        "service-worker",
      ]],
      ["a metered word", `${assets}/capacitor.config.json`, plugin({ metered: "no" }), [
        "configuration",
      ]],
      ["a lock misspelled", `${assets}/capacitor.config.json`, plugin({ publickey: OTHER_KEY }), [
        "configuration",
      ]],
      ["a lock that is no key", `${assets}/capacitor.config.json`, plugin({ publicKey: "key" }), [
        "configuration",
      ]],
      ["a key that is not put in", "project.config.json", set({ publicKey: "the line" }), [
        "configuration",
      ]],
      ["updates that are off", "project.config.json", set({ enabled: false }), ["configuration"]],
      ["another name", `${assets}/capacitor.config.json`, plugin({ bundleName: "other" }), [
        "configuration",
      ]],
      ["a bundle that the game does not follow", "project.config.json", set({ bundleName: "a" }), [
        "embedded",
      ]],
      ["a level that it does not follow", "project.config.json", set({ engineApi: 2 }), [
        "embedded",
      ]],
      ["a game that never looks", `${assets}/public/game.js`, () => "", ["web-assets", "client"]],
      ["another key", `${assets}/capacitor.config.json`, plugin({ publicKey: OTHER_KEY }), [
        "public-key",
      ]],
    ] as const
  ) {
    await t.test(what, async () => {
      const file = join(app, path);
      const whole = readFileSync(file, "utf8");
      if (change === null) renameSync(file, `${file}.away`);
      else writeFileSync(file, change(whole));
      const found = (await examine(runtime, app)).findings;
      rmSync(`${file}.away`, { force: true });
      writeFileSync(file, whole);
      assert.deepEqual([...new Set(found.map(({ code }) => code))], codes, JSON.stringify(found));
    });
  }
  assert.deepEqual((await examine(runtime, app)).findings, []);
});

const OTHER_KEY = "4ruKProhPkbmehDK0p2Ctvk9pL005XLKXfDiDno8qXA";

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

const withoutServiceWorkers = configured({ android: { resolveServiceWorkerRequests: false } });

function set(more: object): Change {
  return (whole) => JSON.stringify({ ota: { ...JSON.parse(whole).ota, ...more } });
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
  writeFileSync(
    join(app, "www/index.html"),
    '<!doctype html><title>Game</title><script type="module" src="game.js"></script>',
  );
  await cap(capacitor, ["init", "game", "com.example.game", "--web-dir", "www"], app);
  const config = join(app, "capacitor.config.json");
  writeFileSync(config, withoutServiceWorkers(readFileSync(config, "utf8")));
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
  const key = join(mkdtempSync(join(scratch, "key-")), "key.json");
  let publicKey = "";
  for (const line of lines) {
    const [program = "", command = "", ...args] = line.split(" ");
    const called = `${program} ${command}`;
    const flags = args.slice(1).map((arg, at) => args[at] === "--dist" ? join(app, arg) : arg);
    const keyless = flags.slice(0, flags.indexOf("--key-name"));
    if (line === "npm install slipway slipway-ota") {
      await npm(["install", await packPlugin(mkdtempSync(join(scratch, "pack-")))], app);
    } else if (line === "npm run build") await buildGame(capacitor, app, publicKey);
    else if (called === "npx cap") await cap(capacitor, args, app);
    else if (line === "npx slipway ota-doctor") {
      assert.deepEqual((await examine(runtime, app)).findings, []);
    } else if (called === "npx slipway" && args[0] === "keygen") {
      const made = await createKey(runtime, key);
      assert.ok(made.ok);
      publicKey = made.value.publicKey;
    } else if (called === "npx slipway" && args[0] === "embed-manifest") {
      assert.equal(await embedManifest([...flags, "--json"]), 0);
    } else if (called === "npx slipway" && args[0] === "publish") {
      const into = keyless.map((flag) => flag.replaceAll('"', "").replace("$PWD", app));
      assert.equal(await publish([...into, "--key", key, "--json"]), 0);
    } else assert.fail(`no way to run: ${line}`);
  }
}

/** Builds README's settings and JavaScript as a bundler and a strict compiler take them. */
async function buildGame(
  { node }: Capacitor & { skip: false },
  app: string,
  publicKey: string,
): Promise<void> {
  const { settings, code } = recipe();
  const client = join(packageRoot(), "lib/ota-client/mod.ts");
  writeFileSync(
    join(app, "project.config.json"),
    settings.replace("the line in game.pub", publicKey),
  );
  writeFileSync(join(app, "updates.ts"), code);
  const game = 'import { confirm, updater } from "./updates";\n' +
    "void updater.checkAppOtaUpdate().then((mayLoad) => mayLoad ? confirm() : undefined);\n";
  writeFileSync(join(app, "game.ts"), game);
  const compilerOptions = {
    strict: true,
    target: "es2022",
    lib: ["es2022", "dom"],
    module: "esnext",
    moduleResolution: "bundler",
    types: [],
    noEmit: true,
    allowImportingTsExtensions: true,
    paths: { "slipway/ota-client": [client] },
  };
  const project = { compilerOptions, files: ["game.ts"] };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify(project));
  await run(node, [join(packageRoot(), "node_modules/typescript/bin/tsc"), "-p", app], app);
  await build({
    entryPoints: [join(app, "game.ts")],
    bundle: true,
    minify: true,
    format: "esm",
    alias: { "slipway/ota-client": client },
    outfile: join(app, "www/game.js"),
    logLevel: "silent",
  });
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
