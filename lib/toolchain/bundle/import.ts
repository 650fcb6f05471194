import { FileError } from "../../core/file-error.ts";
import { ok, type Result } from "../../core/result.ts";
import type { FileStat } from "../../ports/files.ts";
import { type LockedRun, underLocks } from "../installed/guarded.ts";
import { unpackArchive } from "../recipes/extract.ts";
import { TARBALL_FOLDER } from "../recipes/npm-tarballs.ts";
import type { WorkContext } from "../recipes/recipe.ts";
import { failInstall, fileFailure, type InstallFailure } from "../work/failure.ts";
import { keep, ownName, type PinnedFile, recognise, verifyPinned } from "./contents.ts";

// The pinned downloads as a folder or an archive, for machines without a network. They are checked
// by the same hashes as what comes from the network: where a file comes from does not matter.

/** Exported or imported files, by name. */
export interface BundleReport {
  /** Files in the bundle, or taken from it. */
  readonly files: readonly string[];
  /** Bytes of those files together. */
  readonly bytes: number;
  /** Files that are not a pinned download, or not what they are named. */
  readonly refused: readonly { readonly file: string; readonly reason: string }[];
  /** Files that an export could not download. The same export, started again, continues with them. */
  readonly missing: readonly MissingFile[];
}

/** A file that could not be downloaded. */
export interface MissingFile {
  /** Its path in a bundle. */
  readonly file: string;
  /** Action and finding. */
  readonly reason: string;
  /** Next step for the reader. */
  readonly next: string;
}

/** A context that knows the files that may be in a bundle. */
export type BundleContext = WorkContext & { readonly known: readonly PinnedFile[] };

/** File that lists a bundle's contents. */
export const LIST = "bundle.json";

/** An installation downloads to the same files, reads them and removes them. */
export async function alone(
  context: BundleContext,
  work: (run: LockedRun) => Promise<Result<BundleReport, InstallFailure>>,
): Promise<Result<BundleReport, InstallFailure>> {
  const { known, progress, signal } = context;
  const ids = known.map((pinned) => pinned.package);
  return await underLocks(ids, { progress, signal, work }, context);
}

/**
 * Takes pinned downloads from a folder, a `.tar.gz` or `.zip` of such a folder, or a single file of
 * any name ("install from file"); the next installation finds them and needs no server. Wrong or
 * unknown files are named, and the good ones are kept.
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
      return anything(from, await importFolder(from, "copy", context), context);
    }
    const name = context.folder.paths.name(from);
    const pinned = named(name, known);
    if (pinned !== null) {
      const one = await importNamed(from, { pinned, how: "copy" }, context);
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
      `Cannot import ${from}: it matches none of the ${known.length} pinned downloads`,
      `Get the very file that is pinned: '${host.cli} toolchain verify-pins' tells their addresses`,
    );
  } catch (thrown) {
    return stopped(thrown, `import ${from}`, signal);
  }
}

type How = "copy" | "move";

/** A bundle's own folder, and the one in it that has the npm packages. @throws {FileError} */
async function importFolder(from: string, how: How, context: BundleContext): Promise<BundleReport> {
  const { files, folder: { paths }, signal } = context;
  const report = {
    files: new Array<string>(),
    bytes: 0,
    refused: new Array<{ file: string; reason: string }>(),
    missing: [],
  };
  const take = async (folder: string, below: string): Promise<void> => {
    for (const { name, kind } of (await files.list(folder)) ?? []) {
      signal.throwIfAborted();
      const path = paths.join(folder, name);
      const file = `${below}${name}`;
      if (kind === "directory" && file === TARBALL_FOLDER) {
        await take(path, `${file}/`);
        continue;
      }
      if (file === LIST) continue;
      const size = (await files.stat(path))?.size ?? 0;
      const taken = kind === "file"
        ? await importNamed(path, { pinned: named(name, context.known), how }, context)
        : { ok: false as const, error: { message: `${file} is not a file` } };
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

/** A bundle without a single file is not a success. */
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
  { pinned, how }: { readonly pinned: PinnedFile | null; readonly how: How },
  context: BundleContext,
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
  const { files, signal } = context;
  const into = context.folder.at(`staging/import-${crypto.randomUUID()}`);
  try {
    await files.makeDirectory(into);
    const unpacked = await unpackArchive(archive, { into }, context);
    if (!unpacked.ok) {
      const next = signal.aborted
        ? "Start it again"
        : "Copy the bundle again, or export it again; a single download is imported by itself";
      return failInstall(unpacked.error.code, unpacked.error.message, next);
    }
    const [only, ...others] = (await files.list(into)) ?? [];
    const isWrapped = others.length === 0 && only?.kind === "directory" &&
      only.name !== TARBALL_FOLDER;
    const folder = isWrapped ? context.folder.paths.join(into, only.name) : into;
    return anything(archive, await importFolder(folder, "move", context), context);
  } finally {
    await files.remove(into).catch((thrown: unknown) => {
      if (!(thrown instanceof FileError)) throw thrown;
    });
  }
}

function named(name: string, known: readonly PinnedFile[]): PinnedFile | null {
  return known.find((pinned) => ownName(pinned) === name) ?? null;
}

/** A failure, or that the work was ended. */
export function stopped(
  thrown: unknown,
  what: string,
  signal: AbortSignal,
): Result<never, InstallFailure> {
  if (!signal.aborted) return fileFailure(thrown, what);
  return failInstall("cancelled", `Stopped before it could ${what}`, "Start it again");
}
