import { FileError } from "../../lib/core/file-error.ts";
import type { Files } from "../../lib/ports/files.ts";

/** Operations that change the disk. */
const CHANGES = [
  "write",
  "writeAtomic",
  "append",
  "makeDirectory",
  "rename",
  "copy",
  "link",
  "symlink",
  "remove",
  "sync",
] as const;

/** A file system whose disk breaks at one point. */
export interface FaultFiles {
  readonly files: Files;
  /** Returns how many changes were made. */
  readonly changes: () => number;
}

/**
 * Wraps a file system so that its n-th change, and with `forever` every later one, fails as a full
 * disk would.
 */
export function createFaultFiles(
  files: Files,
  { failAt, forever }: { readonly failAt: number; readonly forever: boolean },
): FaultFiles {
  let changes = 0;
  const faulty: Record<string, unknown> = {};
  for (const name of CHANGES) {
    faulty[name] = async (path: string, ...rest: unknown[]) => {
      changes++;
      if (changes === failAt || (forever && changes > failAt)) {
        const body = rest[0];
        if (body instanceof ReadableStream) await body.cancel().catch(() => undefined);
        throw new FileError("full", path, `No space left for ${path}`);
      }
      return await Reflect.apply(files[name], files, [path, ...rest]);
    };
  }
  return { files: { ...files, ...faulty }, changes: () => changes };
}
