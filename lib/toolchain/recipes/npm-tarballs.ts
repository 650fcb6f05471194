import { isRecord } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import type { PlatformKey } from "../pins/pins.ts";
import {
  endsAll,
  failInstall,
  fileFailure,
  type InstallFailure,
  type InstallFailureCode,
} from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import { fits, type LockEntry, packagesOf } from "./npm-lock.ts";
import type { BuildContext } from "./recipe.ts";
import { runNpm } from "./steps.ts";

// Archives that `npm ci` installs by a lock file: for machines without a network they are in
// `downloads/npm-tools`, and a lock file that names them there lets npm ask no registry. npm and we
// check them by the same hashes, those of the lock file.

/** The archive of one package. */
export interface NpmTarball {
  readonly name: string;
  readonly version: string;
  /** The name that `npm pack` gives it. */
  readonly file: string;
  /** `sha512-` and base64, as the lock file has it. */
  readonly integrity: string;
}

/** Folder of the archives, relative to `downloads` and in a bundle. */
export const TARBALL_FOLDER = "npm-tools";
/** npm's cache for the model tools, relative to the toolchain folder. */
export const NPM_TOOLS_CACHE = "downloads/npm/npm-tools";

/** Far more than the largest of them, in bytes. */
const MAX_TARBALL_BYTES = 128 * 1024 * 1024;
/** Windows takes command lines of 32,767 characters. */
const SPECS_AT_ONCE = 40;

/** Returns the archives of a lock file's packages for a platform, each once; without a key, for all platforms. */
export function npmTarballs(lock: string, key?: PlatformKey): NpmTarball[] {
  const found = new Map<string, NpmTarball>();
  for (const [path, entry] of packagesOf(lock)) {
    const tarball = tarballOf(path, entry);
    if (tarball !== null && fits(entry, key)) found.set(tarball.file, tarball);
  }
  return [...found.values()];
}

/** Returns why a file is not the archive of its name, or `null`. @throws {FileError} */
export async function tarballDamage(
  path: string,
  { integrity }: NpmTarball,
  { files }: { readonly files: Pick<Files, "read"> },
): Promise<string | null> {
  const bytes = await files.read(path, MAX_TARBALL_BYTES);
  if (bytes === null) return "there is no such file";
  const found = await integrityOf(bytes);
  return found === integrity ? null : `found ${found}, expected ${integrity}`;
}

/** The hash of bytes as lock files have it. */
export async function integrityOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-512", bytes));
  return `sha512-${btoa(String.fromCharCode(...digest))}`;
}

/**
 * A lock file for `npm ci` that takes from the disk what is there and right.
 *
 * @param options.home The absolute folder that npm will run in.
 * @returns The text, and whether nothing has to be asked of a registry.
 */
export async function localLock(
  lock: string,
  { folder, home, key }: {
    readonly folder: ToolchainFolder;
    readonly home: string;
    readonly key: PlatformKey | null;
  },
): Promise<{ readonly text: string; readonly complete: boolean }> {
  const needed = npmTarballs(lock, key ?? undefined);
  const local = new Map<string, string>();
  const archives = folder.at(`downloads/${TARBALL_FOLDER}`);
  const there = new Set(((await folder.files.list(archives)) ?? []).map(({ name }) => name));
  for (const tarball of needed) {
    if (!there.has(tarball.file)) continue;
    const path = folder.paths.join(archives, tarball.file);
    if ((await tarballDamage(path, tarball, folder)) !== null) continue;
    local.set(tarball.file, `file:${upFrom(home, folder)}downloads/${TARBALL_FOLDER}/`);
  }
  if (local.size === 0) return { text: lock, complete: false };
  const value: unknown = JSON.parse(lock);
  const packages = Object.fromEntries(
    packagesOf(lock).map(([path, entry]) => {
      const tarball = tarballOf(path, entry);
      const at = tarball === null ? undefined : local.get(tarball.file);
      return [
        path,
        tarball === null || at === undefined ? entry : { ...entry, resolved: at + tarball.file },
      ];
    }),
  );
  const text = JSON.stringify({ ...(isRecord(value) && value), packages });
  return { text, complete: local.size === needed.length };
}

/** The package.json that a lock file was made from: npm refuses the two when they differ. */
export function packageJsonOf(lock: string): string {
  const root = packagesOf(lock).find(([path]) => path === "")?.[1] ?? {};
  return `${JSON.stringify({ ...root, private: true }, null, 2)}\n`;
}

