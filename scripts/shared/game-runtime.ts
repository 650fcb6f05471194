import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { GameRuntime } from "../../lib/ports/game-runtime.ts";

/** The file that lists the others. */
const INDEX = "runtime.json";

/**
 * The runtime of built games: as it came with the package; in a checkout bundled from its sources,
 * again where they have changed.
 *
 * @param root The package's folder.
 */
export function createGameRuntime(root: string): GameRuntime {
  const packaged = join(root, "dist", "game-runtime", INDEX);
  const bundler = join(root, "scripts", "shared", "bundle-runtime.mjs");
  const bundled = join(root, ".cache", "game-runtime");
  return {
    async index() {
      if (!existsSync(bundler)) return existsSync(packaged) ? packaged : null;
      return await bundles(bundler, bundled) ? join(bundled, INDEX) : null;
    },
  };
}

/** Runs the bundler, which knows by itself whether there is anything to do. */
function bundles(bundler: string, folder: string): Promise<boolean> {
  const args = "Deno" in globalThis ? ["run", "-A", bundler, folder] : [bundler, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", 2, 2] });
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}
