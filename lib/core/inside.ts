/** Resolver of the links of a path. */
interface Resolving {
  /** The path with every link resolved, or `null` when nothing is there. */
  realPath(path: string): Promise<string | null>;
}

/** Whether `path` is below `folder`; both resolved by the file system. */
export function isInside(folder: string, path: string): boolean {
  const root = folder.replace(/[/\\]+$/, "");
  return path.startsWith(root) && /^[/\\]./.test(path.slice(root.length));
}

/**
 * Whether a resolved path inside a folder is of a hidden file, or in a hidden folder: a link must not
 * show what is in there (keys, settings, histories). git-annex keeps large files behind such links.
 */
export function isHidden(realRoot: string, location: string): boolean {
  const inside = location.slice(realRoot.length).replaceAll("\\", "/");
  return /\/\.(?!git\/annex\/objects\/)/.test(inside);
}

/** A hidden file may be opened by its own name, but not through a link. */
const HIDDEN_NAME = /(?:^|\/)\./;

/**
 * Resolves every link of a path below a folder, those of its folders too: what a caller then opens is
 * inside (`Files.stat` looks at the last name alone).
 *
 * @param path Relative to the folder, checked.
 * @returns `outside` when a link leads out of the folder or to a hidden file, `null` when nothing is
 * there.
 */
export async function locationInside(
  files: Resolving,
  folder: string,
  path: string,
): Promise<string | null> {
  const [realRoot, location] = await Promise.all([
    files.realPath(folder),
    files.realPath(`${folder}/${path}`),
  ]);
  if (realRoot === null || location === null) return null;
  if (!isInside(realRoot, location)) return "outside";
  return !HIDDEN_NAME.test(path) && isHidden(realRoot, location) ? "outside" : location;
}

/** Readers of files, as `Files` has them, as far as links go. */
interface Reading {
  read(
    path: string,
    maxBytes: number,
    signal?: AbortSignal,
    links?: "refused",
  ): Promise<Uint8Array<ArrayBuffer> | null>;
  openRead(
    path: string,
    signal?: AbortSignal,
    links?: "refused",
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | null>;
  readRange(
    path: string,
    offset: number,
    length: number,
    into?: Uint8Array<ArrayBuffer>,
    links?: "refused",
  ): Promise<Uint8Array<ArrayBuffer> | null>;
}

/**
 * Files whose paths have been resolved, as by {@linkcode locationInside}: one to which a link leads by
 * now is not there. Without it, who changes a folder into a link between looking and opening has
 * what is outside opened.
 */
export function atResolved<F extends Partial<Reading>>(files: F): F {
  const { read, openRead, readRange } = files;
  return {
    ...files,
    ...(read && {
      read: (path: string, maxBytes: number, signal?: AbortSignal) =>
        read(path, maxBytes, signal, "refused"),
    }),
    ...(openRead && {
      openRead: (path: string, signal?: AbortSignal) => openRead(path, signal, "refused"),
    }),
    ...(readRange && {
      readRange: (path: string, at: number, length: number, into?: Uint8Array<ArrayBuffer>) =>
        readRange(path, at, length, into, "refused"),
    }),
  };
}
