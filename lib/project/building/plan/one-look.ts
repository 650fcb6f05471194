import type { Files } from "../../../ports/files.ts";

/** Maximum bytes of a file that is remembered: larger ones are read once anyway. */
const MAX_BYTES = 1024 * 1024;

/**
 * Returns the files as they are at one look: each path is resolved, and each small file read, once. A plan asks
 * for the same ones from many places; what it says is of one moment.
 */
export function atOneLook(files: Files): Files {
  const resolved = new Map<string, Promise<string | null>>();
  const stats = new Map<string, ReturnType<Files["stat"]>>();
  const texts = new Map<string, ReturnType<Files["read"]>>();
  return {
    ...files,
    realPath: (path) => remembered(resolved, path, () => files.realPath(path)),
    stat: (path) => remembered(stats, path, () => files.stat(path)),
    read: (path, maxBytes, signal, links) =>
      maxBytes > MAX_BYTES ? files.read(path, maxBytes, signal, links) : remembered(
        texts,
        JSON.stringify([path, maxBytes, links]),
        () => files.read(path, maxBytes, signal, links),
      ),
  };
}

function remembered<Found>(
  known: Map<string, Promise<Found>>,
  key: string,
  look: () => Promise<Found>,
): Promise<Found> {
  const found = known.get(key) ?? look();
  known.set(key, found);
  return found;
}
