import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { commandLine } from "../shared/cli.ts";
import type { CommandLine, Flags } from "../shared/command-line.ts";
import { packageRoot } from "../shared/runtime.ts";
import { userCacheFolder } from "../shared/user-cache.ts";
import type { Checkout } from "./checkout.ts";
import { type Context, readMachine } from "./context.ts";
import { createExecutor, type Executor } from "./exec.ts";
import { writeGreen } from "./green.ts";
import { readLedger } from "./ledger.ts";
import { makeMemoryFolder } from "./memory-folder.ts";
import { machineFacts, NO_PASSES, openPasses } from "./passes.ts";
import { type Extent, filesFor } from "./plan.ts";
import { exitCode, finalReport, partLine, slowest, stepReport, totals } from "./report.ts";
import {
  type Finished,
  reachedSteps,
  runSteps,
  selectSteps,
  type Step,
  withoutLong,
} from "./runner.ts";
import { readScope, type Scope } from "./scope.ts";
import { placesHere, testFiles, testSteps } from "./steps.ts";
import { keepTimes, readTimes } from "./times.ts";

/** A run of the gate. */
export interface GateRun {
  readonly usage: string;
  readonly argv: readonly string[];
  /** `quick` becomes `all` with `--all`. */
  readonly extent: Extent;
  /** Whether it runs only what a change reaches, and remembers passes: `npm test`. */
  readonly scoped?: boolean;
  readonly steps: (
    context: Context,
    extent: Extent,
  ) => readonly Step[] | Promise<readonly Step[]>;
}

/** Expected minutes of a run on two free cores; a longer run reports its slowest parts. */
const MINUTES: Readonly<Record<Extent, number>> = { quick: 5, all: 20, soak: 240 };

/** Options of a command line. */
interface RunOptions {
  readonly names: readonly string[];
  readonly extent: Extent;
  readonly json: boolean;
  readonly whole: boolean;
  readonly fresh: boolean;
  readonly strict: boolean;
  readonly since?: string;
}

/** The steps to run, and what is remembered of them. */
interface Plan {
  readonly context: Context;
  readonly steps: readonly Step[];
  /** Omitted parts with reasons: lines printed before anything runs. */
  readonly notes: readonly string[];
  /** The checkout, if passing makes it the base of the next run. */
  readonly green: Checkout | null;
}

/**
 * Runs the gate, the check or the soak. It has no time limit, because a machine may be shared.
 *
 * @returns The exit code.
 */
export async function runGate(run: GateRun): Promise<number> {
  const line = commandLine(run.argv, {
    usage: run.usage,
    takesWords: true,
    flags: { ...NAMED, ...(run.scoped === true ? SCOPED : {}) },
  });
  if (typeof line === "number") return line;
  const options = optionsOf(line, run.extent);
  const say = (text: string) => options.json ? console.error(text) : console.log(text);
  const executor = createExecutor(placesHere(availableParallelism()));
  const scratch = mkdtempSync(join(tmpdir(), "slipway-gate-"));
  const memory = makeMemoryFolder();
  const cleanUp = () => {
    executor.killAll();
    for (const folder of [scratch, memory ?? scratch]) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  };
  const interrupt = () => {
    cleanUp();
    process.exit(130);
  };
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  try {
    const plan = await makePlan(run, options, { executor, scratch, memory });
    if (typeof plan === "string") {
      say(plan);
      return 2;
    }
    for (const note of plan.notes) say(note);
    const finished = await runPlan(plan, { extent: options.extent, say });
    // The soak's long settings say nothing about durations in the gate.
    if (options.extent !== "soak") {
      keepTimes(timesPath(), finished.flatMap(({ outcome }) => outcome.parts));
    }
    const code = exitCode(totals(finished), options);
    if (code === 0 && plan.green !== null) {
      writeGreen(plan.context.cache, { at: new Date().toISOString(), checkout: plan.green });
    }
    say(finalReport(finished, readLedger(plan.context.root)));
    if (options.json) console.log(JSON.stringify({ ok: code === 0, ...totals(finished) }));
    return code;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    cleanUp();
  }
}

const NAMED: Flags = { only: { kind: "value", doc: "the same as NAME" } };
const SCOPED: Flags = {
  all: { kind: "switch", doc: "also what takes long and varies little" },
  whole: { kind: "switch", doc: "all of the quick gate, whatever has changed" },
  since: { kind: "value", doc: "what has changed since REV, not since the last green run" },
  fresh: { kind: "switch", doc: "with --all: also what passed here with the same inputs" },
  strict: { kind: "switch", doc: "fail when any test was flaky" },
};

function optionsOf({ positionals, values, switches }: CommandLine, extent: Extent): RunOptions {
  const { only, since } = values;
  return {
    names: [...positionals, ...(only === undefined ? [] : [only])],
    extent: extent === "quick" && switches["all"] === true ? "all" : extent,
    json: switches["json"] === true,
    whole: switches["whole"] === true,
    // Changes that land are not judged by this machine's memory.
    fresh: switches["fresh"] === true || process.env["CI"] !== undefined,
    strict: switches["strict"] === true,
    ...(since === undefined ? {} : { since }),
  };
}

