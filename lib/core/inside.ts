/** Resolver of the links of a path. */
interface Resolving {
  /** Resolves every link of a path; `null` if nothing exists there. */
  realPath(path: string): Promise<string | null>;
}

/** Whether `path` is below `folder`; both resolved by the file system. */
export function isInside(folder: string, path: string): boolean {
  const root = folder.replace(/[/\\]+$/, "");
  return path.startsWith(root) && /^[/\\]./.test(path.slice(root.length));
}

/**
 * Returns whether a resolved path inside a folder leads to a hidden file or folder: a link must not
 * expose those (keys, settings, histories). git-annex keeps large files behind such links.
 */
export function isHidden(realRoot: string, location: string): boolean {
  const inside = location.slice(realRoot.length).replaceAll("\\", "/");
  return /\/\.(?!git\/annex\/objects\/)/.test(inside);
}

/** A hidden file may be opened by its own name, but not through a link. */
const HIDDEN_NAME = /(?:^|\/)\./;

/**
 * Resolves every link of a path below a folder, including those of its folders, so that the opened
 * file is inside (`Files.stat` resolves only the last name).
 *
 * @param path Relative to the folder, checked.
 * @returns `outside` for a link that leads out of the folder or to a hidden file, `null` if nothing
 * exists there.
 */
export async function locationInside(
  files: Resolving,
  folder: string,
  path: string,
): Promise<string | null> {
  // In sequence: most of the requested paths are missing, and then the folder is not resolved.
  const location = await files.realPath(`${folder}/${path}`);
  const realRoot = location === null ? null : await files.realPath(folder);
  if (realRoot === null || location === null) return null;
  if (!isInside(realRoot, location)) return "outside";
  return !HIDDEN_NAME.test(path) && isHidden(realRoot, location) ? "outside" : location;
}

type Bytes = Uint8Array<ArrayBuffer>;
type Body = Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
type Links = "refused";

/** Operations of `Files` that can refuse links. */
interface Operations {
  list(directory: string, links?: Links): Promise<unknown>;
  read(path: string, maxBytes: number, signal?: AbortSignal, links?: Links): Promise<Bytes | null>;
  openRead(
    path: string,
    signal?: AbortSignal,
    links?: Links,
  ): Promise<ReadableStream<Bytes> | null>;
  readChunks(
    path: string,
    signal?: AbortSignal,
    links?: Links,
  ): Promise<AsyncIterable<Bytes> | null>;
  readRange(
    path: string,
    offset: number,
    length: number,
    into?: Bytes,
    links?: Links,
  ): Promise<Bytes | null>;
  write(path: string, body: Body, options?: { readonly links?: Links }): Promise<number>;
  writeAtomic(path: string, body: Body, options?: { readonly links?: Links }): Promise<number>;
  makeDirectory(path: string, links?: Links): Promise<void>;
  rename(from: string, to: string, links?: Links): Promise<void>;
  remove(path: string, links?: Links): Promise<void>;
}

/**
 * Wraps files whose paths have been resolved, as by {@linkcode locationInside}: one to which a link
 * has since been made counts as missing, and nothing is written, renamed or removed through it.
 * Otherwise a folder that is replaced by a link between check and opening would expose files
 * outside (TOOL-13).
 */
export function atResolved<F extends Partial<Operations>>(files: F): F {
  const { list, read, openRead, readChunks, readRange } = files;
  const { write, writeAtomic, makeDirectory, rename, remove } = files;
  const links = "refused";
  const resolved: Partial<Operations> = {
    ...(list && { list: (path) => list(path, links) }),
    ...(read && { read: (path, maxBytes, signal) => read(path, maxBytes, signal, links) }),
    ...(openRead && { openRead: (path, signal) => openRead(path, signal, links) }),
    ...(readChunks && { readChunks: (path, signal) => readChunks(path, signal, links) }),
    ...(readRange && {
      readRange: (path, at, length, into) => readRange(path, at, length, into, links),
    }),
    ...(write && { write: (path, body, options) => write(path, body, { ...options, links }) }),
    ...(writeAtomic && {
      writeAtomic: (path, body, options) => writeAtomic(path, body, { ...options, links }),
    }),
    ...(makeDirectory && { makeDirectory: (path) => makeDirectory(path, links) }),
    ...(rename && { rename: (from, to) => rename(from, to, links) }),
    ...(remove && { remove: (path) => remove(path, links) }),
  };
  return { ...files, ...resolved };
}
