import { encodeUtf8 } from "../core/bytes.ts";
import { FileError } from "../core/file-error.ts";
import { withLock } from "../core/file-lock.ts";
import { isRecord } from "../core/json.ts";
import { parseJson } from "../core/json-text.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import type { Files } from "../ports/files.ts";
import type { Host } from "../ports/host.ts";
import { bucketFolder } from "./open-bucket.ts";
import { realPlace } from "./places.ts";
import type { SeenDependencies } from "./seen.ts";

// Folders that the user publishes to by hand (PUB-30). A project names its bucket in a file that may
// come from anywhere: outside its own folder it may be served only from a bucket of this list.

const MAX_BYTES = 256 * 1024;

/** Parts that reading the list needs. */
export interface OwnBucketsDependencies {
  /** The file system. */
  readonly files: Files;
  /** Path of the list, below `userData`. */
  readonly host: Pick<Host, "platform" | "userData">;
}

/** Path of the list: `{"schema":1,"buckets":["file:///folder", …]}`. */
export function ownBucketsPath({ userData }: Pick<Host, "userData">): string {
  return `${userData}/buckets.json`;
}

/**
 * Returns whether the user's list has a bucket. Resolves the links of both before comparing; a
 * missing or damaged list has none.
 *
 * @param folder The bucket's, absolute.
 */
export async function isOwnBucket(
  { files, host }: OwnBucketsDependencies,
  folder: string,
): Promise<boolean> {
  const urls = await readUrls(files, ownBucketsPath(host)) ?? [];
  const real = await realPlace(files, folder);
  for (const url of urls) {
    const listed = URL.canParse(url) ? bucketFolder(new URL(url), host.platform) : null;
    if (listed !== null && await realPlace(files, listed) === real) return true;
  }
  return false;
}

/**
 * Adds a `file:` bucket to the list: for a command that the user typed, never for a URL of a
 * project or of an agent. Ignores other buckets.
 *
 * @returns `buckets` if the list is damaged or cannot be written; a damaged list is never replaced.
 */
export async function addOwnBucket(
  { files, clock, host }: OwnBucketsDependencies & SeenDependencies,
  url: string,
): Promise<Result<null, Failure<"buckets">>> {
  const folder = URL.canParse(url) ? bucketFolder(new URL(url), host.platform) : null;
  if (folder === null) return ok(null);
  const path = ownBucketsPath(host);
  try {
    await files.makeDirectory(host.userData);
    return await withLock({ files, clock }, `${path}.lock`, async () => {
      if (await isOwnBucket({ files, host }, folder)) return ok(null);
      const urls = await readUrls(files, path);
      if (urls === null) return notAdded(url, `${path} is damaged`, path);
      const text = JSON.stringify({ schema: 1, buckets: [...urls, new URL(url).href] }, null, 2);
      await files.writeAtomic(path, encodeUtf8(`${text}\n`));
      return ok(null);
    });
  } catch (thrown) {
    return notAdded(url, messageOf(thrown), path);
  }
}

/** @returns The URLs of the list, `[]` without a list, `null` for a damaged one. */
async function readUrls(files: Files, path: string): Promise<readonly string[] | null> {
  try {
    const bytes = await files.read(path, MAX_BYTES);
    if (bytes === null) return [];
    const list = parseJson(bytes);
    const buckets = isRecord(list) && list["schema"] === 1 ? list["buckets"] : null;
    if (!Array.isArray(buckets)) return null;
    return buckets.every((one) => typeof one === "string") ? buckets : null;
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    return null;
  }
}

function notAdded(url: string, found: string, path: string): Result<never, Failure<"buckets">> {
  return fail(
    "buckets",
    `Cannot add ${url} to the buckets that the simulated phone may use: ${found}, ` +
      'expected {"schema":1,"buckets":["file:///folder"]}',
    `Correct or remove ${path}; the version was published all the same`,
  );
}
