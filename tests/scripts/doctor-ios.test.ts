import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openApp } from "../../scripts/doctor/app.ts";
import { checkIos } from "../../scripts/doctor/ios.ts";
import { loadRuntime, packageRoot } from "../../scripts/shared/runtime.ts";
import { withFolder, writeTree } from "../support/folder.ts";

// An app of `cap add ios` whose Package.swift names the plugin's package by one path or another.

const IN_PACKAGE = "ios/Sources/OtaPlatform/PrivacyInfo.xcprivacy";
const PLUGIN = "node_modules/slipway-ota";

const PATHS = [
  { named: "relative", path: () => `../../../${PLUGIN}` },
  { named: "absolute", path: (root: string) => join(root, PLUGIN) },
] as const;

for (const { named, path } of PATHS) {
  test(`a privacy manifest is missed and found by a path that is ${named}`, () =>
    withFolder(async (root) => {
      writeTree(root, {
        "ios/App/App/capacitor.config.json": '{ "packageClassList": ["SlipwayOtaPlugin"] }',
        "ios/App/CapApp-SPM/Package.swift": `.package(name: "SlipwayOta", path: "${path(root)}")`,
        [`${PLUGIN}/package.json`]: '{ "version": "1.2.3" }',
      });
      const app = openApp((await loadRuntime()).files, root);
      const found = await checkIos(app);
      assert.deepEqual(found.map(({ code, where }) => [code, where]), [
        ["privacy", `${PLUGIN}/${IN_PACKAGE}`],
      ]);
      cpSync(join(packageRoot(), "native", IN_PACKAGE), join(root, PLUGIN, IN_PACKAGE));
      assert.deepEqual(await checkIos(app), []);
    }));
}
