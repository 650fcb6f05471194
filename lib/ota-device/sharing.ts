import { FileError, type FileErrorCode } from "../core/file-error.ts";
import { EMBEDDED } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import { markPath } from "./folders.ts";
import { randomId } from "./random.ts";
import type { DeltaStaging } from "./requests.ts";
import { copyFrom, sameFile, type Source, type Staging } from "./staging.ts";
import { drain, openBody, verified, verifiedBytes } from "./transfer.ts";

// DEV-60: a version and its predecessor may share the bytes of unchanged files: by a hard link, or
// by a clone if the disk supports them. The device never writes into a file of a staged version: a
// repair replaces the file. Files of the app's binary are not the device's own, and the installer
// may write into them, so they are copied.

/** Answers of a disk that cannot share; any other failure would stop a copy as well. */
const REFUSALS: readonly FileErrorCode[] = ["denied", "other"];

/**
 * Places the content of a file of the device at a path of the version: shared if the disk can,
 * otherwise copied.
 */
export async function placeFrom(staging: Staging, path: string, source: Source): Promise<void> {
  const { files, hashing } = staging.dependencies;
  const to = `${staging.folder}/${path}`;
  const isPlain = (await files.stat(source.from))?.kind === "file"; // a link's target may change
  if (!isPlain || !await share(files, source.from, { to, path })) {
    return await copyFrom(staging, path, source);
  }
  try {
    const named = { ...source.ref, label: path };
    const body = await openBody(files, to, source.ref);
    const hash = hashing.createSha256();
    if (body instanceof Uint8Array) verifiedBytes(body, named, hash);
    else if (body !== null) await drain(verified(body, named, { hash }));
  } catch (thrown) {
    await files.remove(to).catch(() => undefined); // the first error is thrown
    throw thrown;
  }
}

/**
 * Returns the bytes of a delta's copies that need no room: none if the disk refuses a first shared
 * file.
 */
export async function sharedBytes(
  { dependencies: { files, root }, manifest, folder }: Staging,
  { name, base: first, copy }: DeltaStaging,
): Promise<number> {
  const held = copy.filter(({ base = first }) => base !== EMBEDDED);
  const [one] = held;
  if (one === undefined) return 0;
  const trial = `${folder}/${randomId()}`;
  try {
    const mark = markPath(root, name, one.base ?? first);
    if (!await share(files, mark, { to: trial, path: trial })) return 0;
    await files.remove(trial);
  } catch (thrown) {
    if (thrown instanceof FileError && thrown.code === "missing") return 0; // reported when the base is searched
    throw thrown;
  }
  return held.reduce((bytes, { path }) => bytes + (manifest.files[path]?.size ?? 0), 0);
}

/** @returns Whether the disk could; `false` if a copy may still work. */
async function share(
  files: Files,
  from: string,
  { to, path }: { readonly to: string; readonly path: string },
): Promise<boolean> {
  try {
    await files.link(from, to);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    if (thrown.code === "exists") throw sameFile(path);
    if (REFUSALS.includes(thrown.code)) return false;
    throw thrown;
  }
}
