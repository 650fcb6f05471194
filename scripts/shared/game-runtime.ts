import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { GameRuntime } from "../../lib/ports/game-runtime.ts";

/**
 * Creates the runtime of built games in a checkout: bundled from its sources, again when they have
 * changed.
 *
 * @param root The package's folder.
 * @param packaged The package's own runtime, outside a checkout.
 */
export function createGameRuntime(root: string, packaged: GameRuntime | undefined): GameRuntime {
  const bundler = join(root, "scripts", "shared", "bundle-runtime.mjs");
  const folder = join(root, ".cache", "game-runtime");
  return {
    async index() {
      if (!existsSync(bundler)) return await packaged?.index() ?? null;
      const { bundleRuntime }: Bundler = await import(pathToFileURL(bundler).href);
      const exists = !await bundleRuntime(folder, true) || await bundles(bundler, folder);
      return exists ? join(folder, "runtime.json") : null;
    },
  };
}

/** Type of the bundler, which is JavaScript. */
interface Bundler {
  bundleRuntime(folder: string, looksOnly: true): Promise<boolean>;
}

/** Runs the bundler, which decides itself whether there is anything to do. */
function bundles(bundler: string, folder: string): Promise<boolean> {
  const args = "Deno" in globalThis ? ["run", "-A", bundler, folder] : [bundler, folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", 2, 2] });
  return new Promise((resolve) => {
    child.on("error", () => resolve(false));
    child.on("close", (code) => resolve(code === 0));
  });
}
