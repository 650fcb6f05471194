import { dirname, relative, resolve } from "node:path/posix";
import { type App, PLUGIN } from "./app.ts";
import type { Finding } from "./finding.ts";
import { checkBuilt } from "./installed.ts";
import { checkIosSystem } from "./systems.ts";
import type { PlatformPlaces } from "./web-assets.ts";

/** The places of an iOS app that are checked. */
export const IOS: PlatformPlaces = {
  platform: "ios",
  assets: "ios/App/App/public",
  config: "ios/App/App/capacitor.config.json",
};

/** The files in which `cap sync` names the plugin: an app has one of them. */
const PACKAGE = "ios/App/CapApp-SPM/Package.swift";
const PODFILE = "ios/App/Podfile";
/** Capture the folder of the plugin's package. */
const IN_PACKAGE = /\.package\(name: "SlipwayOta", path: "([^"]+)"\)/;
const IN_PODFILE = /pod 'SlipwayOta', :path => '([^']+)'/;

/** Checks that the plugin is wired: loading it is the boot hook. */
export async function checkIos(app: App): Promise<readonly Finding[]> {
  return [...await checkSynced(app), ...await checkClasses(app), ...await checkIosSystem(app)];
}

async function checkSynced(app: App): Promise<readonly Finding[]> {
  const swift = await app.text(PACKAGE);
  const pods = await app.text(PODFILE);
  const finding = (where: string, message: string, next: string): Finding => ({
    level: "error",
    code: "sync",
    where,
    message,
    next,
  });
  if (swift === null && pods === null) {
    const message = `found neither it nor ${PODFILE}, expected the app that cap add writes`;
    return [finding(PACKAGE, message, "npx cap add ios")];
  }
  const inPackage = IN_PACKAGE.exec(swift ?? "");
  const inPods = IN_PODFILE.exec(pods ?? "");
  const [, path] = inPackage ?? inPods ?? [];
  if (path === undefined) {
    const where = swift === null ? PODFILE : PACKAGE;
    const message = `the plugin is not in it, expected SlipwayOta of ${PLUGIN}`;
    return [finding(where, message, "npx cap sync ios")];
  }
  const where = inPackage === null ? PODFILE : PACKAGE;
  return [
    ...await checkBuilt(app, { where, path, platform: "ios" }),
    ...await checkPrivacy(app, relative(app.root, resolve(app.root, dirname(where), path))),
  ];
}

/** Capacitor creates the plugins in this list. */
async function checkClasses(app: App): Promise<readonly Finding[]> {
  const classes = (await app.json(IOS.config))?.["packageClassList"];
  if (Array.isArray(classes) && classes.includes("SlipwayOtaPlugin")) return [];
  return [{
    level: "error",
    code: "hook",
    where: IOS.config,
    message: "packageClassList lacks SlipwayOtaPlugin, expected it: loading it is the boot hook",
    next: "npx cap sync ios",
  }];
}

/** APIs of the plugin for which App Store Connect requires a reason. */
const REASONED_APIS: readonly string[] = [
  "NSPrivacyAccessedAPICategoryFileTimestamp",
  "NSPrivacyAccessedAPICategoryDiskSpace",
];
const PRIVACY_MANIFEST = "ios/Sources/OtaPlatform/PrivacyInfo.xcprivacy";

/**
 * Checks that the plugin has its privacy manifest: an upload without it is refused.
 *
 * @param folder The plugin's package, relative to the app.
 */
async function checkPrivacy(app: App, folder: string): Promise<readonly Finding[]> {
  if (await app.text(`${folder}/package.json`) === null) return []; // there is a finding already
  const where = `${folder}/${PRIVACY_MANIFEST}`;
  const manifest = await app.text(where);
  const missing = REASONED_APIS.filter((api) => !manifest?.includes(api));
  if (missing.length === 0) return [];
  const found = manifest === null ? "found none" : `it has no reason for ${missing.join(" and ")}`;
  return [{
    level: "error",
    code: "privacy",
    where,
    message: `${found}, expected the plugin's: App Store Connect refuses the app (ITMS-91053)`,
    next: `npm install ${PLUGIN}@latest && npx cap sync ios`,
  }];
}
