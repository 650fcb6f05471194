import { SPECIAL_FILES } from "../core/file-error.ts";
import { compareCodeUnits } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { forEachParallel } from "../core/parallel.ts";
import { checkPathSet, foldAscii } from "../core/paths.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import { type ContentRef, EMBEDDED_MANIFEST_FILE } from "../ota-format/mod.ts";
import type { Deflating } from "../ports/deflate.ts";
import type { Files } from "../ports/files.ts";
import { type Contents, SMALL_FILE_BYTES } from "./store/unchanged.ts";

/** Files hashed at once. */
const CONCURRENCY = 4;

/** What a build leaves at the top of the folder that it filled; never published. */
export const BUILD_MARK = ".slipway-build";

/** What stands at the top of a built folder and is no file of the bundle. */
const LEFT_OUT: readonly string[] = [BUILD_MARK, EMBEDDED_MANIFEST_FILE];

/** Why a folder cannot be published. */
export type ScanFailureCode =
  | "missing-folder"
  | "not-a-file"
  | "path"
  | "unreadable"
  | "over-limit"
  | "empty";

/** What is hashed. */
export interface ScanDependencies extends Contents {
  /** Told how many bytes are hashed. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number) => void;
  /** Shown each file of at most {@linkcode SMALL_FILE_BYTES}, whole, as it is hashed. */
  readonly onSmallFile?: (path: string, bytes: Uint8Array) => void;
  /** Where it is given, every content gets its CRC-32 as well, by its hash. */
  readonly crc32s?: { readonly of: Deflating["crc32"]; readonly found: Map<string, number> };
}

/** A folder as a manifest sees it: path to content, ordered by path. */
export type ScannedFiles = Readonly<Record<string, ContentRef>>;

/**
 * The folder that a path names, whichever links lead there: they are followed once, so that all that
 * is read comes from one folder.
 */
export async function findFolder(
  files: Files,
  path: string,
): Promise<Result<string, Failure<ScanFailureCode>>> {
  try {
    const folder = await files.realPath(path);
    const stat = folder === null ? null : await files.stat(folder);
    if (folder !== null && stat?.kind === "directory") return ok(folder);
    const what = stat === null ? "no folder is there" : "it is not a folder";
    return fail("missing-folder", `Cannot publish ${path}: ${what}`, "Build the game first");
  } catch (thrown) {
    return unreadable(path, messageOf(thrown));
  }
}

/**
 * Walks a built folder and hashes every file of it. Links and sockets in it are refused by name; the
 * folder itself may be a link.
 */
export async function scanFolder(
  dependencies: ScanDependencies,
  path: string,
): Promise<Result<ScannedFiles, Failure<ScanFailureCode>>> {
  const { files } = dependencies;
  const found = await findFolder(files, path);
  if (!found.ok) return found;
  const folder = found.value;
  const sizes = new Map<string, number>();
  const walked = await walk(files, folder, { prefix: "", sizes });
  if (!walked.ok) return walked;
  const paths = [...sizes.keys()].sort(compareCodeUnits);
  const checked = checkNames(folder, paths);
  if (!checked.ok) return checked;
  return await hashAll(dependencies, folder, { paths, sizes });
}

async function walk(
  files: Files,
  folder: string,
  found: { readonly prefix: string; readonly sizes: Map<string, number> },
): Promise<Result<null, Failure<ScanFailureCode>>> {
  const { prefix, sizes } = found;
  try {
    const entries = await files.list(folder);
    if (entries === null) return gone(prefix === "" ? folder : prefix.slice(0, -1));
    for (const { name, kind } of entries) {
      const path = `${prefix}${name}`;
      if (LEFT_OUT.includes(path) && kind === "file") continue;
      if (kind === "directory") {
        const inner = await walk(files, `${folder}/${name}`, { prefix: `${path}/`, sizes });
        if (!inner.ok) return inner;
        continue;
      }
      if (kind !== "file") {
        const what = kind === "symlink" ? "a symbolic link" : SPECIAL_FILES[kind];
        return fail(
          "not-a-file",
          `Cannot publish ${JSON.stringify(path)}: not a file: ${what}`,
          "Replace it by a file",
        );
      }
      const stat = await files.stat(`${folder}/${name}`);
      if (stat === null) return gone(path);
      sizes.set(path, stat.size);
      if (sizes.size > LIMITS.bundleFiles) {
        return fail(
          "over-limit",
          `Cannot publish the folder: found more than ${LIMITS.bundleFiles} files, expected no more`,
          "Leave files out of the build, or split the game into several bundles",
        );
      }
    }
    return ok(null);
  } catch (thrown) {
    return unreadable(folder, messageOf(thrown));
  }
}

