import { join } from "node:path";
import { attempt } from "../../lib/core/attempt.ts";
import { encodeUtf8 } from "../../lib/core/bytes.ts";
import { fail, type Failure, type Result } from "../../lib/core/result.ts";
import type { Files } from "../../lib/ports/files.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { packageRoot } from "./runtime.ts";

/** Folders that builds write into a project: not part of the sample. */
const BUILT = ["dist", "android", "ios", "node_modules"];
/** The largest file of the sample, in bytes; far more than any has. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Returns the folder of the packaged sample project. */
export function packagedSample(): string {
  return join(packageRoot(), "lib", "editor", "sample");
}

/**
 * Returns the user's own copy of the sample project, in their data folder. It is made once and then
 * belongs to the user. Its name is derived from the sample's content: the sample of another version
 * is another copy.
 *
 * @returns Its folder, or `sample` if it cannot be made.
 */
export async function ownSample(
  { files, host, hashing }: Pick<Runtime, "files" | "host" | "hashing">,
  sample: string = packagedSample(),
): Promise<Result<string, Failure<"sample">>> {
  const made = await attempt(async () => {
    const content = await contentOf(files, sample);
    const hash = hashing.createSha256();
    for (const [path, bytes] of content) {
      hash.update(encodeUtf8(`${path}\0${bytes.length}\0`));
      hash.update(bytes);
    }
    const folder = join(host.userData, `sample-${hash.hex().slice(0, 8)}`);
    if (await files.stat(folder) === null) await writeOnce(files, folder, content);
    return folder;
  });
  return made.ok ? made : fail(
    "sample",
    `Cannot make your copy of the sample project: ${made.error.message}`,
    `See that ${host.userData} can be written, or open a project of your own with --project DIR`,
  );
}

type Content = ReadonlyMap<string, Uint8Array>;

/** Returns the files of a project by their paths in it, without build output. */
async function contentOf(files: Files, root: string): Promise<Content> {
  const content = new Map<string, Uint8Array>();
  const read = async (folder: string) => {
    for (const { name, kind } of await files.list(join(root, folder)) ?? []) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (kind === "directory" && !BUILT.includes(path)) await read(path);
      if (kind !== "file") continue;
      const bytes = await files.read(join(root, path), MAX_FILE_BYTES);
      if (bytes !== null) content.set(path, bytes);
    }
  };
  await read("");
  return content;
}

/** Writes a folder next to its place and renames it, so that it is never incomplete. */
async function writeOnce(files: Files, folder: string, content: Content): Promise<void> {
  const partial = `${folder}.${crypto.randomUUID().slice(0, 8)}.partial`;
  try {
    for (const [path, bytes] of content) {
      await files.makeDirectory(join(partial, path, ".."));
      await files.write(join(partial, path), bytes, { sync: true });
    }
    await files.rename(partial, folder);
  } catch (thrown) {
    const exists = await files.stat(folder).then((found) => found !== null, () => false);
    if (!exists) throw thrown; // else another start was first
  } finally {
    await files.remove(partial).catch(() => undefined); // the earlier failure counts
  }
}
