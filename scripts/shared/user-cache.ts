import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import process from "node:process";

/** The environment that decides where a user's caches are. */
export interface CacheUser {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the folder of developers' builds and downloads for this project, shared by all checkouts of
 * a user. `user-cache.mjs`, for `scripts/run.mjs`, and `native/cache.sh` find the same folder.
 */
export function userCacheFolder({ platform, env }: CacheUser = process): string {
  if (env["SLIPWAY_CACHE"]) return env["SLIPWAY_CACHE"];
  if (platform === "win32") {
    const local = env["LOCALAPPDATA"] || win32.join(homedir(), "AppData", "Local");
    return win32.join(local, "slipway", "cache");
  }
  const home = env["HOME"] || homedir();
  const caches = platform === "darwin"
    ? posix.join(home, "Library", "Caches")
    : env["XDG_CACHE_HOME"] || posix.join(home, ".cache");
  return posix.join(caches, "slipway");
}