/** Runtimes list a name that is not UTF-8 with U+FFFD in it, and then nothing has that name. */
function gone(path: string): Result<never, Failure<ScanFailureCode>> {
  return path.includes("\ufffd")
    ? fail("path", `Cannot publish ${JSON.stringify(path)}: its name is not UTF-8`, "Rename it")
    : fail(
      "unreadable",
      `Cannot publish ${JSON.stringify(path)}: it is gone`,
      "Build the game again",
    );
}

function unreadable(folder: string, found: string): Result<never, Failure<ScanFailureCode>> {
  return fail(
    "unreadable",
    `Cannot publish ${folder}: ${found}`,
    "Make every folder that leads there, and every file in it, readable",
  );
}

function checkNames(
  folder: string,
  paths: readonly string[],
): Result<null, Failure<ScanFailureCode>> {
  if (paths.length === 0) {
    return fail("empty", `Cannot publish ${folder}: it has no files`, "Build the game first");
  }
  if (paths.includes("__proto__")) {
    return fail("path", 'Cannot publish "__proto__": no record can name it', "Rename the file");
  }
  // Beyond the device's rule: two names that any disk may take for one, not only by A-Z (PATH-9).
  for (const fold of [foldAscii, foldUnicode]) {
    const checked = checkPathSet(paths, fold);
    if (!checked.ok) return fail("path", checked.error.message, checked.error.next);
  }
  return ok(null);
}

/** As the disks of phones compare names that ignore case: `É` is `é`, `ß` is `SS`, `ſ` is `s`. */
function foldUnicode(path: string): string {
  return path.toUpperCase().toLowerCase().normalize("NFC");
}

async function hashAll(
  dependencies: ScanDependencies,
  folder: string,
  { paths, sizes }: { paths: readonly string[]; sizes: ReadonlyMap<string, number> },
): Promise<Result<ScannedFiles, Failure<ScanFailureCode>>> {
  let bytesTotal = 0;
  for (const [path, size] of sizes) {
    if (size > LIMITS.fileBytes) {
      return fail(
        "over-limit",
        `Cannot publish ${
          JSON.stringify(path)
        }: found ${size} bytes, expected at most ${LIMITS.fileBytes}`,
        "Make the file smaller, or split it",
      );
    }
    bytesTotal += size;
  }
  if (bytesTotal > LIMITS.bundleBytes) {
    return fail(
      "over-limit",
      `Cannot publish ${folder}: found ${bytesTotal} bytes, expected at most ${LIMITS.bundleBytes}`,
      "Leave files out of the build, or split the game into several bundles",
    );
  }
  const { onProgress } = dependencies;
  const hashes = new Map<string, ContentRef>();
  let bytesDone = 0;
  try {
    await forEachParallel([...sizes], CONCURRENCY, async ([path, size]) => {
      const ref = await hashFile(dependencies, `${folder}/${path}`, {
        isSmall: size <= SMALL_FILE_BYTES,
        onWhole: (bytes) => dependencies.onSmallFile?.(path, bytes),
        onBytes(count) {
          bytesDone += count;
          onProgress?.(bytesDone, bytesTotal);
        },
      });
      hashes.set(path, ref);
    });
  } catch (thrown) {
    return unreadable(folder, messageOf(thrown));
  }
  const scanned: Record<string, ContentRef> = {};
  for (const path of paths) {
    const ref = hashes.get(path);
    if (ref !== undefined) scanned[path] = ref;
  }
  return ok(scanned);
}

async function hashFile(
  { files, hashing, crc32s, signal }: ScanDependencies,
  path: string,
  { isSmall, onWhole, onBytes }: {
    readonly isSmall: boolean;
    readonly onWhole: (bytes: Uint8Array) => void;
    readonly onBytes: (count: number) => void;
  },
): Promise<ContentRef> {
  const hash = hashing.createSha256();
  let size = 0;
  let crc32 = 0;
  const take = (chunk: Uint8Array) => {
    hash.update(chunk);
    if (crc32s !== undefined) crc32 = crc32s.of(chunk, crc32);
    size += chunk.length;
    onBytes(chunk.length);
  };
  if (isSmall) {
    const bytes = await files.read(path, SMALL_FILE_BYTES, signal);
    if (bytes === null) throw new Error(`${path} is gone`);
    take(bytes);
    onWhole(bytes);
  } else {
    const chunks = await files.readChunks(path, signal);
    if (chunks === null) throw new Error(`${path} is gone`);
    for await (const chunk of chunks) take(chunk);
  }
  const ref = { hash: hash.hex(), size };
  crc32s?.found.set(ref.hash, crc32);
  return ref;
}
