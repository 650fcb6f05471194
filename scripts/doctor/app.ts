import { isRecord } from "../../lib/core/json.ts";
import { decodeUtf8 } from "../../lib/core/bytes.ts";
import type { Files } from "../../lib/ports/files.ts";
import type { Finding } from "./finding.ts";

/** The npm package of the plugin. */
export const PLUGIN = "slipway-ota";
/** Its key in the app's configuration. */
export const PLUGIN_KEY = "SlipwayOta";

/** Largest size of a file that people edit, in bytes. */
const MAX_BYTES = 1024 * 1024;

/** A Capacitor app on the disk. */
export interface App {
  readonly files: Files;
  /** Its folder. */
  readonly root: string;
  /** The text of a file below it; `null` when it is not there or no text. */
  text(path: string): Promise<string | null>;
  /** Reads the object in a JSON file below it; `null` if there is none. */
  json(path: string): Promise<Readonly<Record<string, unknown>> | null>;
  /** Reads the object in a JSON file at any path; `null` if there is none. */
  jsonAt(path: string): Promise<Readonly<Record<string, unknown>> | null>;
}

/** Opens the app in a folder. */
export function openApp(files: Files, root: string): App {
  const textAt = async (path: string) => {
    const bytes = await files.read(path, MAX_BYTES);
    return bytes && decodeUtf8(bytes);
  };
  const jsonAt = async (path: string) => {
    try {
      const value: unknown = JSON.parse(await textAt(path) ?? "null");
      return isRecord(value) ? value : null;
    } catch {
      return null;
    }
  };
  return {
    files,
    root,
    text: (path) => textAt(`${root}/${path}`),
    json: (path) => jsonAt(`${root}/${path}`),
    jsonAt,
  };
}

/** Checks everything that does not depend on the platform. */
export async function checkPackage(app: App): Promise<readonly Finding[]> {
  const manifest = await app.json("package.json");
  if (manifest === null) {
    return [{
      level: "error",
      code: "no-app",
      where: "package.json",
      message: "found none that is a JSON object, expected the folder of a Capacitor app",
      next: "Name the app's folder with --app-dir",
    }];
  }
  if (has(manifest, PLUGIN)) return await checkSplash(app, manifest);
  return [{
    level: "error",
    code: "plugin",
    where: "package.json",
    message: `the plugin is not among the dependencies, expected ${PLUGIN}`,
    next: `npm install ${PLUGIN} && npx cap sync`,
  }];
}

/** The splash screen must stay until the game is up; by default Capacitor hides it after half a second. */
async function checkSplash(
  app: App,
  manifest: Readonly<Record<string, unknown>>,
): Promise<readonly Finding[]> {
  if (!has(manifest, "@capacitor/splash-screen")) return [];
  const config = await readConfig(app);
  if (member(config, "plugins", "SplashScreen", "launchAutoHide") === false) return [];
  return [{
    level: "warning",
    code: "splash",
    where: "capacitor.config",
    message: "the splash hides by itself, expected plugins.SplashScreen.launchAutoHide to be false",
    next: "Set it: the plugin hides the splash when the game confirms that it is up",
  }];
}

/** The app's configuration; if that is a program, the copy that `cap sync` wrote. */
export async function readConfig(app: App): Promise<Readonly<Record<string, unknown>> | null> {
  return await app.json("capacitor.config.json") ??
    await app.json("android/app/src/main/assets/capacitor.config.json") ??
    await app.json("ios/App/App/capacitor.config.json");
}

function has(manifest: Readonly<Record<string, unknown>>, name: string): boolean {
  return member(manifest, "dependencies", name) !== undefined ||
    member(manifest, "devDependencies", name) !== undefined;
}

/** Returns the value at a path of keys; `undefined` if one is missing. */
export function member(value: unknown, ...keys: readonly string[]): unknown {
  let at = value;
  for (const key of keys) at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}
