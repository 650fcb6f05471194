import { concatBytes } from "../core/bytes.ts";
import { SPECIAL_FILES } from "../core/file-error.ts";
import { compareCodeUnits } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { atResolved } from "../core/inside.ts";
import { forEachParallel } from "../core/parallel.ts";
import { checkPathSet, foldAscii } from "../core/paths.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import { type ContentRef, EMBEDDED_MANIFEST_FILE } from "../ota-format/mod.ts";
import type { Deflating } from "../ports/deflate.ts";
import type { Files, FileStat } from "../ports/files.ts";
import type { KnownFile, ScanMemory } from "./scan-memory.ts";
import { type Contents, SMALL_FILE_BYTES } from "./store/unchanged.ts";

/** Files that are hashed in parallel. */
const CONCURRENCY = 4;
/** Files whose facts are read in parallel. */
const LOOKS = 16;

/** Mark of a build, at the top of the folder that it filled; never published. */
export const BUILD_MARK = ".slipway-build";

/** Files at the top of a built folder that do not belong to the bundle. */
const LEFT_OUT: readonly string[] = [BUILD_MARK, EMBEDDED_MANIFEST_FILE];

/** Why a folder cannot be published. */
export type ScanFailureCode =
  | "missing-folder"
  | "not-a-file"
  | "path"
  | "unreadable"
  | "over-limit"
  | "empty"
  | "cancelled";

/** Dependencies of a scan. */
export interface ScanDependencies extends Contents {
  /** Called with the number of hashed bytes. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number) => void;
  /**
   * Called with the content of each file of at most {@linkcode SMALL_FILE_BYTES}, as it is hashed.
   * @returns Whether it found something: then the file is shown again the next time.
   */
  readonly look?: (path: string, bytes: Uint8Array) => boolean;
  /** If given, collects the CRC-32 of every content, by its hash. */
  readonly crc32s?: { readonly of: Deflating["crc32"]; readonly found: Map<string, number> };
  /** If given together with `crc32s`, files that have not changed since the last scan are not read. */
  readonly known?: ScanMemory | undefined;
}

/** The files of a folder in the form of a manifest: path to content, ordered by path. */
export type ScannedFiles = Readonly<Record<string, ContentRef>>;

/**
 * Resolves the folder of a path. Its links are followed once, so that all reads come from one
 * folder.
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
 * Walks a built folder and hashes every file. Refuses links and sockets by name, and follows no
 * link that replaces a file or a folder during the scan; the folder itself may be a link.
 */
export async function scanFolder(
  dependencies: ScanDependencies,
  path: string,
): Promise<Result<ScannedFiles, Failure<ScanFailureCode>>> {
  const found = await findFolder(dependencies.files, path);
  if (!found.ok) return found;
  const folder = found.value;
  const files = atResolved(dependencies.files);
  const paths: string[] = [];
  const walked = await walk(files, folder, { prefix: "", paths });
  if (!walked.ok) return walked;
  const stats = await lookAtAll(files, folder, paths.sort(compareCodeUnits));
  if (!stats.ok) return stats;
  const checked = checkNames(folder, paths);
  if (!checked.ok) return checked;
  return await hashAll({ ...dependencies, files }, folder, stats.value);
}

