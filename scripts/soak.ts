// The long races and faults: `npm run soak`. The tests with SLIPWAY_SOAK=1 (tests/support/rounds.ts)
// and the files tests/**/*.soak.ts, under Deno and under Node.

import { runScript } from "./shared/cli.ts";
import { runGate } from "./gate/gate.ts";
import { soakSteps } from "./gate/steps.ts";

await runScript((argv) =>
  runGate({
    usage: "npm run soak -- [NAME…] [--json]",
    argv,
    extent: "soak",
    steps: soakSteps,
  })
);
