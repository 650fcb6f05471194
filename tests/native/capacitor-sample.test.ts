import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { EMBEDDED_MANIFEST_FILE, parseEmbeddedManifest } from "../../lib/ota-format/mod.ts";
import { shellWord } from "../../lib/core/shell-word.ts";
import { BUILD_MARK, createKey } from "../../lib/ota-publish/mod.ts";
import { whichSync } from "../../lib/programs/mod.ts";
import { examine } from "../../scripts/ota-doctor.ts";
import { packagedSample } from "../../scripts/shared/own-sample.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import {
  cap,
  type Capacitor,
  copyPackages,
  findCapacitor,
  npm,
  packPlugin,
  standInGradlew,
} from "../support/capacitor.ts";
import { treeOf } from "../support/folder.ts";
import { runScriptFile } from "../support/script.ts";
import { provide } from "../toolchain/real-machine.ts";

// From a copy of the sample to its apps, by the commands of its README and Capacitor's own command
// line, up to where Gradle and Xcode begin: neither can run here. The JDK and the SDK are stand-ins,
// which only detection looks at.

const runtime = await loadRuntime();
const capacitor = await findCapacitor(8);
const scratch = mkdtempSync(join(tmpdir(), "slipway-sample-app-"));
afterTests(() => rmSync(scratch, { recursive: true, force: true }));

const PUBLIC = { android: "android/app/src/main/assets/public", ios: "ios/App/App/public" };

test("the sample becomes an app by its README's commands, and a build says which are missing", {
  skip: capacitor.skip,
}, async () => {
  if (capacitor.skip !== false) return;
  const { app, toolchainDir, build } = machineWith(capacitor);

  // Nothing is there yet.
  assert.deepEqual(await build.refused("android"), [
    "toolchain install java",
    "toolchain install android-sdk",
    `cd ${shellWord(app)}`,
    "npm install",
    "npx cap add android",
  ]);
  assert.deepEqual(await build.refused("ios"), [
    "toolchain guide xcodebuild",
    `cd ${shellWord(app)}`,
    "npm install",
    "npx cap add ios",
  ]);

  // The commands, once: what this checkout packs stands in for what the registry would give.
  const [, once = ""] = blocks();
  assert.equal(once, "npm install\nnpx cap add android\nnpx cap add ios\n");
  copyPackages(capacitor, app);
  assert.deepEqual((await build.refused("android")).slice(2), [
    `cd ${shellWord(app)}`,
    "npm install",
    "npx cap add android",
  ]);
  await npm(["install", await packPlugin(scratch)], app);
  await cap(capacitor, ["add", "android"], app);
  await cap(capacitor, ["add", "ios"], app);
  assert.deepEqual(await build.refused("android"), [
    "toolchain install java",
    "toolchain install android-sdk",
  ]);

  // What the last steps name is what Capacitor made.
  assert.ok((statSync(join(app, "android/gradlew")).mode & 0o100) !== 0);
  const project = readFileSync(join(app, "ios/App/App.xcodeproj/project.pbxproj"), "utf8");
  assert.match(project, /isa = PBXNativeTarget;[\s\S]*?\bname = App;/);

  provide(toolchainDir);
  // Capacitor's project compiles with a level of its own, which is what the SDK has to have.
  standInGradlew(app, capacitor.node);
  const built = await build.android();
  assert.match(built, /android 1 of 2: npx cap sync android/);
  assert.match(built, /^Task -p android assembleDebug: .* :slipway-ota$/m);
  await cap(capacitor, ["sync", "ios"], app); // the step of a Mac
  for (const folder of Object.values(PUBLIC)) isEmbedded(join(app, folder), join(app, "dist"));
  const off = await examine(runtime, app);
  assert.deepEqual(off.platforms, ["android", "ios"]);
  assert.deepEqual(off.findings.map(({ level, code }) => [level, code]), [
    ["warning", "configuration"], // ota.enabled is not true
    ["warning", "client"],
    ["warning", "client"],
  ]);

  // With updates on.
  const made = await createKey(runtime, join(scratch, "key.json"));
  assert.ok(made.ok);
  setOta(app, made.value.publicKey);
  await build.android();
  await cap(capacitor, ["sync", "ios"], app);
  for (const folder of Object.values(PUBLIC)) isEmbedded(join(app, folder), join(app, "dist"));
  assert.deepEqual((await examine(runtime, app)).findings, []);
});

