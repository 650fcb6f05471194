import { dirname, join, resolve } from "node:path";
import { type App, PLUGIN } from "./app.ts";
import type { Finding } from "./finding.ts";

/**
 * Returns the version of the plugin in `node_modules` of the app, or of a folder above it; `null`
 * for none.
 */
export async function installedVersion(app: App): Promise<string | null> {
  for (let folder = app.root;; folder = dirname(folder)) {
    const version = await versionIn(app, join(folder, "node_modules", PLUGIN));
    if (version !== null || dirname(folder) === folder) return version;
  }
}

/** Checks that the plugin's package is installed. */
export async function checkInstalled(app: App): Promise<readonly Finding[]> {
  if (await installedVersion(app) !== null) return [];
  return [{
    level: "error",
    code: "plugin",
    where: "node_modules",
    message: `${PLUGIN} is not installed, expected it: it is among the dependencies`,
    next: "npm install (or what installs packages here), then npx cap sync",
  }];
}

/**
 * Checks that a platform builds the installed package. `cap sync` writes the package's folder into
 * the app; with pnpm its name contains the version, so after an update it is outdated, or missing.
 *
 * @param path The package's folder, relative to the file `where`, or absolute.
 */
export async function checkBuilt(
  app: App,
  { where, path, platform }: {
    readonly where: string;
    readonly path: string;
    readonly platform: "android" | "ios";
  },
): Promise<readonly Finding[]> {
  const installed = await installedVersion(app);
  const folder = resolve(app.root, dirname(where), path);
  const built = await versionIn(app, folder);
  if (installed === null || built === installed) return []; // checkInstalled() reports the former
  const found = built === null ? "no package" : `${PLUGIN} ${built}`;
  return [{
    level: "error",
    code: "sync",
    where,
    message: `it names ${path}, found ${found} there, expected ${PLUGIN} ${installed}`,
    next: `npx cap sync ${platform}`,
  }];
}

async function versionIn(app: App, folder: string): Promise<string | null> {
  const version = (await app.jsonAt(join(folder, "package.json")))?.["version"];
  return typeof version === "string" ? version : null;
}