async function walk(
  files: Files,
  folder: string,
  { prefix, paths }: { readonly prefix: string; readonly paths: string[] },
): Promise<Result<null, Failure<ScanFailureCode>>> {
  try {
    const entries = await files.list(folder);
    if (entries === null) return gone(prefix === "" ? folder : prefix.slice(0, -1));
    for (const { name, kind } of entries) {
      const path = `${prefix}${name}`;
      if (LEFT_OUT.includes(path) && kind === "file") continue;
      if (kind === "directory") {
        const inner = await walk(files, `${folder}/${name}`, { prefix: `${path}/`, paths });
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
      paths.push(path);
      if (paths.length > LIMITS.bundleFiles) {
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

/** The facts of every file, in order of their paths. */
async function lookAtAll(
  files: Files,
  folder: string,
  paths: readonly string[],
): Promise<Result<ReadonlyMap<string, FileStat>, Failure<ScanFailureCode>>> {
  const stats = new Map<string, FileStat | null>(paths.map((path) => [path, null]));
  try {
    await forEachParallel(paths, LOOKS, async (path) => {
      stats.set(path, await files.stat(`${folder}/${path}`));
    });
  } catch (thrown) {
    return unreadable(folder, messageOf(thrown));
  }
  const there = new Map<string, FileStat>();
  for (const [path, stat] of stats) {
    if (stat === null) return gone(path);
    there.set(path, stat);
  }
  return ok(there);
}

/** Runtimes list a name that is not UTF-8 with U+FFFD in it, and then find no file of that name. */
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

/** Folds a name as phones' disks that ignore case do: `É` is `é`, `ß` is `SS`, `ſ` is `s`. */
function foldUnicode(path: string): string {
  return path.toUpperCase().toLowerCase().normalize("NFC");
}

async function hashAll(
  dependencies: ScanDependencies,
  folder: string,
  stats: ReadonlyMap<string, FileStat>,
): Promise<Result<ScannedFiles, Failure<ScanFailureCode>>> {
  let bytesTotal = 0;
  for (const [path, { size }] of stats) {
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
  const { onProgress, known: memory, crc32s } = dependencies;
  const hashes = new Map<string, ContentRef>();
  let bytesDone = 0;
  const onBytes = (count: number) => onProgress?.(bytesDone += count, bytesTotal);
  const unknown: (readonly [path: string, stat: FileStat])[] = [];
  for (const [path, stat] of stats) {
    const known = memory?.find(path, stat) ?? null;
    if (known === null || crc32s === undefined) {
      unknown.push([path, stat]);
      continue;
    }
    const { crc32, ...ref } = known;
    hashes.set(path, ref);
    crc32s.found.set(ref.hash, crc32);
    memory?.note(path, stat, known);
    onBytes(stat.size);
  }
  try {
    await forEachParallel(unknown, CONCURRENCY, async ([path, stat]) => {
      const file = { path, size: stat.size, onBytes };
      const { isMatched, ...known } = await hashFile(dependencies, folder, file);
      const ref = { hash: known.hash, size: known.size };
      hashes.set(path, ref);
      crc32s?.found.set(ref.hash, known.crc32);
      if (!isMatched) memory?.note(path, stat, known);
    });
  } catch (thrown) {
    return dependencies.signal?.aborted
      ? fail("cancelled", `Cannot publish ${folder}: it was cancelled`, "Start it again")
      : unreadable(folder, messageOf(thrown));
  }
  const scanned: Record<string, ContentRef> = {};
  for (const path of stats.keys()) {
    const ref = hashes.get(path);
    if (ref !== undefined) scanned[path] = ref;
  }
  return ok(scanned);
}

async function hashFile(
  { files, hashing, crc32s, look, signal }: ScanDependencies,
  folder: string,
  { path, size: expected, onBytes }: {
    readonly path: string;
    readonly size: number;
    readonly onBytes: (count: number) => void;
  },
): Promise<KnownFile & { readonly isMatched: boolean }> {
  const hash = hashing.createSha256();
  const isShown = look !== undefined && expected <= SMALL_FILE_BYTES;
  const parts: Uint8Array[] = [];
  let size = 0;
  let crc32 = 0;
  const chunks = await files.readChunks(`${folder}/${path}`, signal);
  if (chunks === null) throw new Error(`${path} is gone`);
  let isMatched = false;
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (crc32s !== undefined) crc32 = crc32s.of(chunk, crc32);
    if (isShown && chunk.length === expected) isMatched = look(path, chunk);
    else if (isShown) parts.push(chunk.slice()); // overwritten when the next chunk is requested
    size += chunk.length;
    onBytes(chunk.length);
  }
  if (size !== expected) {
    throw new Error(`${path} was changed while it was read; let the build finish first`);
  }
  if (isShown && parts.length > 0) isMatched = look(path, concatBytes(parts));
  return { hash: hash.hex(), size, crc32, isMatched };
}
