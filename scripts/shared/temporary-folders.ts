import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { attempt } from "../../lib/core/attempt.ts";
import type { Files } from "../../lib/ports/files.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { printFailure } from "./cli.ts";
import { type FolderOwner, ownedPrefix, removeLeftovers } from "./leftovers.ts";

/** Attempts to remove a folder at the exit, and their interval in milliseconds. */
const REMOVAL_TRIES = 10;
const REMOVAL_WAIT_MS = 20;

/**
 * Works in a temporary folder, which is removed afterwards unless it is kept; if this process is
 * killed, the next one of its kind removes it. @returns The exit code.
 */
export async function inTemporaryFolder(
  { files, host, isAlive }: Pick<Runtime, "files" | "host" | "isAlive">,
  prefix: string,
  work: (folder: string) => Promise<number>,
  { keep = false }: { readonly keep?: boolean } = {},
): Promise<number> {
  const owner = { host, isAlive };
  await removeLeftovers(prefix, owner);
  const named = keep ? prefix : ownedPrefix(prefix, owner);
  const made = await attempt(() => files.makeTemporaryDirectory(named));
  if (!made.ok) {
    const variable = host.platform === "win32" ? "TEMP" : "TMPDIR";
    return printFailure({
      code: "temporary-folder",
      message: `Cannot make a temporary folder: ${made.error.message}`,
      next: `Set ${variable} to a folder that can be written`,
    });
  }
  try {
    return await work(made.value);
  } finally {
    if (!keep) await files.remove(made.value);
  }
}

/**
 * Wraps a file system so that its temporary folders are removed with the process, even incomplete
 * ones; if it is killed, when the next one of their kind is created.
 */
export function removingAtExit(files: Files, owner: FolderOwner): Files {
  const folders = new Set<string>();
  process.once("exit", () => {
    for (const folder of folders) removeNow(folder);
  });
  return {
    ...files,
    async makeTemporaryDirectory(prefix) {
      // Synchronously, so that no signal comes between creating the folder and registering its
      // removal.
      const folder = mkdtempSync(join(tmpdir(), ownedPrefix(prefix, owner)));
      folders.add(folder);
      await removeLeftovers(prefix, owner);
      return folder;
    },
    async remove(path) {
      await files.remove(path);
      folders.delete(path);
    },
  };
}

/**
 * Removes a folder, even while a thread still writes to it: Deno's `rmSync` has no `maxRetries`.
 */
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
