import { encodeUtf8 } from "../core/bytes.ts";
import { isRecord, own } from "../core/json.ts";
import { parseJson } from "../core/json-text.ts";
import { LIMITS } from "../core/limits.ts";
import { forEachParallel } from "../core/parallel.ts";
import { type BundleVersion, type Manifest, parseManifest } from "../ota-format/mod.ts";
import type { Files, FileStat } from "../ports/files.ts";
import { listFiles } from "./existing.ts";
import { unlessUnreadable } from "./partial.ts";
import { markPath, notePath, notesFolder, versionFolder } from "./folders.ts";

// Checks whether the version that a launch would serve has its files (DEV-32). Checking many files
// takes too long, so the check reads their folders instead: a folder changes when a name is added
// or removed (DEV-61).

/** Largest mark of which a launch checks each file, in bytes: some six hundred files. */
const EACH_FILE_MARK_BYTES = 64 * 1024;

/** Most folders in a note, the shortest paths first. Files in other folders are checked later (DEV-62). */
const NOTED_FOLDERS = 1_000;

/** Longest valid note, in bytes. */
const NOTE_BYTES = 1024 * 1024;

/** Paths that are checked in parallel. */
const CONCURRENCY = 6;

/** The folder of versions. */
export interface VersionFiles {
  readonly files: Files;
  readonly root: string;
}

/**
 * State of a version at a launch. `whole`: each file has its size, or there is nothing to compare
 * with; `by-folders`: each folder is unchanged since its files were complete; `damaged`: anything
 * else.
 */
export type Wholeness = "whole" | "by-folders" | "damaged";

/**
 * Checks a marked version within the time of a launch.
 *
 * @param how.trustsFolders Whether unchanged folders prove the files, if these are many.
 * @param how.notes Whether to note the folders, if they proved nothing, for the next launch.
 */
export async function lookAtVersion(
  at: VersionFiles,
  of: BundleVersion,
  how: { readonly trustsFolders: boolean; readonly notes: boolean },
): Promise<Wholeness> {
  const mark = await unlessUnreadable(() => at.files.stat(markPath(at.root, of.name, of.version)));
  const isLarge = (mark?.size ?? 0) > EACH_FILE_MARK_BYTES;
  if (isLarge && how.trustsFolders && await hasNotedFolders(at, of)) return "by-folders";
  const manifest = await readMark(at, of);
  if (manifest === null) return "whole";
  // Before the files: one that disappears in between must not be noted as present.
  const stamps = isLarge && how.notes ? await stampsOf(at, manifest) : null;
  if (!await hasEachFile(at, manifest)) return "damaged";
  if (stamps !== null) await writeNote(at, { of, stamps });
  return "whole";
}

/**
 * Returns whether a marked version has as many files as its mark says, each of its size. True without
 * a mark to compare with.
 */
export async function hasMarkedFiles(
  at: VersionFiles,
  of: BundleVersion,
  signal: AbortSignal,
): Promise<boolean> {
  const manifest = await readMark(at, of);
  return manifest === null || await hasEachFile(at, manifest, signal);
}

/** Notes the folders of a version that was just staged: each file and each name in them was synced (DEV-63). */
export async function noteFolders(
  at: VersionFiles,
  { manifest, text }: { readonly manifest: Manifest; readonly text: string },
): Promise<void> {
  if (encodeUtf8(text).length <= EACH_FILE_MARK_BYTES) return;
  const stamps = await stampsOf(at, manifest);
  if (stamps !== null) await writeNote(at, { of: manifest, stamps });
}

/** Every folder that the manifest's paths need, parents first. */
export function foldersOf(manifest: Manifest): string[] {
  const folders = new Set<string>();
  for (const path of Object.keys(manifest.files)) {
    for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
      folders.add(path.slice(0, slash));
    }
  }
  return [...folders].sort((a, b) => a.length - b.length);
}

