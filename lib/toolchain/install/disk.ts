import { ok, type Result } from "../../core/result.ts";
import { sizeText } from "../../core/sizes.ts";
import { artifactBytes, downloadBytes, type Pin } from "../pins/pins.ts";
import { NPM_TOOLS_CACHE, TARBALL_FOLDER } from "../recipes/npm-tarballs.ts";
import { type InstallFailure, type InstallFailureCode, noSpace } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";

/** Room for what the file system itself takes. */
const MARGIN = 1.05;

/** Dependencies of checking the disk. */
export interface SpaceContext extends Pick<ToolchainDeps, "host"> {
  readonly folder: ToolchainFolder;
}

/** A package to install: its name for people, and its downloads. */
interface Pinned {
  readonly title: string;
  readonly pin: Pin;
}

/** A disk, with how paths are spelled there. */
type Disk = Pick<ToolchainFolder, "files" | "paths">;

/** Refuses, before anything is downloaded, what cannot fit: the downloads and what they unpack to. */
export async function checkSpace(
  { title, pin }: Pinned,
  context: SpaceContext,
): Promise<Result<void, InstallFailure>> {
  const { needed, free } = await spaceFor(pin, context);
  if (free === null || free >= needed) return ok(undefined);
  const { root } = context.folder;
  return noSpace(
    `Cannot install ${title}: it takes about ${sizeText(needed)}, and the disk of ` +
      `${root} has ${sizeText(free)} left`,
  );
}

/** Failures that a disk may cause which filled up during the work. */
const UNCLEAR: readonly InstallFailureCode[] = ["process", "smoke-test", "archive", "io"];

/**
 * Returns a failure unchanged, or its cause: there was room when the installation began, and now there is
 * none. npm reports that only sometimes. Unfinished files must have been removed before the call.
 */
export async function explainBySpace(
  failure: InstallFailure,
  { title, pin }: Pinned,
  context: SpaceContext,
): Promise<InstallFailure> {
  const isFull = failure.code === "disk-full";
  if (!isFull && !UNCLEAR.includes(failure.code)) return failure;
  const { needed, free } = await spaceFor(pin, context);
  if (free === null) return failure;
  const { folder: { root }, host: { temporary, platform } } = context;
  if (free < needed) {
    return noSpace(
      `Cannot install ${title}: the disk of ${root} is full: about ` +
        `${sizeText(needed)} more are needed, and it has ${sizeText(free)} left`,
    ).error;
  }
  if (!isFull) return failure;
  const elsewhere = await freeSpace(temporary, context.folder);
  const isRoomier = (elsewhere ?? needed) >= needed;
  return {
    ...failure,
    // Neither lacks bytes: then it is how many files it may hold, or how much this user may.
    ...(isRoomier && {
      next: `${failure.next}; where there is room left it may hold no more files, or this user ` +
        "has a quota" + (platform === "win32" ? "" : ": 'df -i' and 'quota' tell"),
    }),
    message: `${failure.message}; the disk of ${root} has ${sizeText(free)} left` +
      (elsewhere === null ? "" : `, that of ${temporary} ${sizeText(elsewhere)}`),
  };
}

/** Returns the bytes that an installation still needs, and the free ones; `null` if they are unknown. */
async function spaceFor(
  pin: Pin,
  context: SpaceContext,
): Promise<{ readonly needed: number; readonly free: number | null }> {
  let there = 0;
  for (const artifact of pin.artifacts) {
    const bytes = await treeBytes(context.folder.at(`downloads/${artifact.file}`), context.folder);
    there += Math.min(bytes, artifactBytes(artifact));
  }
  if (pin.npmBytes !== undefined) {
    const folders = [`downloads/${TARBALL_FOLDER}`, NPM_TOOLS_CACHE];
    let fetched = 0;
    for (const folder of folders) {
      fetched += await treeBytes(context.folder.at(folder), context.folder);
    }
    there += Math.min(fetched, pin.npmBytes);
  }
  return {
    needed: (pin.unpackedBytes + downloadBytes(pin) - there) * MARGIN,
    free: await freeSpace(context.folder.root, context.folder),
  };
}

/** Bytes of a file, or of all files below a folder; what cannot be looked at counts as nothing. */
export async function treeBytes(
  path: string,
  disk: Disk,
): Promise<number> {
  const { files, paths } = disk;
  const stat = await files.stat(path).catch(() => null);
  if (stat?.kind !== "directory") return stat?.size ?? 0;
  const entries = (await files.list(path).catch(() => null)) ?? [];
  let bytes = 0;
  for (const { name } of entries) {
    bytes += await treeBytes(paths.join(path, name), disk);
  }
  return bytes;
}

/** Returns the free space of the nearest existing folder; `null` if the system does not report it. */
async function freeSpace(
  folder: string,
  { files, paths }: Disk,
): Promise<number | null> {
  let at = folder;
  for (;;) {
    const free = await files.freeSpace(at).catch(() => null);
    if (free !== null) return free;
    const parent = paths.parent(at);
    if (parent === at) return null;
    at = parent;
  }
}
