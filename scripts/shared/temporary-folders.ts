import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import type { Files } from "../../lib/ports/files.ts";

/** How often the removal of a folder is tried again at the exit, and after how many milliseconds. */
const REMOVAL_TRIES = 10;
const REMOVAL_WAIT_MS = 20;

/** A file system whose temporary folders go with the process, also those half made. */
export function removingAtExit(files: Files): Files {
  const folders = new Set<string>();
  process.once("exit", () => {
    for (const folder of folders) removeNow(folder);
  });
  return {
    ...files,
    makeTemporaryDirectory(prefix) {
      // At once, so that no signal comes between the folder and the promise to remove it.
      const folder = mkdtempSync(join(tmpdir(), prefix));
      folders.add(folder);
      return Promise.resolve(folder);
    },
    async remove(path) {
      await files.remove(path);
      folders.delete(path);
    },
  };
}

/** Removes a folder, also while a thread still writes to it: Deno's `rmSync` knows no `maxRetries`. */
function removeNow(folder: string): void {
  for (let left = REMOVAL_TRIES;; left--) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (thrown) {
      if (left === 0) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVAL_WAIT_MS);
    }
  }
}
