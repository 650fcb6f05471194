import { dirname, join, resolve } from "node:path";
import { type App, PLUGIN } from "./app.ts";
import type { Finding } from "./finding.ts";

/** The version of the plugin's package that the app's `node_modules` holds, or that of a folder above. */
export async function installedVersion(app: App): Promise<string | null> {
  for (let folder = app.root;; folder = dirname(folder)) {
    const version = await versionIn(app, join(folder, "node_modules", PLUGIN));
    if (version !== null || dirname(folder) === folder) return version;
  }
}

/** Whether what npm installed is what it should be. */
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
 * Whether a platform builds the package that is installed. What `cap sync` writes down is a folder, which
 * with pnpm has the version in its name: after an update it is that of the old one, or gone.
 *
 * @param path Where the package lies, as `where` says it: below its own folder, or absolute.
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
  if (installed === null || built === installed) return []; // of the former there is a finding already
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
