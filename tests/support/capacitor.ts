import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { cacheEntry } from "../../scripts/gate/cache-entry.ts";
import { LINUX_NODE } from "../../scripts/gate/node-archive.ts";
import { npmPackage } from "../../scripts/gate/npm-package.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";

// Capacitor as its users get it: packages of the registry, kept in the user's cache, and a Node that its
// command line runs on.

const PACKAGES = ["core", "cli", "android", "ios"].map((name) => `@capacitor/${name}`);
/** Fetching and packing take long on a slow line, in milliseconds. */
const RUN_MS = 300_000;

/** One major version of Capacitor, or why there is none here. */
export type Capacitor = { readonly skip: string } | {
  readonly skip: false;
  readonly major: number;
  /** Holds `node_modules` with its packages. */
  readonly folder: string;
  /** A Node for its command line. */
  readonly node: string;
};

/** Finds it, or fetches it. To be awaited when tests are registered. */
export async function findCapacitor(major: number): Promise<Capacitor> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return { skip: "the Node that Capacitor runs on is fetched for Linux x64" };
  }
  try {
    const version = pinnedVersion(major);
    const folder = await cacheEntry({
      name: `capacitor-${version}`,
      make: async (fresh) => {
        writeFileSync(join(fresh, "package.json"), '{"private":true}');
        await npm(["install", ...PACKAGES.map((name) => `${name}@${version}`)], fresh);
      },
    });
    const node = join(await npmPackage({ spec: LINUX_NODE }), "bin/node");
    return { skip: false, major, folder, node };
  } catch (thrown) {
    return { skip: `no Capacitor ${major}: ${thrown instanceof Error ? thrown.message : ""}` };
  }
}

/** The version of a major one that is tried here; the Android plugin is compiled over the same. */
function pinnedVersion(major: number): string {
  const pins = readFileSync(join(packageRoot(), "native/capacitor-versions"), "utf8").split("\n");
  const version = pins.find((pin) => pin.startsWith(`${major}.`));
  if (version === undefined) throw new Error(`native/capacitor-versions has no ${major}.x`);
  return version;
}

/** A new app in an empty folder, as `npm init` and `npm install` leave it: without platforms. */
export function writeApp({ folder, major }: Capacitor & { skip: false }, app: string): void {
  const dependencies = Object.fromEntries(PACKAGES.map((name) => [name, `^${major}.0.0`]));
  const manifest = { name: "game", version: "1.0.0", private: true, dependencies };
  writeFileSync(join(app, "package.json"), JSON.stringify(manifest));
  copyPackages({ folder }, app);
}

/** Puts Capacitor's packages into an app, as `npm install` would. */
export function copyPackages(
  { folder }: Pick<Capacitor & { skip: false }, "folder">,
  app: string,
): void {
  cpSync(join(folder, "node_modules"), join(app, "node_modules"), {
    recursive: true,
    verbatimSymlinks: true,
  });
}

/** Packs the plugin as the registry would get it. @returns The archive. */
export async function packPlugin(folder: string): Promise<string> {
  const native = join(packageRoot(), "native");
  await npm(["pack", "--silent", "--pack-destination", folder], native);
  const packed = readdirSync(folder).find((name) => /^slipway-ota-.*\.tgz$/.test(name));
  if (packed === undefined) throw new Error(`npm packed no slipway-ota into ${folder}`);
  return join(folder, packed);
}

/** Runs npm. */
export function npm(args: readonly string[], cwd: string): Promise<string> {
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1"];
  return run("npm", [...args, ...quiet], cwd);
}

/** Runs Capacitor's command line in an app. */
export function cap(
  { node }: Capacitor & { skip: false },
  args: readonly string[],
  app: string,
): Promise<string> {
  return run(node, [join(app, "node_modules/@capacitor/cli/bin/capacitor"), ...args], app);
}

/** Runs a program to its end. @returns What it printed; an exit code but 0 is thrown. */
export function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, CI: "1", CAPACITOR_TELEMETRY: "0" };
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { cwd, env, timeout: RUN_MS }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(" ")}: ${error.message}\n${stdout}${stderr}`));
    });
  });
}

/** How the plugin's README takes an app to updates: its command lines in order, its settings, its code. */
export function recipe(): { lines: readonly string[]; settings: string; code: string } {
  const readme = readFileSync(join(packageRoot(), "native/README.md"), "utf8");
  const [, section = ""] = readme.split(/^## /m);
  const blocks = (language: string) =>
    [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))]
      .map(([, block = ""]) => block);
  const [settings = ""] = blocks("json");
  const [code = ""] = blocks("ts");
  return { lines: blocks("sh").flatMap((block) => block.trim().split("\n")), settings, code };
}
