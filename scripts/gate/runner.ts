import { messageOf } from "../../lib/core/result.ts";
import { failed, type Outcome, skipped } from "./outcome.ts";
import { NO_PASSES, type Passes } from "./passes.ts";
import type { Reach } from "./reach.ts";

/** A step of the gate. */
export interface Step {
  readonly name: string;
  /** Steps whose results it needs; it is skipped if one of them did not pass. */
  readonly after?: readonly string[];
  /** Part of `npm run check`: examined without running anything of the product. */
  readonly check?: true;
  /** Takes long and varies little: only with `--all`. */
  readonly long?: true;
  /**
   * Files and folders of the checkout that determine its result. A change that reaches none of them
   * omits the step; without this, a change alone never runs it.
   */
  readonly inputs?: readonly string[];
  /** Whether it creates what others need (`dist/`, a store): such a step always runs. */
  readonly produces?: true;
  /** Whether it remembers passes itself, part by part. */
  readonly keepsParts?: true;
  readonly run: () => Outcome | Promise<Outcome>;
}

/** A step that has ended. */
export interface Finished {
  readonly name: string;
  readonly outcome: Outcome;
  readonly ms: number;
}

/**
 * Runs steps, at most `places` at a time, in order as `after` allows. A step that passed on this
 * machine with the same inputs is not run again.
 *
 * @param tell Called with each step as it ends.
 */
export async function runSteps(
  steps: readonly Step[],
  { places, tell, passes = NO_PASSES }: {
    readonly places: number;
    readonly tell: (finished: Finished) => void;
    readonly passes?: Passes;
  },
): Promise<readonly Finished[]> {
  const finished = new Map<string, Finished>();
  const pending = [...steps];
  const running = new Map<string, Promise<void>>();

  const finish = (name: string, outcome: Outcome, ms: number) => {
    const one = { name, outcome, ms };
    finished.set(name, one);
    tell(one);
  };
  const launch = async (step: Step) => {
    const started = performance.now();
    const outcome = await attempt(step, finished, passes);
    running.delete(step.name);
    finish(step.name, outcome, performance.now() - started);
  };
  while (pending.length > 0 || running.size > 0) {
    const ready = pending.findIndex((step) =>
      (step.after ?? []).every((name) => finished.has(name) || !steps.some((s) => s.name === name))
    );
    if (ready >= 0 && running.size < places) {
      const [step] = pending.splice(ready, 1);
      if (step !== undefined) running.set(step.name, launch(step));
    } else if (running.size > 0) {
      await Promise.race(running.values());
    } else {
      throw new Error(`Steps wait for each other: ${pending.map((step) => step.name).join(", ")}`);
    }
  }
  return [...finished.values()];
}

async function attempt(
  step: Step,
  finished: ReadonlyMap<string, Finished>,
  passes: Passes,
): Promise<Outcome> {
  const missing = (step.after ?? []).find((name) => {
    const outcome = finished.get(name)?.outcome;
    return outcome === undefined || outcome.failed > 0 ||
      outcome.passed + outcome.remembered.length === 0;
  });
  if (missing !== undefined) return skipped(step.name, `"${missing}" did not pass`);
  const isKept = step.keepsParts !== true && step.produces !== true;
  const recalled = isKept ? passes.recall(step) : null;
  if (recalled !== null) return recalled;
  try {
    const outcome = await step.run();
    if (isKept) passes.keep(step, outcome);
    return outcome;
  } catch (thrown) {
    const trace = thrown instanceof Error ? thrown.stack : undefined;
    return failed(`The step itself broke: ${trace ?? messageOf(thrown)}`);
  }
}

/** Returns the steps whose name contains one of `names`, and their prerequisites. */
export function selectSteps(steps: readonly Step[], names: readonly string[]): readonly Step[] {
  const named = steps.map((step) => step.name)
    .filter((name) => names.some((part) => name.includes(part)));
  return withNeeds(steps, named);
}

function withNeeds(steps: readonly Step[], names: readonly string[]): readonly Step[] {
  const chosen = new Set(names);
  for (const name of chosen) {
    for (const needed of steps.find((step) => step.name === name)?.after ?? []) chosen.add(needed);
  }
  return steps.filter((step) => chosen.has(step.name));
}

/** The steps of the quick run. */
export function withoutLong(steps: readonly Step[]): readonly Step[] {
  return steps.filter((step) => step.long !== true);
}

/**
 * Returns the steps that a change reaches, the checks of `npm run check`, and their prerequisites.
 */
export function reachedSteps(steps: readonly Step[], reach: Reach): readonly Step[] {
  const chosen = steps
    .filter(({ check, inputs = [] }) => reach.reaches(inputs) || check === true)
    .map((step) => step.name);
  return withNeeds(steps, chosen);
}
