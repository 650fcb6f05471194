import { encodeUtf8 } from "../../core/bytes.ts";
import { FileError } from "../../core/file-error.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { FileStat } from "../../ports/files.ts";
import { joinPath, lastSegment, parentPath } from "../host-paths.ts";
import type { PlatformKey } from "../pins.ts";
import type { ArtifactContext } from "./artifacts.ts";
import {
  downloadOf,
  fetchPinned,
  keep,
  ownName,
  type PinnedFile,
  recognise,
  verifyPinned,
} from "./bundle-contents.ts";
import { packTarGz } from "./bundle-archive.ts";
import { extract } from "./extract.ts";
import { failInstall, fileFailure, type InstallFailure } from "./failure.ts";
import { type LockedRun, underLocks } from "./guarded.ts";
import { TARBALL_FOLDER } from "./npm-tarballs.ts";
import { inFolder } from "./receipt.ts";

// The pinned downloads as a folder or an archive, for machines without a network. They are checked
// by the same hashes as what comes from the network: where a file comes from does not matter.

/** What was exported or imported, by file name. */
export interface BundleReport {
  /** What is in the bundle, or was taken from it. */
  readonly files: readonly string[];
  /** Of those files together. */
  readonly bytes: number;
  /** Files that are no pinned download, or not what they are named. */
  readonly refused: readonly { readonly file: string; readonly reason: string }[];
  /** Of an export: what could not be downloaded. The same export, started again, goes on from there. */
  readonly missing: readonly MissingFile[];
}

/** A file that could not be downloaded. */
export interface MissingFile {
  /** Its path in a bundle. */
  readonly file: string;
  /** What was done and found. */
  readonly reason: string;
  /** What to do about it. */
  readonly next: string;
}

/** A context that knows the files that may be in a bundle. */
export type BundleContext = ArtifactContext & { readonly known: readonly PinnedFile[] };

const LIST = "bundle.json";

/**
 * Gets every known file and puts it into a folder, or into an archive where the name says so
 * (`.tar.gz`, `.tgz`). What cannot be downloaded is named, and the rest is in the bundle all the same.
 * What was downloaded for it alone does not stay in `downloads`, unless an archive lacks something:
 * the next export goes on from there.
 *
 * @param platform For which the bundle is, as its list says.
 * @returns The first failure where nothing at all could be had.
 */
export async function exportBundle(
  to: string,
  context: BundleContext & { readonly platform: PlatformKey },
): Promise<Result<BundleReport, InstallFailure>> {
  return await alone(context, (run) => writeBundle(to, { ...context, ...run }));
}

/** An installation downloads to the same files, reads them and removes them. */
async function alone(
  context: BundleContext,
  work: (run: LockedRun) => Promise<Result<BundleReport, InstallFailure>>,
): Promise<Result<BundleReport, InstallFailure>> {
  const { known, progress, signal } = context;
  const ids = known.map((pinned) => pinned.package);
  return await underLocks(ids, { progress, signal, work }, context);
}

