#!/usr/bin/env node
import { messageOf } from "../lib/core/result.ts";
import { commandLine, printFailure, runScript } from "./shared/cli.ts";
import { replayBoot } from "./replay/boot.ts";
import { replayCases } from "./replay/cases.ts";
import { readScenarios, type Scenario, UnreadableVector } from "./replay/scenario.ts";

// Replays vectors with the TypeScript core (CLI-3).

await runScript(async (argv) => {
  const line = commandLine(argv, {
    usage: "slipway-replay-vectors PATH… : replays the vectors in files and folders",
    flags: {},
    takesWords: true,
  });
  if (typeof line === "number") return line;
  if (line.positionals.length === 0) {
    const message = "No path is given: expected files or folders of vectors";
    return printFailure({ code: "usage", message, next: "Name the folder vectors, for example" });
  }
  let passed = 0;
  let failed = 0;
  try {
    for (const scenario of line.positionals.flatMap(readScenarios)) {
      const outcome = await replay(scenario);
      console.log(JSON.stringify({ id: scenario.id, ok: outcome.ok, steps: outcome.steps }));
      if (outcome.ok) passed++;
      else failed++;
    }
  } catch (thrown) {
    if (!(thrown instanceof UnreadableVector)) throw thrown;
    return printFailure({ code: "usage", message: messageOf(thrown) });
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
});

async function replay({ file, id, kind, steps }: Scenario) {
  try {
    return kind === "boot" ? replayBoot(steps) : await replayCases(kind, steps);
  } catch (thrown) {
    if (!(thrown instanceof UnreadableVector)) throw thrown;
    throw new UnreadableVector(`Cannot read ${file}, ${id}: ${thrown.message}`);
  }
}
