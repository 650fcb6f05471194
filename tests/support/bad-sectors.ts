import { readdirSync } from "node:fs";
import { FileError } from "../../lib/core/file-error.ts";
import type { Files } from "../../lib/ports/files.ts";

/** Operations that read the bytes of the file, or the names in the folder, at their first path. */
const READS = ["read", "readRange", "openRead", "copy", "list"] as const;

/**
 * Wraps a file system whose disk does not read back the bytes of these files, or the names in these
 * folders, any more, wherever they are moved. Their own names, sizes and times stay.
 */
export function withBadSectors(files: Files, damaged: readonly string[]): Files {
  let bad = new Set(damaged);
  const faulty: Record<string, unknown> = {};
  for (const name of READS) {
    faulty[name] = (path: string, ...rest: unknown[]) =>
      bad.has(path)
        ? Promise.reject(new FileError("disk", path, `the disk failed to read ${path}`))
        : Reflect.apply(files[name], files, [path, ...rest]);
  }
  return {
    ...files,
    ...faulty,
    async rename(from, to) {
      await files.rename(from, to);
      const moved = (path: string) => `${path}/`.startsWith(`${from}/`);
      bad = new Set(
        [...bad].filter((path) => path !== to)
          .map((path) => moved(path) ? `${to}${path.slice(from.length)}` : path),
      );
    },
    async remove(path) {
      await files.remove(path);
      bad = new Set([...bad].filter((one) => !`${one}/`.startsWith(`${path}/`)));
    },
  };
}

/** Wraps a file system whose disk fails at these paths, and at all below them. */
export function withBadInodes(files: Files, damaged: readonly string[]): Files {
  const isIn = (path: string, folder: string) => `${path}/`.startsWith(`${folder}/`);
  return new Proxy(files, {
    get: (target, name: keyof Files) => (path: string, ...rest: unknown[]) => {
      const isBad = damaged.some((bad) =>
        isIn(path, bad) || name === "remove" && isIn(bad, path) ||
        name === "rename" && rest[0] === bad
      );
      return isBad
        ? Promise.reject(new FileError("disk", path, `the disk failed at ${path}`))
        : Reflect.apply(target[name], target, [path, ...rest]);
    },
  });
}

/** Lists the files under a folder, absolute. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}
