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

/** What a step of the gate came to. */
export interface Outcome {
  /** Tests, cases or, for a plain step, the step itself. */
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly Skip[];
  /** What to show when something failed. */
  readonly output: string;
  /** The tests that failed, by file and title; empty for a step without tests. */
  readonly failures: readonly string[];
  /** The tests that failed beside others and then stood alone, by file and title. */
  readonly unsteady: readonly string[];
  /** What the step consisted of, for the list of the slowest. */
  readonly parts: readonly Timed[];
}

const NOTHING: Outcome = {
  passed: 0,
  failed: 0,
  skipped: [],
  output: "",
  failures: [],
  unsteady: [],
  parts: [],
};

/** A step that stands. */
export function passed(count = 1): Outcome {
  return { ...NOTHING, passed: count };
}

/** A step that fell: `output` says everything that is wrong. */
export function failed(output: string, count = 1): Outcome {
  return { ...NOTHING, failed: count, output };
}

/** A step that cannot run on this machine. */
export function skipped(name: string, reason: string): Outcome {
  return { ...NOTHING, skipped: [{ name, reason }] };
}

/** A check that lists violations: none is a pass. */
export function fromViolations(violations: readonly string[]): Outcome {
  return violations.length === 0 ? passed() : failed(violations.join("\n"));
}

/** Adds up the outcomes of the parts of one step. */
export function sum(outcomes: readonly Outcome[]): Outcome {
  return {
    passed: outcomes.reduce((n, o) => n + o.passed, 0),
    failed: outcomes.reduce((n, o) => n + o.failed, 0),
    skipped: outcomes.flatMap((o) => o.skipped),
    output: outcomes.map((o) => o.output).filter((text) => text !== "").join("\n"),
    failures: outcomes.flatMap((o) => o.failures),
    unsteady: outcomes.flatMap((o) => o.unsteady),
    parts: outcomes.flatMap((o) => o.parts),
  };
}
