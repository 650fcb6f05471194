import { encodeUtf8 } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import type { Manifest } from "../ota-format/mod.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import { markPath, trashFolder, versionFolder } from "./folders.ts";
import { randomId } from "./random.ts";
import { drain, StageError, verified } from "./transfer.ts";

// What lies on the disk under the name of a version that is to be staged (DEV-7).

/** The dependencies of looking at what is staged already. */
export interface ExistingDependencies {
  readonly files: Files;
  readonly hashing: Hashing;
  readonly root: string;
  /** Whether the version is active, pending or the previous good one. */
  readonly isInUse: boolean;
}

/**
 * Looks at what lies under the version's name. A whole folder is kept; a damaged one is moved
 * aside, unless the device may still boot it.
 *
 * @returns Whether the version is staged already.
 */
export async function checkExisting(
  dependencies: ExistingDependencies,
  manifest: Manifest,
  text: string,
): Promise<boolean> {
  const { files, root, isInUse } = dependencies;
  const { name, version } = manifest;
  const folder = versionFolder(root, name, version);
  if (await files.stat(folder) === null) return false;
  if (await isMarked(dependencies, manifest, text)) {
    if (await isIntact(dependencies, manifest, folder)) return true;
  }
  if (isInUse) {
    throw new StageError("damaged", `${name} ${version} is damaged on the device, and in use`);
  }
  await files.remove(markPath(root, name, version));
  await files.makeDirectory(trashFolder(root));
  await files.rename(folder, `${trashFolder(root)}/${name}@${version}.${randomId()}`);
  return false;
}

/** Whether the version's mark holds that manifest. */
async function isMarked(
  { files, root }: ExistingDependencies,
  { name, version }: Manifest,
  text: string,
): Promise<boolean> {
  const path = markPath(root, name, version);
  const expected = encodeUtf8(text);
  if ((await files.stat(path))?.size !== expected.length) return false; // too long is damaged too
  const mark = await files.read(path, expected.length);
  return mark !== null && sameBytes(mark, expected);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

async function isIntact(
  { files, hashing }: ExistingDependencies,
  manifest: Manifest,
  folder: string,
): Promise<boolean> {
  const found = await listFiles(files, folder, "");
  if (found.length !== Object.keys(manifest.files).length) return false;
  for (const path of found) {
    const expected = own(manifest.files, path);
    const body = expected && await files.openRead(`${folder}/${path}`);
    if (!body) return false;
    try {
      await drain(verified(body, { ...expected, label: path }, { hash: hashing.createSha256() }));
    } catch (thrown) {
      if (thrown instanceof StageError) return false;
      throw thrown;
    }
  }
  return true;
}

/** Every entry that is not a directory, so that a link among them is noticed. */
async function listFiles(files: Files, folder: string, prefix: string): Promise<string[]> {
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
