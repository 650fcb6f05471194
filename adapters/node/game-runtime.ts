import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { GameRuntime } from "../../lib/ports/game-runtime.ts";

/** The runtime of built games as it came with the package; a checkout bundles its own. */
export function createGameRuntime(): GameRuntime {
  return {
    index() {
      const index = new URL("../../game-runtime/runtime.json", import.meta.url);
      const path = index.protocol === "file:" ? fileURLToPath(index) : null;
      return Promise.resolve(path !== null && existsSync(path) ? path : null);
    },
  };
}