/** The commands of the sample's README, by their blocks. */
function blocks(): readonly string[] {
  const readme = readFileSync(join(packagedSample(), "README.md"), "utf8");
  return [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
}

/** A copy of the sample on a packaged editor's machine: with Capacitor's Node, and without other tools. */
function machineWith({ node }: Capacitor & { skip: false }) {
  const app = join(scratch, "app");
  const toolchainDir = join(scratch, "toolchain");
  const bin = join(scratch, "bin");
  cpSync(packagedSample(), app, { recursive: true });
  mkdirSync(bin);
  symlinkSync(node, join(bin, "node"));
  const env = runtime.host.environment();
  const { platform } = runtime.host;
  for (const name of ["npm", "npx"]) {
    const found = whichSync(name, { platform, env, stat: runtime.syncStat });
    assert.ok(found !== null, `found no ${name} on PATH`);
    symlinkSync(found, join(bin, name));
  }
  const build = async (target: string) =>
    await runScriptFile("slipway", ["build", target, "--project", app], {
      env: {
        SVC_TOOLCHAIN_DIR: toolchainDir,
        SVC_PACKAGED: "1",
        SVC_NPM: join(bin, "npm"),
        CAPACITOR_TELEMETRY: "0",
        PATH: `${bin}:${process.env["PATH"]}`,
      },
    });
  return {
    app,
    toolchainDir,
    build: {
      /** What a refused build says to do, without the program's own name. The project stays as it is. */
      async refused(target: string): Promise<readonly string[]> {
        const before = treeOf(app);
        const { code, stderr } = await build(target);
        assert.equal(code, 1, stderr);
        assert.deepEqual(treeOf(app), before);
        const [, reported = ""] = stderr.split(", then build again:\n");
        return reported.trim().split("\n").map((line) =>
          line.trim().replace(/^.*(?=toolchain )/, "")
        );
      },
      /** Builds Android's app. @returns What was printed. */
      async android(): Promise<string> {
        const { code, stdout, stderr } = await build("android");
        assert.equal(code, 0, stdout + stderr);
        return stdout + stderr;
      },
    },
  };
}

/** Turns updates on, as the sample's README says. */
function setOta(app: string, publicKey: string): void {
  const read = (file: string) => JSON.parse(readFileSync(join(app, file), "utf8"));
  const write = (file: string, config: object) =>
    writeFileSync(join(app, file), JSON.stringify(config));
  const project = read("project.config.json");
  write("project.config.json", { ...project, ota: { ...project.ota, enabled: true, publicKey } });
  const config = read("capacitor.config.json");
  const plugin = { ...config.plugins.SlipwayOta, publicKey };
  write("capacitor.config.json", { ...config, plugins: { SlipwayOta: plugin } });
}

/** An app's folder holds what was built, and a manifest with the hash of each of its files. */
function isEmbedded(assets: string, dist: string): void {
  const parsed = parseEmbeddedManifest(readFileSync(join(assets, EMBEDDED_MANIFEST_FILE)));
  assert.ok(parsed.ok, JSON.stringify(parsed));
  const { name, version, files } = parsed.value;
  assert.deepEqual([name, version], ["harbor-run", "embedded"]);
  const built = Object.keys(treeOf(dist)).filter((path) =>
    path !== BUILD_MARK && path !== EMBEDDED_MANIFEST_FILE
  );
  assert.deepEqual(Object.keys(files).sort(), built.sort());
  assert.ok(built.length > 50, `the game has ${built.length} files`);
  for (const [path, { hash, size }] of Object.entries(files)) {
    const bytes = readFileSync(join(assets, path));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    assert.deepEqual([hash, size], [sha256, bytes.length], path);
  }
}
