// First: in a bundle, it reports a missing external before `ws` fails with an error of its own.
import { createGameRuntime } from "./game-runtime.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { createCommonParts } from "./common-parts.ts";
import { createDeflating } from "./deflating.ts";
import { createFetch } from "./fetch.ts";
import type { HostFacts } from "./host.ts";
import { serve } from "./serve.ts";

/**
 * Creates everything that Slipway needs of a runtime.
 *
 * @param facts Facts about the machine that differ from what the runtime reports: `cli`, the command line
 * by which an application runs its commands.
 */
export function createRuntime(facts: Partial<HostFacts> = {}): Runtime {
  return {
    ...createCommonParts(facts),
    deflating: createDeflating(),
    fetch: createFetch(),
    gameRuntime: createGameRuntime(),
    listen: serve,
  };
}
