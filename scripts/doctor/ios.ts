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
const PODFILE = "ios/App/Podfile";

/** Whether the plugin is wired: loading it is the boot hook. */
export async function checkIos(app: App): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const swift = await app.text(PACKAGE);
  const wired = swift?.includes('.product(name: "SlipwayOta"') ??
    (await app.text(PODFILE))?.includes("pod 'SlipwayOta'") ?? false;
  if (!wired) {
    findings.push({
      level: "error",
      code: "sync",
      where: swift === null ? PODFILE : PACKAGE,
      message: `the plugin is not in it, expected SlipwayOta of ${PLUGIN}`,
      next: "npx cap sync ios",
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