type FetchContext = Omit<BuildContext, "staging" | "pin" | "download">;

/** An archive whose download failed. */
export interface UnfetchedTarball {
  readonly tarball: NpmTarball;
  readonly failure: InstallFailure;
}

/**
 * Downloads archives with npm into `downloads/npm-tools`; existing, correct ones are kept.
 *
 * @returns The archives that failed; a failure only if further downloads are pointless.
 */
export async function fetchTarballs(
  tarballs: readonly NpmTarball[],
  context: FetchContext,
): Promise<Result<readonly UnfetchedTarball[], InstallFailure>> {
  const { files, progress, signal } = context;
  const archives = context.folder.at(`downloads/${TARBALL_FOLDER}`);
  const unfetched: UnfetchedTarball[] = [];
  try {
    await files.makeDirectory(archives);
    const missing: NpmTarball[] = [];
    for (const tarball of tarballs) {
      const damage = await tarballDamage(tarballPath(tarball, context.folder), tarball, context);
      if (damage !== null) missing.push(tarball);
    }
    for (let i = 0; i < missing.length; i += SPECS_AT_ONCE) {
      const some = missing.slice(i, i + SPECS_AT_ONCE);
      progress.progress({
        phase: "download",
        label: "npm packages",
        done: i,
        total: missing.length,
        unit: "packages",
      });
      const packed = await packSome(some, context);
      if (!packed.ok) return packed;
      unfetched.push(...packed.value);
    }
    return ok(unfetched);
  } catch (thrown) {
    if (signal.aborted) {
      return failInstall(
        "cancelled",
        "Stopped before all npm packages were there",
        "Start it again",
      );
    }
    return fileFailure(thrown, "download npm packages");
  }
}

/** Failures after which smaller groups may succeed: npm stores no archive when one of them fails. */
const OF_ONE_PACKAGE: readonly InstallFailureCode[] = [
  "http-status",
  "hash",
  "archive",
  "short",
  "process",
];

/** Gets some archives at once; if npm fails, each half of them, so that only the faulty one is missing. */
async function packSome(
  some: readonly NpmTarball[],
  context: FetchContext,
): Promise<Result<readonly UnfetchedTarball[], InstallFailure>> {
  const { files, signal } = context;
  const packed = await runNpm([
    "pack",
    "--loglevel=error",
    ...some.map(({ name, version }) => `${name}@${version}`),
  ], {
    cwd: context.folder.at(`downloads/${TARBALL_FOLDER}`),
    purpose: `download ${some.length === 1 ? some[0]?.name : `${some.length} npm packages`}`,
    cache: NPM_TOOLS_CACHE,
  }, context);
  if (!packed.ok) {
    if (endsAll(packed.error)) return packed;
    if (some.length === 1 || !OF_ONE_PACKAGE.includes(packed.error.code)) {
      return ok(some.map((tarball) => ({ tarball, failure: packed.error })));
    }
    const half = Math.ceil(some.length / 2);
    const first = await packSome(some.slice(0, half), context);
    if (!first.ok) return first;
    const second = await packSome(some.slice(half), context);
    return second.ok ? ok([...first.value, ...second.value]) : second;
  }
  signal.throwIfAborted();
  const unfetched: UnfetchedTarball[] = [];
  for (const tarball of some) {
    const path = tarballPath(tarball, context.folder);
    const damage = await tarballDamage(path, tarball, context);
    if (damage === null) continue;
    await files.remove(path);
    const { error: failure } = failInstall(
      "hash",
      `Cannot use what the registry gives as ${tarball.name} ${tarball.version}: ${damage}`,
      "Use another registry: never use that file",
    );
    unfetched.push({ tarball, failure });
  }
  return ok(unfetched);
}

function tarballPath({ file }: NpmTarball, folder: ToolchainFolder): string {
  return folder.at(`downloads/${TARBALL_FOLDER}/${file}`);
}

function tarballOf(path: string, entry: LockEntry): NpmTarball | null {
  const { version, integrity } = entry;
  if (path === "" || typeof version !== "string" || typeof integrity !== "string") return null;
  // An alias is installed under a name that is not its package's.
  const name = typeof entry["name"] === "string"
    ? entry["name"]
    : path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
  const file = `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`;
  return { name, version, file, integrity };
}

/** `../` as often as leads from a folder below the toolchain folder up to it. */
function upFrom(path: string, { root }: ToolchainFolder): string {
  const below = path.slice(root.length).split(/[\\/]/).filter((part) => part !== "");
  return "../".repeat(below.length);
}
