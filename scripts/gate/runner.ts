import { messageOf } from "../../lib/core/result.ts";
import { failed, type Outcome, skipped } from "./outcome.ts";

/** One step of the gate. */
export interface Step {
  readonly name: string;
  /** Steps whose result this one needs; when one of them did not pass, this one is skipped. */
  readonly after?: readonly string[];
  /** Part of `npm run check`: what is looked at without running anything of the product. */
  readonly check?: true;
  /** Takes long and varies little: only with `--all`. */
  readonly long?: true;
  readonly run: () => Outcome | Promise<Outcome>;
}

/** A step that is over. */
export interface Finished {
  readonly name: string;
  readonly outcome: Outcome;
  readonly ms: number;
}

/**
 * Runs steps, at most `places` at a time, in their order as far as `after` allows.
 *
 * @param tell Is called with each step as it ends.
 */
export async function runSteps(
  steps: readonly Step[],
  { places, tell }: { readonly places: number; readonly tell: (finished: Finished) => void },
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
    const outcome = await attempt(step, finished);
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

async function attempt(step: Step, finished: ReadonlyMap<string, Finished>): Promise<Outcome> {
  const missing = (step.after ?? []).find((name) => {
    const outcome = finished.get(name)?.outcome;
    return outcome === undefined || outcome.failed > 0 || outcome.passed === 0;
  });
  if (missing !== undefined) return skipped(step.name, `"${missing}" did not pass`);
  try {
    return await step.run();
  } catch (thrown) {
    const trace = thrown instanceof Error ? thrown.stack : undefined;
    return failed(`The step itself broke: ${trace ?? messageOf(thrown)}`);
  }
}

/** The steps whose name contains one of `names`, and those that they need. */
export function selectSteps(steps: readonly Step[], names: readonly string[]): readonly Step[] {
  const chosen = new Set(
    steps.map((step) => step.name).filter((name) => names.some((part) => name.includes(part))),
  );
  for (const name of chosen) {
    for (const needed of steps.find((step) => step.name === name)?.after ?? []) chosen.add(needed);
  }
  return steps.filter((step) => chosen.has(step.name));
}

/** The steps of the quick run. */
export function withoutLong(steps: readonly Step[]): readonly Step[] {
  return steps.filter((step) => step.long !== true);
}