/** Reads the manifest in a version's mark; `null` if it cannot be read: then nothing is compared. */
async function readMark(
  { files, root }: VersionFiles,
  { name, version }: BundleVersion,
): Promise<Manifest | null> {
  const path = markPath(root, name, version);
  const mark = await unlessUnreadable(async () => {
    const isLong = ((await files.stat(path))?.size ?? 0) > LIMITS.manifestBytes;
    return isLong ? null : await files.read(path, LIMITS.manifestBytes);
  });
  const manifest = mark && parseManifest(mark, { name, version });
  return manifest?.ok ? manifest.value : null;
}

/** Returns whether each file of a manifest is there. A file that the disk cannot look up is not. */
async function hasEachFile(
  at: VersionFiles,
  manifest: Manifest,
  signal?: AbortSignal,
): Promise<boolean> {
  return await unlessUnreadable(() => lookUpFiles(at, manifest, signal)) ?? false;
}

async function lookUpFiles(
  { files, root }: VersionFiles,
  { name, version, files: contents }: Manifest,
  signal?: AbortSignal,
): Promise<boolean> {
  const folder = versionFolder(root, name, version);
  const found = await listFiles(files, folder, "");
  if (found.length !== Object.keys(contents).length) return false;
  let isWhole = true;
  await forEachParallel(found, CONCURRENCY, async (file) => {
    signal?.throwIfAborted();
    const expected = own(contents, file); // none of a link, whose name no disk takes
    const isRight = expected !== undefined &&
      (await files.stat(`${folder}/${file}`))?.size === expected.size;
    if (!isRight) isWhole = false;
  });
  return isWhole;
}

/** Stamp of a folder: changes when a name in it is added or removed, and in a copy. */
function stampOf({ inode, changedMs, mtimeMs }: FileStat): string {
  return [inode ?? "", changedMs ?? "", mtimeMs].join(" ");
}

/**
 * Stamps of all folders of a version by path; `null` if one is missing or cannot be read: then there
 * is no note, and the version stays.
 */
async function stampsOf(
  { files, root }: VersionFiles,
  manifest: Manifest,
): Promise<ReadonlyMap<string, string> | null> {
  const folder = versionFolder(root, manifest.name, manifest.version);
  const stamps = new Map<string, string>();
  try {
    for (const path of ["", ...foldersOf(manifest)].slice(0, NOTED_FOLDERS)) {
      const stat = await files.stat(path === "" ? folder : `${folder}/${path}`);
      if (stat?.kind !== "directory") return null;
      stamps.set(path, stampOf(stat));
    }
  } catch {
    return null;
  }
  return stamps;
}

/** Best effort: without a note the next launch looks at each file. */
async function writeNote(
  { files, root }: VersionFiles,
  { of: { name, version }, stamps }: {
    readonly of: BundleVersion;
    readonly stamps: ReadonlyMap<string, string>;
  },
): Promise<void> {
  try {
    const folders = Object.fromEntries(stamps);
    const note = encodeUtf8(`${JSON.stringify({ schema: 1, folders })}\n`);
    await files.makeDirectory(notesFolder(root));
    await files.writeAtomic(notePath(root, name, version), note);
  } catch {
    // The next launch looks at each file.
  }
}

/**
 * Returns whether each noted folder is unchanged. False if that is unknown: then the files are
 * checked.
 */
async function hasNotedFolders(
  { files, root }: VersionFiles,
  { name, version }: BundleVersion,
): Promise<boolean> {
  const folder = versionFolder(root, name, version);
  try {
    const note = parseJson(await files.read(notePath(root, name, version), NOTE_BYTES));
    const noted = isRecord(note) && isRecord(note["folders"])
      ? Object.entries(note["folders"])
      : [];
    let isSame = noted.length > 0;
    await forEachParallel(noted, CONCURRENCY, async ([path, stamp]) => {
      const stat = isSame ? await files.stat(path === "" ? folder : `${folder}/${path}`) : null;
      if (stat?.kind !== "directory" || stampOf(stat) !== stamp) isSame = false;
    });
    return isSame;
  } catch {
    return false;
  }
}
