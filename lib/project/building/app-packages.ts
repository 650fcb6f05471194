import { attempt } from "../../core/attempt.ts";
import { isRecord } from "../../core/json.ts";
import { decodeUtf8 } from "../../core/bytes.ts";
import { readInside } from "../../editor/files/mod.ts";
import type { Files } from "../../ports/files.ts";
import type { PhoneTarget } from "../../toolchain/mod.ts";
import type { Command } from "../config/config.ts";
import { installCommand, type PackageManager } from "./package-manager.ts";
import { usesDevelopment } from "./development-packages.ts";
import type { ProjectLack } from "./project-lack.ts";
import { readJsonObject } from "./plan/project-text.ts";

// The packages of a Capacitor app, as they are installed.

/** Maximum packages that a refusal names. */
const MAX_NAMED = 5;
/** Maximum bytes of the map of Plug'n'Play: a large workspace's has some megabytes. */
const MAX_MAP_BYTES = 32 * 1024 * 1024;
/** Maximum characters of a range of versions. */
const MAX_RANGE = 100;
/** Maximum packages that are looked for; package.json has a bound, too. */
const MAX_PACKAGES = 2_000;
/** A text in quotes as long as the name of a package may be; the second quote may begin another one. */
const QUOTED_NAME = /"(?=([^"\s]{1,214})")/g;
/** An npm package, with its scope. */
const PACKAGE = /^(?:@[\w-][\w.-]*\/)?[\w-][\w.-]*$/;

/** An app whose packages are looked at. */
export interface AppPackages {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly target: PhoneTarget;
  readonly manager: PackageManager;
  /** Every command of the build, that of the web build too. */
  readonly commands: readonly Command[];
}

/**
 * Finds the packages that a build needs and that are not installed, or not of one major version. Those for
 * development are needed where a command uses one (TOOL-15).
 */
export async function lackOfPackages(
  files: Files,
  app: AppPackages,
): Promise<ProjectLack | null> {
  return await lackOfAny(files, app) ?? await lackOfOneMajor(files, app);
}

async function lackOfAny(files: Files, app: AppPackages): Promise<ProjectLack | null> {
  const { root, manager, target } = app;
  const manifest = await readJsonObject(files, root, "package.json");
  const development = namesIn(manifest, "devDependencies");
  const named = [...namesIn(manifest, "dependencies"), ...development];
  const needed = packagesFor(target);
  const demanded = new Set([
    ...needed,
    ...namesIn(manifest, "dependencies"),
    ...await usesDevelopment(files, { ...app, manifest, development }) ? development : [],
  ]);
  const hasModules = await installedIn(files, { root, manager, names: demanded });
  const absent: string[] = [];
  for (const name of demanded) if (!await hasModules(name)) absent.push(name);
  if (absent.length === 0) return null;
  const more = absent.length - MAX_NAMED;
  const unnamed = needed.filter((name) => absent.includes(name) && !named.includes(name));
  // Bare names are installed in the newest version for this Node, which differs from one to the other.
  const packages = unnamed.map((name) => `${name}@latest`);
  return {
    name: "node_modules",
    reason: `found no ${absent.slice(0, MAX_NAMED).join(", ")}` +
      (more > 0 ? ` and ${more} more` : "") +
      (unnamed.length === 0 ? ", which package.json names" : ""),
    fix: installCommand(manager, { root, packages }),
  };
}

function packagesFor(target: PhoneTarget): readonly string[] {
  return ["core", "cli", target].map((name) => `@capacitor/${name}`);
}

/** Checks that all packages of Capacitor have one major version: another one does not build the app. */
async function lackOfOneMajor(
  files: Files,
  { root, target, manager }: AppPackages,
): Promise<ProjectLack | null> {
  const names = packagesFor(target);
  const versions = await Promise.all(names.map(async (name) => {
    const folder = await packageFolder(files, root, name);
    const manifest = folder === null ? null : await readJsonObject(files, folder, "package.json");
    const version = manifest?.["version"];
    return typeof version === "string" ? /^\d+/.exec(version)?.[0] : undefined;
  }));
  const known = versions.filter((major) => major !== undefined);
  const [preferred] = known;
  if (preferred === undefined || known.every((major) => major === preferred)) return null;
  const found = names.flatMap((name, index) => {
    const major = versions[index];
    return major === undefined ? [] : [`${name} ${major}`];
  });
  return {
    name: "node_modules",
    reason: `found ${found.join(", ")}: expected one major version`,
    fix: installCommand(manager, { root, packages: names.map((name) => `${name}@${preferred}`) }),
  };
}

/** Whether a package is installed: in a node_modules, or in the map of Plug'n'Play. */
export async function isInstalled(
  files: Files,
  { root, manager, name }: Pick<AppPackages, "root" | "manager"> & { readonly name: string },
): Promise<boolean> {
  return await (await installedIn(files, { root, manager, names: new Set([name]) }))(name);
}

/** Finds out which of some packages are installed. */
async function installedIn(
  files: Files,
  { root, manager: { map, folder }, names }: Pick<AppPackages, "root" | "manager"> & {
    readonly names: ReadonlySet<string>;
  },
): Promise<(name: string) => Promise<boolean>> {
  const read = map === null
    ? null
    : await attempt(() => readInside(files, folder, { path: map, maxBytes: MAX_MAP_BYTES }));
  const file = read?.ok ? read.value : null;
  const text = file === null || file === "outside" ? "" : decodeUtf8(file.bytes) ?? "";
  const mapped = namedIn(text, names);
  // A map that cannot be read proves no package missing.
  const isMapped = (name: string) => map !== null && (text === "" || mapped.has(name));
  return async (name) => isMapped(name) || await packageFolder(files, root, name) !== null;
}

/** Returns the packages that a map names in quotes, in one pass: it may have megabytes. */
function namedIn(map: string, names: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [, name = ""] of map.matchAll(QUOTED_NAME)) if (names.has(name)) found.add(name);
  return found;
}

/** Finds a package where Node would: in the project, and in the folders above it. */
async function packageFolder(
  files: Files,
  root: string,
  name: string,
): Promise<string | null> {
  for (let folder = root;; folder = folder.replace(/[\\/][^\\/]*$/, "")) {
    const found = `${folder}/node_modules/${name}`;
    const manifest = await attempt(() => files.stat(`${found}/package.json`));
    if (manifest.ok && manifest.value?.kind === "file") return found;
    if (!/[\\/]/.test(folder)) return null;
  }
}

/**
 * Reads the oldest Node that the app's Capacitor supports, as three numbers.
 *
 * @returns `null` if its package.json does not state it in the form `>=22.0.0`.
 */
export async function leastNode(files: Files, root: string): Promise<string | null> {
  const folder = await packageFolder(files, root, "@capacitor/cli");
  const manifest = folder === null ? null : await readJsonObject(files, folder, "package.json");
  const engines = manifest?.["engines"];
  const range = isRecord(engines) ? engines["node"] : undefined;
  const found = typeof range !== "string"
    ? null
    : /^\s*>=\s*(\d{1,5})(?:\.(\d{1,5}))?(?:\.(\d{1,5}))?\s*$/.exec(range.slice(0, MAX_RANGE));
  return found === null ? null : found.slice(1).map((part) => part ?? "0").join(".");
}

function namesIn(
  manifest: Readonly<Record<string, unknown>> | null,
  part: string,
): readonly string[] {
  const named = manifest?.[part];
  const names = isRecord(named) ? Object.keys(named) : [];
  return names.filter((name) => PACKAGE.test(name)).slice(0, MAX_PACKAGES);
}
