import { err, ok, type Result } from "../../core/result.ts";
import { getArtifact } from "../download/artifacts.ts";
import { verifyFile } from "../download/download.ts";
import { type Artifact, PLATFORM_KEYS, type PlatformKey } from "../pins/pins.ts";
import {
  fetchTarballs,
  integrityOf,
  type NpmTarball,
  npmTarballs,
  TARBALL_FOLDER,
  tarballDamage,
} from "../recipes/npm-tarballs.ts";
import { NPM_TOOLS_LOCK } from "../recipes/npm-tools-lock.ts";
import type { WorkContext } from "../recipes/recipe.ts";
import { PACKAGE_IDS, type PackageId, type ToolId } from "../tools/ids.ts";
import { packageOf, packagesWith, type Pins } from "../tools/tools.ts";
import { endsAll, failInstall, type InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";

// Allowed contents of a bundle: every pinned download, including the archives of npm packages.

/** One file of a bundle. */
export interface PinnedFile {
  /** Its path in a bundle and below `downloads`, written with `/`. */
  readonly file: string;
  /** For people. */
  readonly name: string;
  /** The package that it is installed with. */
  readonly package: PackageId;
  readonly from:
    | { readonly kind: "vendor"; readonly artifact: Artifact }
    | { readonly kind: "npm"; readonly tarball: NpmTarball };
}

/** Every pinned file of these packages, each once; of all platforms without a key. */
export function pinnedFiles(
  pins: Pins,
  { key, packages = PACKAGE_IDS }: {
    readonly key?: PlatformKey;
    readonly packages?: readonly PackageId[];
  } = {},
): PinnedFile[] {
  const found = new Map<string, PinnedFile>();
  for (const id of packages) {
    for (const platform of platformsOf(id, pins)) {
      if (key !== undefined && platform !== key) continue;
      const pin = pins[id][platform];
      for (const artifact of pin?.artifacts ?? []) {
        const { file, name } = artifact;
        found.set(file, { file, name, package: id, from: { kind: "vendor", artifact } });
      }
      if (id !== "npm-tools") continue;
      for (const tarball of npmTarballs(pin?.lock ?? NPM_TOOLS_LOCK, platform)) {
        const file = `${TARBALL_FOLDER}/${tarball.file}`;
        const name = `${tarball.name} ${tarball.version}`;
        found.set(file, { file, name, package: id, from: { kind: "npm", tarball } });
      }
    }
  }
  return [...found.values()];
}

/** The packages that these tools consist of and need on a platform; all that are pinned without any. */
export function packagesFor(
  tools: readonly ToolId[] | undefined,
  { key, pins, cli }: {
    readonly key: PlatformKey;
    readonly pins: Pins;
    /** Begins the commands that are printed. */
    readonly cli: string;
  },
): Result<readonly PackageId[], InstallFailure> {
  if (tools === undefined) return ok(PACKAGE_IDS.filter((id) => pins[id][key] !== undefined));
  const chosen = new Set<PackageId>();
  for (const tool of tools) {
    const known = packageOf(tool);
    if (known === null || pins[known.id][key] === undefined) {
      return failInstall(
        "not-installable",
        `Cannot put ${tool} into a bundle: the editor provides none for ${key}`,
        `Follow the guide: ${cli} toolchain guide ${tool}`,
      );
    }
    // A machine without a network may have no npm either.
    const withNode = pins.node[key] !== undefined;
    for (const id of packagesWith(known, { withNode })) chosen.add(id);
  }
  return ok(PACKAGE_IDS.filter((id) => chosen.has(id)));
}

/** The reason why a file is missing. */
export interface Unfetched {
  readonly file: string;
  readonly failure: InstallFailure;
}

/**
 * Downloads every missing file into `downloads`, as far as possible.
 *
 * @returns The files that failed; a failure only if further downloads are pointless.
 */
export async function fetchPinned(
  files: readonly PinnedFile[],
  context: WorkContext,
): Promise<Result<readonly Unfetched[], InstallFailure>> {
  const tarballs: NpmTarball[] = [];
  const unfetched: Unfetched[] = [];
  for (const { file, from } of files) {
    if (from.kind === "npm") tarballs.push(from.tarball);
    else {
      const got = await getArtifact(from.artifact, context);
      if (got.ok) continue;
      if (endsAll(got.error)) return got;
      unfetched.push({ file, failure: got.error });
    }
  }
  if (tarballs.length === 0) return ok(unfetched);
  const fetched = await fetchTarballs(tarballs, context);
  if (!fetched.ok) return fetched;
  const missing = fetched.value.map(({ tarball, failure }) => ({
    file: `${TARBALL_FOLDER}/${tarball.file}`,
    failure,
  }));
  return ok([...unfetched, ...missing]);
}

/** Returns the path of a file in `downloads`. */
export function downloadOf({ file }: PinnedFile, folder: ToolchainFolder): string {
  return folder.at(`downloads/${file}`);
}

/** Checks a file by the hashes that are pinned. @throws {FileError} */
export async function verifyPinned(
  path: string,
  { from, name }: PinnedFile,
  context: WorkContext,
): Promise<Result<void, InstallFailure>> {
  if (from.kind === "vendor") {
    const { files, hashing, signal } = context;
    const verified = await verifyFile(path, from.artifact, { files, hashing, signal });
    return verified.ok ? ok(undefined) : err(verified.error);
  }
  const damage = await tarballDamage(path, from.tarball, context);
  if (damage === null) return ok(undefined);
  return failInstall(
    "hash",
    `Cannot use ${path} as ${name}: ${damage}`,
    "Export the bundle again: never use that file",
  );
}

/** Finds the pinned file with these bytes, independent of the name; or `null`. @throws {FileError} */
export async function recognise(
  path: string,
  known: readonly PinnedFile[],
  context: WorkContext,
): Promise<PinnedFile | null> {
  const { files, hashing, signal } = context;
  const stream = await files.openRead(path, signal);
  if (stream === null) return null;
  const hashes = { sha256: hashing.createSha256(), sha1: hashing.createSha1() };
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    hashes.sha256.update(value);
    hashes.sha1.update(value);
  }
  const [sha256, sha1] = [hashes.sha256.hex(), hashes.sha1.hex()];
  const archive = known.find(({ from }) => {
    if (from.kind !== "vendor") return false;
    const { artifact } = from;
    const pinned = artifact.sha256 ?? artifact.sha1;
    return pinned !== undefined && (artifact.sha256 ?? sha256) === sha256 &&
      (artifact.sha1 ?? sha1) === sha1 && (artifact.bytes ?? size) === size;
  });
  if (archive !== undefined) return archive;
  const bytes = size > MAX_UNNAMED_TARBALL ? null : await files.read(path, MAX_UNNAMED_TARBALL);
  const integrity = bytes === null ? "" : await integrityOf(bytes);
  return known.find(({ from }) => from.kind === "npm" && from.tarball.integrity === integrity) ??
    null;
}

/** The largest npm archive that is recognised under another name, in bytes. */
const MAX_UNNAMED_TARBALL = 64 * 1024 * 1024;

/** The part of a file's path in a bundle that is its own name. */
export function ownName({ file }: PinnedFile): string {
  return file.slice(file.lastIndexOf("/") + 1);
}

/** Puts a checked file where the next installation finds it. @throws {FileError} */
export async function keep(
  path: string,
  { pinned, how }: { readonly pinned: PinnedFile; readonly how: "copy" | "move" },
  context: WorkContext,
): Promise<void> {
  const { files, folder } = context;
  const target = downloadOf(pinned, folder);
  await files.makeDirectory(folder.paths.parent(target));
  if (how === "move") await files.rename(path, target);
  else if (path !== target) await files.copy(path, target);
}

function platformsOf(id: PackageId, pins: Pins): PlatformKey[] {
  return PLATFORM_KEYS.filter((key) => pins[id][key] !== undefined);
}
