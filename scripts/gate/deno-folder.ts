import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import process from "node:process";
import type { CacheUser } from "../shared/user-cache.ts";

/**
 * Folder of Deno's transpiled sources. A process with another home gets it, as transpiling the sources
 * again costs more than most scripts.
 */
export function denoFolder({ platform, env }: CacheUser = process): string {
  if (env["DENO_DIR"]) return env["DENO_DIR"];
  if (platform === "win32") {
    return win32.join(env["LOCALAPPDATA"] || win32.join(homedir(), "AppData", "Local"), "deno");
  }
  const home = env["HOME"] || homedir();
  return platform === "darwin"
    ? posix.join(home, "Library", "Caches", "deno")
    : posix.join(env["XDG_CACHE_HOME"] || posix.join(home, ".cache"), "deno");
}
