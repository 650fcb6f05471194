import { type App, member, PLUGIN } from "./app.ts";
import type { Finding } from "./finding.ts";
import { checkBuilt } from "./installed.ts";
import { checkAndroidSystem } from "./systems.ts";
import type { PlatformPlaces } from "./web-assets.ts";

/** The places of an Android app that are checked. */
export const ANDROID: PlatformPlaces = {
  platform: "android",
  assets: "android/app/src/main/assets/public",
  config: "android/app/src/main/assets/capacitor.config.json",
};

const MANIFEST = "android/app/src/main/AndroidManifest.xml";
const SOURCES = "android/app/src/main";
const SETTINGS = "android/capacitor.settings.gradle";
/** Captures the folder of the plugin's package, as `cap sync` writes it. */
const WIRED = new RegExp(`project\\(':${PLUGIN}'\\)\\.projectDir = new File\\('([^']+)/android'`);

/** Checks that the plugin is wired, and that its boot hook will run. */
export async function checkAndroid(app: App): Promise<readonly Finding[]> {
  return [
    ...await checkSynced(app),
    ...await checkManifest(app),
    ...await checkActivity(app),
    ...await checkServiceWorkers(app),
    ...await checkAndroidSystem(app),
  ];
}

/**
 * By default, Capacitor answers a service worker's requests from the app's own assets, past the
 * plugin.
 */
async function checkServiceWorkers(app: App): Promise<readonly Finding[]> {
  const config = await app.json(ANDROID.config);
  if (config === null || member(config, "android", "resolveServiceWorkerRequests") === false) {
    return [];
  }
  return [{
    level: "warning",
    code: "service-worker",
    where: ANDROID.config,
    message: "what a service worker asks for is answered from the app's own assets, expected " +
      "android.resolveServiceWorkerRequests to be false",
    next: "Set it in capacitor.config, and npx cap sync android",
  }];
}

async function checkSynced(app: App): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (
    const [where, expected] of [
      [SETTINGS, `':${PLUGIN}'`],
      ["android/app/capacitor.build.gradle", `project(':${PLUGIN}')`],
      ["android/app/src/main/assets/capacitor.plugins.json", "dev.slipway.ota.OtaPlugin"],
    ] as const
  ) {
    if ((await app.text(where))?.includes(expected)) continue;
    findings.push({
      level: "error",
      code: "sync",
      where,
      message: `the plugin is not in it, expected ${expected}`,
      next: "npx cap sync android",
    });
  }
  const [, path] = WIRED.exec(await app.text(SETTINGS) ?? "") ?? [];
  if (path === undefined) return findings;
  const built = await checkBuilt(app, { where: SETTINGS, path, platform: "android" });
  return [...findings, ...built];
}

/** The plugin's manifest adds the provider and the permission; the app's manifest can remove them. */
async function checkManifest(app: App): Promise<readonly Finding[]> {
  const text = (await app.text(MANIFEST) ?? "").replaceAll(/<!--[\s\S]*?-->/g, "");
  const elements = text.match(/<[a-z-]+\s[^>]*>/g) ?? [];
  const findings: Finding[] = [];
  const removed = (name: string) =>
    elements.some((one) =>
      one.includes(`"${name}"`) && /tools:node\s*=\s*"remove(All)?"/.test(one)
    );
  if (removed("dev.slipway.ota.OtaProvider")) {
    findings.push({
      level: "error",
      code: "hook",
      where: MANIFEST,
      message: "it removes dev.slipway.ota.OtaProvider, expected the provider: it is the boot hook",
      next: 'Take tools:node="remove" away',
    });
  }
  if (removed("android.permission.INTERNET")) {
    findings.push({
      level: "error",
      code: "internet",
      where: MANIFEST,
      message: "it removes android.permission.INTERNET, expected the permission",
      next: 'Take tools:node="remove" away',
    });
  }
  if (elements.some((one) => one.startsWith("<activity ") && /android:process\s*=/.test(one))) {
    findings.push({
      level: "warning",
      code: "hook",
      where: MANIFEST,
      message: "an activity has a process of its own, expected the game's in the main one",
      next: "Leave android:process out of the activity that extends BridgeActivity",
    });
  }
  return findings;
}

async function checkActivity(app: App): Promise<readonly Finding[]> {
  for (const folder of [`${SOURCES}/java`, `${SOURCES}/kotlin`]) {
    for (const path of await sourcesBelow(app, folder)) {
      if ((await app.text(path))?.includes("BridgeActivity")) return [];
    }
  }
  return [{
    level: "error",
    code: "hook",
    where: SOURCES,
    message:
      "no activity extends BridgeActivity, expected one: the boot hook runs before its bridge",
    next: "Let the app's activity extend com.getcapacitor.BridgeActivity, as cap add writes it",
  }];
}

async function sourcesBelow(app: App, folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { name, kind } of await app.files.list(`${app.root}/${folder}`) ?? []) {
    const path = `${folder}/${name}`;
    if (kind === "directory") paths.push(...await sourcesBelow(app, path));
    else if (/\.(java|kt)$/.test(name)) paths.push(path);
  }
  return paths;
}
