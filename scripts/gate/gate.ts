import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { commandLine } from "../shared/cli.ts";
import { packageRoot } from "../shared/runtime.ts";
import { type Context, createContext } from "./context.ts";
import { createExecutor } from "./exec.ts";
import { type Extent, filesFor } from "./plan.ts";
import { finalReport, partLine, slowest, stepReport, totals } from "./report.ts";
import { type Finished, runSteps, selectSteps, type Step, withoutLong } from "./runner.ts";
import { placesHere, testFiles, testSteps } from "./steps.ts";

/** A run of the gate. */
export interface GateRun {
  readonly usage: string;
  readonly argv: readonly string[];
  /** `quick` becomes `all` with `--all`. */
  readonly extent: Extent;
  readonly steps: (context: Context, extent: Extent) => readonly Step[];
}

/** Minutes that a run may take on two cores of its own; after them it says what takes so long. */
const MINUTES: Readonly<Record<Extent, number>> = { quick: 5, all: 20, soak: 240 };

/**
 * Runs the gate, the check or the soak to its last line; answers the exit code. No clock ends it:
 * a machine may be shared.
 */
export async function runGate(run: GateRun): Promise<number> {
  const line = commandLine(run.argv, {
    usage: run.usage,
    takesWords: true,
    flags: {
      all: { kind: "switch", doc: "also what takes long and varies little" },
      only: { kind: "value", doc: "the same as NAME" },
    },
  });
  if (typeof line === "number") return line;
  const names = [...line.positionals, ...Object.values(line.values)];
  const extent = run.extent === "quick" && line.switches["all"] === true ? "all" : run.extent;
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
  const reminder = setTimeout(() => {
    const running = slowest(finished).map((part) => `\n      ${partLine(part)}`);
    say(
      `note This takes longer than ${MINUTES[extent]} minutes; the slowest so far:${
        running.join("")
      }`,
    );
  }, MINUTES[extent] * 60_000);

  try {
    const context = await createContext(executor, { root: packageRoot(), scratch, places });
    const steps = chosenSteps(context, run.steps(context, extent), { extent, names });
    if (steps.length === 0) {
      say(`No step and no test file has ${names.join(" or ")} in its name`);
      return 2;
    }
    const left = names.length > 0 || extent !== "quick" ? [] : leftOut(context, run);
    if (left.length > 0) say(`Left to --all: ${left.join(", ")}`);
    await runSteps(steps, {
      places,
      tell: (one) => {
        finished.push(one);
        say(stepReport(one));
      },
    });
  } finally {
    clearTimeout(reminder);
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    cleanUp();
  }
  say(finalReport(finished));
  const counts = totals(finished);
  if (json) console.log(JSON.stringify({ ok: counts.failed === 0, ...counts }));
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

/** What the quick run does not run, by name. */
function leftOut(context: Context, { steps }: GateRun): readonly string[] {
  const long = steps(context, "all").filter((step) => step.long === true);
  if (long.length === 0) return [];
  const files = testFiles(context.root);
  const left = (runtime: "deno" | "node") => {
    const [all, quick] = (["all", "quick"] as const)
      .map((extent) => filesFor(files, { extent, runtime }).length);
    return (all ?? 0) - (quick ?? 0);
  };
  return [
    `${left("deno")} test files under Deno`,
    `${left("node")} under Node`,
    ...long.map((step) => step.name),
  ];
}

/** The steps of this run: all of its extent, else those that are named, else named test files. */
function chosenSteps(
  context: Context,
  steps: readonly Step[],
  { extent, names }: { readonly extent: Extent; readonly names: readonly string[] },
): readonly Step[] {
  if (names.length === 0) return extent === "quick" ? withoutLong(steps) : steps;
  const named = selectSteps(steps, names);
  if (named.length > 0 || !steps.some((step) => step.name === "tests under Deno")) return named;
  const files = testFiles(context.root).filter((path) => names.some((name) => path.includes(name)));
  if (files.length === 0) return [];
  const build = steps.filter((step) => step.name === "build");
  // What is asked for by name runs whole, whatever the quick run leaves out.
  return [
    ...build,
    ...testSteps(context, { extent: extent === "quick" ? "all" : extent, files, apart: true }),
  ];
}
