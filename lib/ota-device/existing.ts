import { decodeUtf8 } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { forEachParallel } from "../core/parallel.ts";
import type { ContentRef, Manifest } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import { markPath, trashFolder, versionFolder } from "./folders.ts";
import { isUnreadable } from "./partial.ts";
import { randomId } from "./random.ts";
import { drain, openBody, StageError, verified, verifiedBytes } from "./transfer.ts";

// A folder on disk with the name of a version that is to be staged (DEV-7).

/** Files that are read in parallel. */
const CONCURRENCY = 6;

/** The dependencies of checking a staged version. */
export interface ExistingDependencies {
  readonly files: Files;
  readonly hashing: Hashing;
  readonly root: string;
  /** Whether the version is now active, pending or served by the recorded launch. */
  readonly isInUse: () => Promise<boolean>;
  /** Runs changes of names that others read, while no other process makes any (DEV-25). */
  readonly alone: (work: () => Promise<void>) => Promise<void>;
}

/**
 * Checks the folder under the version's name. Keeps a complete one; moves a damaged one aside,
 * unless the device may still boot it.
 *
 * @returns Whether the version is staged already.
 */
export async function checkExisting(
  dependencies: ExistingDependencies,
  manifest: Manifest,
  text: string,
): Promise<boolean> {
  const { files, root, isInUse, alone } = dependencies;
  const { name, version } = manifest;
  const folder = versionFolder(root, name, version);
  if (await files.stat(folder) === null) return false;
  if (await isComplete(dependencies, manifest, { text, folder })) return true;
  await alone(async () => { // it may have been activated while it was read
    if (await isInUse()) {
      throw new StageError("damaged", `${name} ${version} is damaged on the device, and in use`);
    }
    await files.remove(markPath(root, name, version));
    await files.makeDirectory(trashFolder(root));
    await files.rename(folder, `${trashFolder(root)}/${name}@${version}.${randomId()}`);
  });
  return false;
}

/** Whether mark and files of the version are right, and can be read back (DEV-72). */
async function isComplete(
  dependencies: ExistingDependencies,
  manifest: Manifest,
  { text, folder }: { readonly text: string; readonly folder: string },
): Promise<boolean> {
  try {
    return await isMarked(dependencies, manifest, text) &&
      await isIntact(dependencies, manifest, folder);
  } catch (thrown) {
    if (!isUnreadable(thrown)) throw thrown;
    return false;
  }
}

/** Whether the version's mark holds that manifest. */
async function isMarked(
  { files, root }: ExistingDependencies,
  { name, version }: Manifest,
  text: string,
): Promise<boolean> {
  const path = markPath(root, name, version);
  const stat = await files.stat(path);
  if (stat === null || stat.size > LIMITS.manifestBytes) return false; // too long is damaged too
  const mark = await files.read(path, stat.size);
  return mark !== null && decodeUtf8(mark) === text;
}

async function isIntact(
  dependencies: ExistingDependencies,
  manifest: Manifest,
  folder: string,
): Promise<boolean> {
  const found = await listFiles(dependencies.files, folder, "");
  if (found.length !== Object.keys(manifest.files).length) return false;
  let isDamaged = false;
  await forEachParallel(found, CONCURRENCY, async (path) => {
    if (isDamaged) return;
    const expected = own(manifest.files, path);
    const isRight = expected !== undefined &&
      await isContent(dependencies, `${folder}/${path}`, expected);
    if (!isRight) isDamaged = true;
  });
  return !isDamaged;
}

/** Returns whether a file exists and holds a content. Throws refusals of the disk. */
export async function isContent(
  { files, hashing }: {
    readonly files: Pick<Files, "read" | "openRead">;
    readonly hashing: Hashing;
  },
  path: string,
  content: ContentRef,
): Promise<boolean> {
  const named = { ...content, label: path };
  try {
    const body = await openBody(files, path, content);
    const hash = hashing.createSha256();
    if (body instanceof Uint8Array) verifiedBytes(body, named, hash);
    else if (body !== null) await drain(verified(body, named, { hash }));
    return body !== null;
  } catch (thrown) {
    const isOther = thrown instanceof StageError ||
      thrown instanceof FileError && thrown.code === "too-large";
    if (!isOther) throw thrown;
    return false;
  }
}

/** Every entry that is not a directory, so that a link among them is noticed. */
export async function listFiles(files: Files, folder: string, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await files.list(folder) ?? []) {
    if (kind === "directory") {
      found.push(...await listFiles(files, `${folder}/${name}`, `${prefix}${name}/`));
    } else {
      found.push(kind === "file" ? `${prefix}${name}` : `${prefix}${name}\0`);
    }
  }
  return found;
}