async function writeBundle(
  to: string,
  { platform, ...context }: BundleContext & { readonly platform: PlatformKey },
): Promise<Result<BundleReport, InstallFailure>> {
  const { known, files, host, progress, signal } = context;
  try {
    const isArchive = /\.(?:tar\.gz|tgz)$/i.test(to);
    const targetOf = ({ file }: PinnedFile) => joinPath(to, file, host.platform);
    const kept = new Set<string>();
    const there = new Set<string>();
    for (const pinned of known) {
      if (await files.stat(downloadOf(pinned, context)) !== null) kept.add(pinned.file);
      const isThere = !isArchive && await files.stat(targetOf(pinned)) !== null &&
        (await verifyPinned(targetOf(pinned), pinned, context)).ok;
      if (isThere) there.add(pinned.file);
    }
    const wanted = known.filter(({ file }) => !there.has(file));
    const fetched = await fetchPinned(wanted, context);
    if (!fetched.ok) return fetched;
    const missing = fetched.value;
    const had = known.filter(({ file }) => !missing.some((each) => each.file === file));
    const [first] = missing;
    if (had.length === 0 && first !== undefined) return err(first.failure);
    const list = listOf(had, platform);
    const entries = [];
    for (const pinned of had) {
      const path = there.has(pinned.file) ? targetOf(pinned) : downloadOf(pinned, context);
      entries.push({ name: pinned.file, path, size: (await files.stat(path))?.size ?? 0 });
    }
    const bytes = entries.reduce((sum, { size }) => sum + size, 0);
    if (isArchive) {
      await files.makeDirectory(parentPath(to, host.platform));
      await packTarGz(to, { list: { name: LIST, bytes: list }, entries }, context);
    } else {
      await files.makeDirectory(to);
      for (const pinned of had) {
        signal.throwIfAborted();
        if (there.has(pinned.file)) continue;
        await files.makeDirectory(parentPath(targetOf(pinned), host.platform));
        await files.copy(downloadOf(pinned, context), targetOf(pinned));
      }
      await files.writeAtomic(joinPath(to, LIST, host.platform), list);
    }
    // An archive is written anew from `downloads`; a folder has all that came.
    for (const pinned of isArchive && missing.length > 0 ? [] : had) {
      const isSpent = !kept.has(pinned.file) && !there.has(pinned.file);
      if (isSpent) await files.remove(downloadOf(pinned, context));
    }
    progress.log(`${to} has ${had.length} of ${known.length} files for ${platform}`);
    return ok({
      files: had.map(({ file }) => file),
      bytes,
      refused: [],
      missing: missing.map(({ file, failure }) => ({
        file,
        reason: failure.message,
        next: failure.next,
      })),
    });
  } catch (thrown) {
    return stopped(thrown, `export to ${to}`, signal);
  }
}

/**
 * Takes pinned downloads from a folder, a `.tar.gz` or `.zip` of such a folder, or a single file of
 * any name ("install from file"); the next installation finds them and asks no server. What is wrong
 * or unknown is named, and what is good is kept all the same.
 */
export async function importBundle(
  from: string,
  context: BundleContext,
): Promise<Result<BundleReport, InstallFailure>> {
  try {
    const stat = await context.files.stat(from);
    if (stat !== null) {
      return await alone(context, (run) => readBundle(from, stat, { ...context, ...run }));
    }
  } catch (thrown) {
    return stopped(thrown, `import ${from}`, context.signal);
  }
  return failInstall("io", `Cannot import ${from}: nothing is there`, "Name a folder or a file");
}

async function readBundle(
  from: string,
  stat: FileStat,
  context: BundleContext,
): Promise<Result<BundleReport, InstallFailure>> {
  const { host, known, signal } = context;
  try {
    if (stat.kind === "directory") {
      return anything(from, await importFolder(from, { ...context, how: "copy" }), context);
    }
    const name = lastSegment(from, host.platform);
    const pinned = named(name, known);
    if (pinned !== null) {
      const one = await importNamed(from, { ...context, pinned, how: "copy" });
      return one.ok
        ? ok({ files: [pinned.file], bytes: stat.size, refused: [], missing: [] })
        : one;
    }
    const recognised = await recognise(from, known, context);
    if (recognised !== null) {
      await keep(from, { pinned: recognised, how: "copy" }, context);
      return ok({ files: [recognised.file], bytes: stat.size, refused: [], missing: [] });
    }
    if (/\.(?:tar\.gz|tgz|zip)$/i.test(name)) return await importArchive(from, context);
    return failInstall(
      "hash",
      `Cannot import ${from}: it is none of the ${known.length} pinned downloads`,
      `Get the very file that is pinned: '${host.cli} toolchain verify-pins' tells their addresses`,
    );
  } catch (thrown) {
    return stopped(thrown, `import ${from}`, signal);
  }
}

type How = { readonly how: "copy" | "move" };

