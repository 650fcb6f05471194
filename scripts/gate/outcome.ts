/** Something that took time: a test file, a command. */
export interface Timed {
  readonly name: string;
  readonly ms: number;
}

/** A part that could not run here, by name, and why. */
export interface Skip {
  readonly name: string;
  readonly reason: string;
}

/** Result of a step of the gate. */
export interface Outcome {
  /** Tests, cases or, for a plain step, the step itself. */
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skip[];
  /** Output to show after a failure. */
  readonly output: string;
  /** The tests that failed, by file and title; empty for a step without tests. */
  readonly failures: readonly string[];
  /** Tests that failed next to others and then passed alone, by file and title; not among `passed`. */
  readonly flaky: readonly string[];
  /** Parts that were not run: they passed on this machine with the same inputs. */
  readonly remembered: readonly string[];
  /** The parts of the step, for the list of the slowest. */
  readonly parts: readonly Timed[];
}

const NOTHING: Outcome = {
  passed: 0,
  failed: 0,
  skipped: [],
  output: "",
  failures: [],
  flaky: [],
  remembered: [],
  parts: [],
};

/** A step that passed. */
export function passed(count = 1): Outcome {
  return { ...NOTHING, passed: count };
}

/** Creates a failed result: `output` lists all faults. */
export function failed(output: string, count = 1): Outcome {
  return { ...NOTHING, failed: count, output };
}

/** A step that cannot run on this machine. */
export function skipped(name: string, reason: string): Outcome {
  return { ...NOTHING, skipped: [{ name, reason }] };
}

/** A part that is not run again. */
export function remembered(name: string, skips: readonly Skip[]): Outcome {
  return { ...NOTHING, remembered: [name], skipped: skips };
}

/** A check that lists violations: without any, it passes. */
export function fromViolations(violations: readonly string[]): Outcome {
  return violations.length === 0 ? passed() : failed(violations.join("\n"));
}

/** Adds up the outcomes of the parts of one step. */
export function sum(outcomes: readonly Outcome[]): Outcome {
  return {
    passed: outcomes.reduce((n, o) => n + o.passed, 0),
    failed: outcomes.reduce((n, o) => n + o.failed, 0),
    skipped: withoutTwins(outcomes.flatMap((o) => o.skipped)),
    output: outcomes.map((o) => o.output).filter((text) => text !== "").join("\n"),
    failures: outcomes.flatMap((o) => o.failures),
    flaky: outcomes.flatMap((o) => o.flaky),
    remembered: outcomes.flatMap((o) => o.remembered),
    parts: outcomes.flatMap((o) => o.parts),
  };
}

/** Returns the skips without repetitions: files that shared a process have the same ones. */
function withoutTwins(skips: readonly Skip[]): readonly Skip[] {
  return [...new Map(skips.map((skip) => [`${skip.name}\n${skip.reason}`, skip])).values()];
}
