import { FileError } from "../core/file-error.ts";
import type { Files } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { bucketFolder } from "./open-bucket.ts";

// The real places of files: a rule about a folder must hold whichever links lead there.

/**
 * Returns whether a `file:` bucket is inside a folder, which would then contain what is published
 * from it. The bucket need not exist.
 */
export async function bucketLiesIn(
  { files, host }: { readonly files: Files; readonly host: Pick<Host, "platform"> },
  bucketUrl: string,
  folder: string,
): Promise<boolean> {
  if (!URL.canParse(bucketUrl)) return false;
  const bucket = bucketFolder(new URL(bucketUrl), host.platform);
  if (bucket === null) return false;
  try {
    return liesIn(await realPlace(files, bucket), await realPlace(files, folder));
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    return liesIn(bucket, folder); // a path that may not be read is reported when it is opened
  }
}

/** Resolves all links of a path; a missing tail stays as given. */
export async function realPlace(files: Files, path: string): Promise<string> {
  for (let at = path; !isTop(at); at = parentPath(at)) {
    const real = await files.realPath(at);
    if (real !== null) return `${real}${path.slice(at.length)}`;
  }
  return path;
}

/**
 * Returns the repository that contains `path`, or `null`.
 *
 * @param path Absolute, its links resolved.
 */
export async function repositoryAround(files: Files, path: string): Promise<string | null> {
  for (let at = path; !isTop(at);) {
    at = parentPath(at);
    if (await files.stat(`${at}/.git`) !== null) return at === "" ? "/" : at;
  }
  return null;
}

/** Whether a path is a folder or below it, both in the host's own spelling. */
export function liesIn(path: string, folder: string): boolean {
  const slashed = (text: string) => `${text.replaceAll("\\", "/").replace(/\/+$/, "")}/`;
  return slashed(path).startsWith(slashed(folder));
}

/** Returns whether a path has no parent: `/x` has the empty path as its parent, and that has none. */
function isTop(path: string): boolean {
  return path === "" || /^[A-Za-z]:$/.test(path);
}

/** The folder of a path in either spelling; `""` above the top. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/"), path.lastIndexOf("\\")));
}
