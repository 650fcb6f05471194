import { type App, PLUGIN } from "./app.ts";
import type { Finding } from "./finding.ts";
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

/** Whether the plugin is wired: loading it is the boot hook. */
export async function checkIos(app: App): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const swift = await app.text(PACKAGE);
  const pods = await app.text(PODFILE);
  if (swift === null && pods === null) {
    findings.push({
      level: "error",
      code: "sync",
      where: PACKAGE,
      message: `found neither it nor ${PODFILE}, expected the app that cap add writes`,
      next: "npx cap add ios",
    });
  } else if (
    !swift?.includes('.product(name: "SlipwayOta"') && !pods?.includes("pod 'SlipwayOta'")
  ) {
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
