import { type App, PLUGIN } from "./app.ts";
import type { Finding } from "./finding.ts";
import type { PlatformPlaces } from "./web-assets.ts";

/** Where an iOS app keeps what is looked at. */
export const IOS: PlatformPlaces = {
  platform: "ios",
  assets: "ios/App/App/public",
  config: "ios/App/App/capacitor.config.json",
};

const PACKAGE = "ios/App/CapApp-SPM/Package.swift";

/** Whether the plugin is wired: loading it is the boot hook. */
export async function checkIos(app: App): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const swift = await app.text(PACKAGE);
  if (!swift?.includes('.product(name: "SlipwayOta"')) {
    findings.push({
      level: "error",
      code: "sync",
      where: PACKAGE,
      message: swift === null
        ? "found none, expected an app of Swift Package Manager: there is no podspec"
        : `the plugin is not in it, expected SlipwayOta of ${PLUGIN}`,
      next: swift === null ? "npx cap spm-migration-assistant" : "npx cap sync ios",
    });
  }
  const classes = (await app.json(IOS.config))?.["packageClassList"];
  if (!Array.isArray(classes) || !classes.includes("SlipwayOtaPlugin")) {
    findings.push({
      level: "error",
      code: "hook",
      where: IOS.config,
      message: "packageClassList lacks SlipwayOtaPlugin, expected it: loading it is the boot hook",
      next: "npx cap sync ios",
    });
  }
  return findings;
}
