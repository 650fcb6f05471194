import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import process from "node:process";
import { cacheEntry } from "../../scripts/gate/cache-entry.ts";
import { LINUX_NODE } from "../../scripts/gate/node-archive.ts";
import { npmPackage } from "../../scripts/gate/npm-package.ts";
import { packageRoot } from "../../scripts/shared/runtime.ts";

// Capacitor as its users get it: packages of the registry, kept in the user's cache, and a Node for
// its command line.

const PACKAGES = ["core", "cli", "android", "ios"].map((name) => `@capacitor/${name}`);
const PNPM = {
  spec: "@pnpm/exe.linux-x64@12.4.2",
  sha512:
    "/pbt0UVTa8NMDhzOWLQRfZ6G9ROKXlJPZtx845BqyWfc7hCrWXhTLBd70yO2y8+E+IWN3oHM1s/JsIQNGk1yvg==",
} as const;
/** Fetching and packing take long on a slow line, in milliseconds. */
const RUN_MS = 300_000;

/** One major version of Capacitor, or why it is unavailable here. */
export type Capacitor = { readonly skip: string } | {
  readonly skip: false;
  readonly major: number;
  /** The version of its packages. */
  readonly version: string;
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
    return { skip: false, major, version, folder, node };
  } catch (thrown) {
    return { skip: `no Capacitor ${major}: ${thrown instanceof Error ? thrown.message : ""}` };
  }
}

/** A version that projects still have, and that the plugin does not support. */
const OLDER = "6.2.1";

/** Returns the tested version of a major one; against the newer ones the Android plugin is compiled, too. */
function pinnedVersion(major: number): string {
  const listed = readFileSync(join(packageRoot(), "native/capacitor-versions"), "utf8");
  const pins = [...listed.split("\n"), OLDER];
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

/** Installs Capacitor and a package into an empty folder, as `pnpm add` does. */
export async function pnpmAdd(
  { version, node }: Capacitor & { skip: false },
  packed: string,
  app: string,
): Promise<void> {
  const pnpm = await npmPackage(PNPM);
  // The downloads of this store stay in the user's cache, as all downloads of tests do.
  const store = await cacheEntry({
    name: "pnpm-store-12",
    make: () => Promise.resolve(),
    isWritten: true,
  });
  const packages = PACKAGES.map((name) => `${name}@${version}`);
  await run(join(pnpm, "pnpm"), ["add", "--prefer-offline", packed, ...packages], app, {
    PATH: `${dirname(node)}${delimiter}${process.env["PATH"]}`,
    XDG_CACHE_HOME: join(store, "cache"),
    XDG_DATA_HOME: join(store, "data"),
    XDG_STATE_HOME: join(store, "state"),
  });
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

/**
 * Replaces Gradle's wrapper by a program that follows the files which Gradle reads first: the
 * settings, the folders of the projects in them, and the projects that the app consists of.
 */
export function standInGradlew(app: string, node: string): void {
  const program = `#!${node}
const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
process.chdir(__dirname);
const settings = ["settings.gradle", "capacitor.settings.gradle"]
  .map((file) => readFileSync(file, "utf8")).join("\\n");
const folders = new Map([[":app", "app"]]);
for (const [, name, folder] of settings.matchAll(/project\\('(.+)'\\)\\.projectDir = new File\\('(.+)'\\)/g)) {
  folders.set(name, folder);
}
for (const [name, folder] of folders) {
  if (!existsSync(join(folder, "build.gradle"))) throw new Error("no build.gradle of " + name + " in " + folder);
}
const built = readFileSync("app/capacitor.build.gradle", "utf8");
for (const [, name] of built.matchAll(/implementation project\\('(.+)'\\)/g)) {
  if (!folders.has(name)) throw new Error("the settings lack " + name);
}
console.log("Task " + process.argv.slice(2).join(" ") + ": " + [...folders.keys()].sort().join(" "));
`;
  writeFileSync(join(app, "android/gradlew"), program, { mode: 0o755 });
}

/** Runs a program to its end. @returns Its output; throws on an exit code other than 0. */
export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...process.env, CI: "1", CAPACITOR_TELEMETRY: "0", ...more };
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { cwd, env, timeout: RUN_MS }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} ${args.join(" ")}: ${error.message}\n${stdout}${stderr}`));
    });
  });
}

/** The recipe of the plugin's README, from an empty folder to an app that updates itself. */
export interface Recipe {
  /** Its command lines, in order. */
  readonly lines: readonly string[];
  /** The complete text of the page. */
  readonly page: string;
  /** The files that the reader writes, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** Reads the recipe. */
export function recipe(): Recipe {
  const readme = readFileSync(join(packageRoot(), "native/README.md"), "utf8");
  const [, section = ""] = readme.split(/^## /m);
  const blocks = (language: string) =>
    [...section.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))]
      .map(([, block = ""]) => block);
  const [app = "", settings = ""] = blocks("json");
  const [main = ""] = blocks("ts");
  return {
    page: section,
    lines: blocks("sh").flatMap((block) => block.trim().split("\n")),
    files: { "capacitor.config.json": app, "project.config.json": settings, "main.ts": main },
  };
}
