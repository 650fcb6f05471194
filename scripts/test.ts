// The gate: `npm test` or `deno task test`. Its last line is "N passed, N failed, N skipped".

import { runScript } from "./shared/cli.ts";
import { runGate } from "./gate/gate.ts";
import { gateSteps } from "./gate/steps.ts";

await runScript((argv) =>
  runGate({
    usage:
      "npm test -- [NAME…] [--all] [flags] : what has changed, all of it, or the steps, else the test files, named so",
    argv,
    extent: "quick",
    scoped: true,
    steps: gateSteps,
  })
);
