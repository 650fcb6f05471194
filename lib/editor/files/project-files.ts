import { type Problem, problem, refuse } from "../../core/problem.ts";
import { atResolved, isInside, locationInside } from "../../core/inside.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Files } from "../../ports/files.ts";
import { attempt } from "../../core/attempt.ts";

/**
 * Returns the location for a new file of the project: resolves links and creates missing folders.
 *
 * @param path Relative to the project, checked.
 * @returns 403 `outside-project` if a link leads out of it, 422 `unwritable`.
 */
export async function locationFor(
  files: Files,
  root: string,
  path: string,
): Promise<Result<string, Problem>> {
  const resolved = await resolvedIn(files, root, path);
  if (!resolved.ok) return resolved;
  const location = resolved.value;
  const made = await attempt(() => atResolved(files).makeDirectory(parentOf(location)));
  return made.ok ? ok(location) : err(unwritable(path, made.error.message));
}

/**
 * Writes a file of the project and creates missing folders, which are removed again if the write
 * fails, so that a refused call changes nothing (TOOL-12).
 *
 * @param path Relative to the project, checked. @param write Called with the file's location.
 * @returns The result of `write`; 403 `outside-project`, 422 `unwritable`.
 */
export async function writeProjectFile<T>(
  files: Files,
  { root, path }: { readonly root: string; readonly path: string },
  write: (location: string) => Promise<T>,
): Promise<Result<T, Problem>> {
  const resolved = await resolvedIn(files, root, path);
  if (!resolved.ok) return resolved;
  const location = resolved.value;
  const { stat, list, makeDirectory, remove } = atResolved(files);
  const missing: string[] = [];
  const written = await attempt(async () => {
    for (let folder = parentOf(location); await stat(folder) === null;) {
      missing.push(folder);
      folder = parentOf(folder);
    }
    await makeDirectory(parentOf(location));
    return await write(location);
  });
  if (written.ok) return written;
  for (const folder of missing) {
    await attempt(async () => {
      if ((await list(folder))?.length === 0) await remove(folder);
    });
  }
  return err(unwritable(path, written.error.message));
}

function parentOf(location: string): string {
  return location.slice(0, location.lastIndexOf("/"));
}

/**
 * Returns a location like {@linkcode locationFor} for reading, without creating folders.
 *
 * @returns 403 `outside-project` if a link leads out of it, 422 `unwritable`.
 */
export async function resolvedIn(
  files: Files,
  root: string,
  path: string,
): Promise<Result<string, Problem>> {
  const found = await attempt(async () => {
    const realRoot = await files.realPath(root);
    if (realRoot === null) return null;
    const segments = path.split("/");
    // The longest existing part of the path decides where the rest will be.
    for (let known = segments.length; known > 0; known--) {
      const at = await files.realPath(`${root}/${segments.slice(0, known).join("/")}`);
      if (at === null) continue;
      if (!isInside(realRoot, at)) return "outside";
      return [at, ...segments.slice(known)].join("/");
    }
    return [realRoot, ...segments].join("/");
  });
  if (!found.ok) return err(unwritable(path, found.error.message));
  if (found.value === null) return err(unwritable(path, "the project's folder is not there"));
  if (found.value === "outside") return linksOut(path);
  return ok(found.value);
}

/** A file's content, and when it was last written. */
export interface FileBytes {
  /** The complete content. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Milliseconds since the epoch, from before it was read. */
  readonly mtimeMs: number;
}

/** A file of the project that is read. */
export interface ProjectRead {
  /** Relative to the project, checked. */
  readonly path: string;
  /** Inclusive. */
  readonly maxBytes: number;
  /** Cancels the reading. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens and reads a file of the project; all other readers use this. Follows links inside the
 * project, and opens the target by its real path, only if it is a regular file (`Files`).
 *
 * @returns `outside` if a link leads out of the project or to a hidden file, `null` if the file
 * does not exist.
 * @throws {FileError}
 */
export async function readInside(
  files: Files,
  root: string,
  { path, maxBytes, signal }: ProjectRead,
): Promise<FileBytes | "outside" | null> {
  const location = await locationInside(files, root, path);
  if (location === null || location === "outside") return location;
  const stat = await files.stat(location);
  const bytes = await atResolved(files).read(location, maxBytes, signal);
  return stat === null || bytes === null ? null : { bytes, mtimeMs: stat.mtimeMs };
}

/** A file of the project that was opened, to be read as a stream. */
export interface OpenedFile {
  /** Absolute location with links resolved. */
  readonly location: string;
  /** Bytes, as it was opened. */
  readonly size: number;
  /** Time of the last write, in milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** Its bytes, once. */
  readonly open: () => Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null>;
}

/**
 * Opens a file like {@linkcode readProjectFile}, to be streamed or only inspected.
 *
 * @returns `null` if the file does not exist; 403 `outside-project`, 422 `unwritable` if it is
 * larger than allowed.
 */
export async function openProjectFile(
  files: Files,
  root: string,
  { path, maxBytes, signal }: ProjectRead,
): Promise<Result<OpenedFile | null, Problem>> {
  const found = await attempt(async () => {
    const location = await locationInside(files, root, path);
    if (location === null || location === "outside") return location;
    const stat = await files.stat(location);
    if (stat?.kind !== "file") return null;
    return { location, size: stat.size, mtimeMs: stat.mtimeMs };
  });
  if (!found.ok) return err(unwritable(path, found.error.message));
  if (found.value === "outside") return linksOut(path);
  if (found.value === null) return ok(null);
  const { location, size, mtimeMs } = found.value;
  if (size > maxBytes) {
    return err(unwritable(path, `found ${size} bytes, expected at most ${maxBytes}`));
  }
  return ok({ location, size, mtimeMs, open: () => atResolved(files).openRead(location, signal) });
}

/**
 * Reads like {@linkcode readInside}, with refusals as values.
 *
 * @returns `null` if the file does not exist; 403 `outside-project`, 422 `unwritable`.
 */
export async function readProjectFile(
  files: Files,
  root: string,
  read: ProjectRead,
): Promise<Result<Uint8Array<ArrayBuffer> | null, Problem>> {
  const found = await attempt(() => readInside(files, root, read));
  if (!found.ok) return err(unwritable(read.path, found.error.message));
  if (found.value === "outside") return linksOut(read.path);
  return ok(found.value?.bytes ?? null);
}

function linksOut(path: string): Result<never, Problem> {
  return refuse(
    403,
    "outside-project",
    `Cannot use "${path}": it links out of the project, or to a hidden file`,
    "Choose another path",
  );
}

/** Why a file could not be looked at or written. */
export function unwritable(path: string, reason: string): Problem {
  return problem(
    422,
    "unwritable",
    `Cannot use the file "${path}": ${reason}`,
    "Check the project's folder and the disk's free space, then try again",
  );
}
