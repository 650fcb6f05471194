import { FileError } from "../core/file-error.ts";
import type { Files } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { bucketFolder } from "./open-bucket.ts";

// Where files really are: a rule about a folder must hold whichever links lead there.

/**
 * Whether a `file:` bucket lies in a folder, which would then hold what is published from it. The
 * bucket need not be there yet.
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
    return liesIn(bucket, folder); // what may not be looked at is told by who opens it
  }
}

/** The path with all links resolved, as far as something is there; the rest is as it was given. */
export async function realPlace(files: Files, path: string): Promise<string> {
  for (let at = path; !isTop(at); at = parentOf(at)) {
    const real = await files.realPath(at);
    if (real !== null) return `${real}${path.slice(at.length)}`;
  }
  return path;
}

/**
 * The repository that `path` lies in, or `null`.
 *
 * @param path Absolute, its links resolved.
 */
export async function repositoryAround(files: Files, path: string): Promise<string | null> {
  for (let at = path; !isTop(at);) {
    at = parentOf(at);
    if (await files.stat(`${at}/.git`) !== null) return at === "" ? "/" : at;
  }
  return null;
}

/** Whether a path is a folder or below it, both in the host's own spelling. */
export function liesIn(path: string, folder: string): boolean {
  const slashed = (text: string) => `${text.replaceAll("\\", "/").replace(/\/+$/, "")}/`;
  return slashed(path).startsWith(slashed(folder));
}

/** Whether nothing is above: `/x` has the empty path above it, and that has nothing. */
function isTop(path: string): boolean {
  return path === "" || /^[A-Za-z]:$/.test(path);
}

/** The folder of a path in either spelling; `""` above the top. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/"), path.lastIndexOf("\\")));
}
