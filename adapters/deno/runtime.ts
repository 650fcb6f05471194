import type { Runtime } from "../../lib/ports/runtime.ts";
import { createCommonParts } from "../node/common-parts.ts";
import type { HostFacts } from "../node/host.ts";
import { createDeflating } from "./deflating.ts";
import { createFetch } from "./fetch.ts";
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
    listen: serve,
  };
}
