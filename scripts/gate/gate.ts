import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { commandLine } from "../cli.ts";
import { packageRoot } from "../runtime.ts";
import { type Context, createContext } from "./context.ts";
import { createExecutor } from "./exec.ts";
import { countLine, finalReport, stepReport, totals } from "./report.ts";
import { type Finished, runSteps, selectSteps, type Step } from "./runner.ts";
import { placesHere, testFiles, testSteps } from "./steps.ts";

/** A run of the gate. */
export interface GateRun {
  readonly usage: string;
  readonly argv: readonly string[];
  readonly soak: boolean;
  /** Milliseconds after which everything is stopped. */
  readonly deadlineMs: number;
  readonly steps: (context: Context) => readonly Step[];
}

/** Runs the gate (or the soak) to its last line; answers the exit code. */
export async function runGate(run: GateRun): Promise<number> {
  const line = commandLine(run.argv, {
    usage: run.usage,
    flags: {
      only: { kind: "value", doc: "only the steps, else the test files, whose name contains this" },
    },
  });
  if (typeof line === "number") return line;
  const json = line.switches["json"] === true;
  const say = (text: string) => json ? console.error(text) : console.log(text);

  const places = placesHere(availableParallelism());
  const executor = createExecutor(places);
  const scratch = mkdtempSync(join(tmpdir(), "slipway-gate-"));
  const cleanUp = () => {
    executor.killAll();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  };
  const finished: Finished[] = [];
  const stop = (exitCode: number) => {
    cleanUp();
    process.exit(exitCode);
  };
  const interrupt = () => stop(130);
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const deadline = setTimeout(() => {
    say(`FAIL The gate did not end within ${run.deadlineMs / 60_000} minutes`);
    const counts = totals(finished);
    say(countLine({ ...counts, failed: counts.failed + 1 }));
    stop(1);
  }, run.deadlineMs);

  try {
    const context = await createContext(executor, { root: packageRoot(), scratch, places });
    const steps = chosenSteps(context, run, line.values["only"]);
    if (steps.length === 0) {
      say(`No step and no test file has ${JSON.stringify(line.values["only"])} in its name`);
      return 2;
    }
    await runSteps(steps, {
      places,
      tell: (one) => {
        finished.push(one);
        say(stepReport(one));
      },
    });
  } finally {
    clearTimeout(deadline);
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    cleanUp();
  }
  say(finalReport(finished));
  const counts = totals(finished);
  if (json) console.log(JSON.stringify({ ok: counts.failed === 0, ...counts }));
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

function chosenSteps(context: Context, run: GateRun, only: string | undefined): readonly Step[] {
  const steps = run.steps(context);
  if (only === undefined) return steps;
  const named = selectSteps(steps, only);
  if (named.length > 0) return named;
  const files = testFiles(context.root).filter((path) => path.includes(only));
  if (files.length === 0) return [];
  const build = steps.filter((step) => step.name === "build");
  return [...build, ...testSteps(context, { soak: run.soak, files })];
}
