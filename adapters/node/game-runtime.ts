import { existsSync } from "node:fs";
import { join } from "node:path";
import type { GameRuntime } from "../../lib/ports/game-runtime.ts";
import { PACKAGE_FILES } from "./package-files.ts";

/** The runtime of built games as it came with the package; a checkout bundles its own. */
export function createGameRuntime(): GameRuntime {
  return {
    index() {
      const path = PACKAGE_FILES && join(PACKAGE_FILES, "game-runtime", "runtime.json");
      return Promise.resolve(path !== null && existsSync(path) ? path : null);
    },
  };
}
