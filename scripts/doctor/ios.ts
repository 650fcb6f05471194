import { type App, PLUGIN } from "./app.ts";
import type { Finding } from "./finding.ts";
import { checkBuilt } from "./installed.ts";
import { checkIosSystem } from "./systems.ts";
import type { PlatformPlaces } from "./web-assets.ts";

/** Where an iOS app keeps what is looked at. */
export const IOS: PlatformPlaces = {
  platform: "ios",
  assets: "ios/App/App/public",
  config: "ios/App/App/capacitor.config.json",
};

/** Where `cap sync` writes the plugin down: one of the two, as the app was made. */
const PACKAGE = "ios/App/CapApp-SPM/Package.swift";
const PODFILE = "ios/App/Podfile";
/** How each names the folder of the plugin's package. */
const IN_PACKAGE = /\.package\(name: "SlipwayOta", path: "([^"]+)"\)/;
const IN_PODFILE = /pod 'SlipwayOta', :path => '([^']+)'/;

/** Whether the plugin is wired: loading it is the boot hook. */
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
  return await checkBuilt(app, { where, path, platform: "ios" });
}

/** Capacitor makes the plugins that this list names. */
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
