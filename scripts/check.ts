// The moment before a commit: `npm run check`. Format, lint, types, arrows, rules; no tests.

import { runScript } from "./shared/cli.ts";
import { runGate } from "./gate/gate.ts";
import { checkSteps } from "./gate/steps.ts";

await runScript((argv) =>
  runGate({
    usage: "npm run check -- [NAME…] [--json] : the steps of the gate that run nothing",
    argv,
    extent: "quick",
    steps: checkSteps,
  })
);
