import { homedir } from "node:os";
import { posix, win32 } from "node:path";

// The same rules as scripts/shared/user-cache.ts, in JavaScript: this runs before anything is
// installed that reads TypeScript.

/**
 * Finds the folder of developers' builds and downloads for this project, shared by all checkouts of
 * a user.
 */
export function userCacheFolder({ platform, env }) {
  if (env.SLIPWAY_CACHE) return env.SLIPWAY_CACHE;
  if (platform === "win32") {
    const local = env.LOCALAPPDATA || win32.join(homedir(), "AppData", "Local");
    return win32.join(local, "slipway", "cache");
  }
  const home = env.HOME || homedir();
  const caches = platform === "darwin"
    ? posix.join(home, "Library", "Caches")
    : env.XDG_CACHE_HOME || posix.join(home, ".cache");
  return posix.join(caches, "slipway");
}
