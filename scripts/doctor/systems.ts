import type { App } from "./app.ts";
import type { Finding } from "./finding.ts";

// The oldest systems that the plugin supports. Capacitor 7 creates apps for older ones; neither
// Gradle nor Xcode builds the plugin for these.

const OLDEST = { api: 24, ios: 15 };

/** Checks the minimum Android version of the app, if Capacitor's template states it. */
export function checkAndroidSystem(app: App): Promise<readonly Finding[]> {
  return checkVersions(app, {
    where: "android/variables.gradle",
    version: /^\s*minSdkVersion\s*=\s*(\d+)/gm,
    name: "minSdkVersion",
    oldest: OLDEST.api,
    next: `Set minSdkVersion = ${OLDEST.api} there`,
  });
}

/** Checks the oldest iOS that the app is for, in Xcode's project and for CocoaPods. */
export async function checkIosSystem(app: App): Promise<readonly Finding[]> {
  return [
    ...await checkVersions(app, {
      where: "ios/App/App.xcodeproj/project.pbxproj",
      version: /\bIPHONEOS_DEPLOYMENT_TARGET = ([\d.]+);/g,
      name: "IPHONEOS_DEPLOYMENT_TARGET",
      oldest: OLDEST.ios,
      next: `Set it to ${OLDEST.ios}.0 (Xcode's "Minimum Deployments"), then npx cap sync ios`,
    }),
    ...await checkVersions(app, {
      where: "ios/App/Podfile",
      version: /^\s*platform :ios, '([\d.]+)'/gm,
      name: "platform :ios",
      oldest: OLDEST.ios,
      next: `Write platform :ios, '${OLDEST.ios}.0' there, then npx cap sync ios`,
    }),
  ];
}

async function checkVersions(
  app: App,
  { where, version, name, oldest, next }: {
    readonly where: string;
    /** Matches each place that has a version, and captures it. */
    readonly version: RegExp;
    readonly name: string;
    readonly oldest: number;
    readonly next: string;
  },
): Promise<readonly Finding[]> {
  const found = [...(await app.text(where) ?? "").matchAll(version)]
    .map(([, text = ""]) => text)
    .find((text) => Number.parseFloat(text) < oldest);
  if (found === undefined) return [];
  return [{
    level: "error",
    code: "system",
    where,
    message: `${name} is ${found}, expected ${oldest} or later: the plugin runs on no older one`,
    next,
  }];
}