/** A bundle's own folder, and the one in it that has the npm packages. @throws {FileError} */
async function importFolder(from: string, context: BundleContext & How): Promise<BundleReport> {
  const { files, host, signal } = context;
  const report = {
    files: new Array<string>(),
    bytes: 0,
    refused: new Array<{ file: string; reason: string }>(),
    missing: [],
  };
  const take = async (folder: string, below: string): Promise<void> => {
    for (const { name, kind } of (await files.list(folder)) ?? []) {
      signal.throwIfAborted();
      const path = joinPath(folder, name, host.platform);
      const file = `${below}${name}`;
      if (kind === "directory" && file === TARBALL_FOLDER) {
        await take(path, `${file}/`);
        continue;
      }
      if (file === LIST) continue;
      const size = (await files.stat(path))?.size ?? 0;
      const taken = kind === "file"
        ? await importNamed(path, { ...context, pinned: named(name, context.known) })
        : { ok: false as const, error: { message: `${file} is no file` } };
      if (!taken.ok) report.refused.push({ file, reason: taken.error.message });
      else {
        report.files.push(taken.value.file);
        report.bytes += size;
      }
    }
  };
  await take(from, "");
  return report;
}

/** A bundle without a single file is no success. */
function anything(
  from: string,
  report: BundleReport,
  { host: { cli } }: Pick<BundleContext, "host">,
): Result<BundleReport, InstallFailure> {
  if (report.files.length + report.refused.length > 0) return ok(report);
  return failInstall(
    "io",
    `Cannot import ${from}: there is nothing in it`,
    `Name the folder or the archive that '${cli} toolchain export PATH' made`,
  );
}

async function importNamed(
  path: string,
  { pinned, how, ...context }: BundleContext & How & { readonly pinned: PinnedFile | null },
): Promise<Result<PinnedFile, InstallFailure>> {
  if (pinned === null) {
    return failInstall(
      "hash",
      `Cannot use ${path}: no pinned download has that name`,
      "Leave it out; to import a single file under another name, name the file itself",
    );
  }
  const verified = await verifyPinned(path, pinned, context);
  if (!verified.ok) return verified;
  await keep(path, { pinned, how }, context);
  return ok(pinned);
}

async function importArchive(
  archive: string,
  context: BundleContext,
): Promise<Result<BundleReport, InstallFailure>> {
  const { files, host, progress, signal } = context;
  const into = inFolder(`staging/import-${crypto.randomUUID()}`, context);
  const format = archive.toLowerCase().endsWith(".zip") ? "zip" : "tar.gz";
  try {
    await files.makeDirectory(into);
    const request = { archive, format, into, progress, signal } as const;
    const unpacked = await extract(request, { files, platform: host.platform });
    if (!unpacked.ok) {
      const next = signal.aborted
        ? "Start it again"
        : "Copy the bundle again, or export it anew; a single download is imported by itself";
      return failInstall(unpacked.error.code, unpacked.error.message, next);
    }
    const [only, ...others] = (await files.list(into)) ?? [];
    const isWrapped = others.length === 0 && only?.kind === "directory" &&
      only.name !== TARBALL_FOLDER;
    const folder = isWrapped ? joinPath(into, only.name, host.platform) : into;
    return anything(archive, await importFolder(folder, { ...context, how: "move" }), context);
  } finally {
    await files.remove(into).catch((thrown: unknown) => {
      if (!(thrown instanceof FileError)) throw thrown;
    });
  }
}

function named(name: string, known: readonly PinnedFile[]): PinnedFile | null {
  return known.find((pinned) => ownName(pinned) === name) ?? null;
}

function listOf(known: readonly PinnedFile[], platform: PlatformKey): Uint8Array<ArrayBuffer> {
  const files = known.map(({ file, name, from }) => {
    if (from.kind === "npm") return { file, name, integrity: from.tarball.integrity };
    const { url, sha256, sha1 } = from.artifact;
    return { file, name, url, sha256, sha1 };
  });
  return encodeUtf8(`${JSON.stringify({ schema: 1, platform, files }, null, 2)}\n`);
}

function stopped(
  thrown: unknown,
  what: string,
  signal: AbortSignal,
): Result<never, InstallFailure> {
  if (!signal.aborted) return fileFailure(thrown, what);
  return failInstall("cancelled", `Stopped before it could ${what}`, "Start it again");
}
