import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { userCacheFolder } from "../shared/user-cache.ts";

// TypeScript's results for sources, keyed by their content and their paths in the checkout: a fresh
// checkout reuses the results of another one, and only differences are checked.

/** Copies the results of another checkout to `known`, if this one has none yet. */
export function takeBuildInfo(known: string, folder: string = sharedFolder()): void {
  const shared = join(folder, basename(known));
  if (!existsSync(known) && existsSync(shared)) copyWhole(shared, known);
}

/** Shares the results in `known` with other checkouts. */
export function keepBuildInfo(known: string, folder: string = sharedFolder()): void {
  if (existsSync(known)) copyWhole(known, join(folder, basename(known)));
}

function sharedFolder(): string {
  return join(userCacheFolder(), "types");
}

/** Other processes may read or write the copy concurrently. */
function copyWhole(from: string, to: string): void {
  const fresh = `${to}.${process.pid}`;
  try {
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, fresh);
    renameSync(fresh, to);
  } catch {
    rmSync(fresh, { force: true }); // a full disk, for example: everything is checked again
  }
}
