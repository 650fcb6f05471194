// The long races and faults: `npm run soak`. Tests with long settings (tests/support/rounds.ts), run with
// SLIPWAY_SOAK=1, and the files tests/**/*.soak.ts, in parts: scripts/gate/soak.ts.

import { runScript } from "./shared/cli.ts";
import { runGate } from "./gate/gate.ts";
import { soakSteps } from "./gate/soak.ts";

await runScript((argv) =>
  runGate({
    usage: "npm run soak -- [NAME…] [--json] : the parts named so, else all of them",
    argv,
    extent: "soak",
    steps: soakSteps,
  })
);
