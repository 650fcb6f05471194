import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { userCacheFolder } from "../shared/user-cache.ts";

// TypeScript's results for sources, keyed by their content and their paths in the checkout: a
// fresh checkout begins with what another has found out, and what differs is checked.

/** Brings what another checkout has found out to `known`, where this one has nothing yet. */
export function takeBuildInfo(known: string, folder: string = sharedFolder()): void {
  const shared = join(folder, basename(known));
  if (!existsSync(known) && existsSync(shared)) copyWhole(shared, known);
}

/** Keeps what is in `known` for other checkouts. */
export function keepBuildInfo(known: string, folder: string = sharedFolder()): void {
  if (existsSync(known)) copyWhole(known, join(folder, basename(known)));
}

function sharedFolder(): string {
  return join(userCacheFolder(), "types");
}

/** Others may read the copy meanwhile, or write it. */
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