/** Returns the contradiction in a command line; `null` if there is none. */
function contradiction({ since, whole, extent, names }: RunOptions): string | null {
  if (since === undefined || (!whole && extent !== "all" && names.length === 0)) return null;
  return "--since runs what has changed, and --all, --whole and names run the same whatever has " +
    "changed: give one of them";
}

/** Decides what to run. @returns A sentence if nothing can run. */
async function makePlan(
  run: GateRun,
  options: RunOptions,
  { executor, ...folders }: {
    readonly executor: Executor;
    readonly scratch: string;
    readonly memory: string | null;
  },
): Promise<Plan | string> {
  const places = placesHere(availableParallelism());
  const machine = await readMachine(executor, { root: packageRoot(), places, ...folders });
  const { names, extent } = options;
  const wrong = contradiction(options);
  if (wrong !== null) return wrong;
  const times = readTimes(timesPath());
  if (run.scoped !== true) {
    const context = { ...machine, times, passes: NO_PASSES, reach: null };
    const steps = await run.steps(context, extent);
    const chosen = names.length === 0 ? steps : selectSteps(steps, names);
    return chosen.length === 0
      ? nothingNamed(names)
      : { context, steps: chosen, notes: [], green: null };
  }
  const isWhole = options.whole || extent === "all" || names.length > 0;
  const scope = await readScope(machine, { ...options, whole: isWhole });
  if (typeof scope === "string") return scope;
  const passes = openPasses({
    folder: join(userCacheFolder(), "passes"),
    recalls: extent === "all" && !options.fresh && names.length === 0,
    machine: machineFacts(machine),
    ...scope,
  });
  const context = { ...machine, times, passes, reach: scope.reach };
  const all = await run.steps(context, extent);
  if (names.length > 0) {
    const steps = namedSteps(context, all, options);
    return steps.length === 0 ? nothingNamed(names) : { context, steps, notes: [], green: null };
  }
  const steps = extent === "all"
    ? all
    : scope.reach === null
    ? withoutLong(all)
    : withoutLong(reachedSteps(all, scope.reach));
  const notes = extent === "all" ? [] : quickNotes(context, steps, scope);
  // Passing since a revision says nothing about faults before it.
  return { context, steps, notes, green: options.since === undefined ? scope.checkout : null };
}

async function runPlan(
  { context, steps }: Plan,
  { extent, say }: { readonly extent: Extent; readonly say: (text: string) => void },
): Promise<readonly Finished[]> {
  const finished: Finished[] = [];
  const reminder = setTimeout(() => {
    const running = slowest(finished).map((part) => `\n      ${partLine(part)}`).join("");
    say(`note This takes longer than ${MINUTES[extent]} minutes; the slowest so far:${running}`);
  }, MINUTES[extent] * 60_000);
  try {
    await runSteps(steps, {
      places: context.places,
      passes: context.passes,
      tell: (one) => {
        finished.push(one);
        say(stepReport(one));
      },
    });
  } finally {
    clearTimeout(reminder);
  }
  return finished;
}

function nothingNamed(names: readonly string[]): string {
  return `Found no step and no test file with ${names.join(" or ")} in its name`;
}

/** Times are of the machine: a clean clone is ordered by them too. */
function timesPath(): string {
  return join(userCacheFolder(), "test-times.json");
}

/** Returns what a quick run omits, with reasons. */
function quickNotes(
  context: Context,
  steps: readonly Step[],
  { reach, base }: Scope,
): readonly string[] {
  const files = testFiles(context.root);
  const count = (runtime: "deno" | "node") =>
    filesFor(files, { extent: "quick", runtime, reach }).length;
  const of = (runtime: "deno" | "node") => filesFor(files, { extent: "all", runtime }).length;
  const running = `${count("deno")} of ${of("deno")} test files under Deno, ` +
    `${count("node")} of ${of("node")} under Node`;
  if (reach === null) return [`The whole quick gate: ${running}; --all runs the others too`];
  const unreached = reach.unreached();
  return [
    `Changed since ${base}: ${reach.changes} files, which reach ${running}, ${steps.length} steps`,
    ...(unreached.length === 0
      ? []
      : [`Reached by none of them, perhaps by --all: ${unreached.join(", ")}`]),
  ];
}

/** Returns the named steps, otherwise test files. Named ones run completely. */
function namedSteps(
  context: Context,
  steps: readonly Step[],
  { extent, names }: Pick<RunOptions, "extent" | "names">,
): readonly Step[] {
  const named = selectSteps(steps, names);
  if (named.length > 0) return named;
  const files = testFiles(context.root).filter((path) => names.some((name) => path.includes(name)));
  if (files.length === 0) return [];
  const build = steps.filter((step) => step.name === "build");
  return [
    ...build,
    ...testSteps(context, { extent: extent === "quick" ? "all" : extent, files, apart: true }),
  ];
}
