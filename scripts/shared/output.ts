import process from "node:process";
import type { Failure } from "../../lib/core/result.ts";
import { printFailure } from "./cli.ts";
import type { CommandLine } from "./command-line.ts";
import { columnsOf, isRewritable } from "./columns.ts";
import {
  createProgressLine,
  createProgressLog,
  type ProgressDependencies,
  stepText,
} from "./progress-line.ts";
import { terminalText } from "./terminal-text.ts";

/** Output of a script: for people, or with `--json` for programs (CLI-1). */
export interface Output {
  /** The result: one JSON object on stdout, or its text. */
  result(value: object, text: string): void;
  /** Prints advice in addition to the result; not for programs. */
  advice(text: string): void;
  /** A step that begins. */
  step(name: string): void;
  /** Prints a line of the work's own output. */
  log(line: string): void;
  /**
   * Shows the progress of the running step, with its speed and the remaining time once known: one
   * line that is rewritten on a terminal, an occasional line elsewhere.
   *
   * @param total 0 if unknown.
   * @param unit `bytes` when absent.
   */
  progress(done: number, total: number, unit?: string, part?: ProgressPart): void;
  /** Prints a warning, which does not stop the work. */
  warning(warning: Failure): void;
  /** Prints a failure in addition to a result: an event, for programs. */
  problem(failure: Failure): void;
  /** A failure in words. @returns The exit code: see {@linkcode printFailure}. */
  failure(failure: Failure): 1 | 2;
}

/** The part to which a progress refers, if a step has several. */
export interface ProgressPart {
  readonly name: string;
  /** Whether it is a transfer: then a stall is reported. */
  readonly isTransfer: boolean;
}

const WHOLE_STEP: ProgressPart = { name: "", isTransfer: true };

/** Minimum interval of progress events for programs, in milliseconds. */
const JSON_MS = 1_000;

const REAL_TIME: ProgressDependencies = { now: () => performance.now(), every };

/** Chooses how a script speaks. */
export function createOutput(
  { switches }: Pick<CommandLine, "switches">,
  dependencies: ProgressDependencies = REAL_TIME,
): Output {
  return switches["json"] === true ? jsonOutput(dependencies) : textOutput(dependencies);
}

function jsonOutput(dependencies: ProgressDependencies): Output {
  const tell = (event: object) => console.error(JSON.stringify(event));
  const steps = createProgressLog(dependencies, ({ name, isTransfer, ...step }, pace) => {
    const { perSecond, secondsLeft, stalledSeconds } = pace;
    const isBytes = step.unit === "bytes";
    tell({
      event: "progress",
      ...(name !== "" && { label: name }),
      ...step,
      ...(perSecond !== undefined && isBytes && { bytesPerSecond: Math.round(perSecond) }),
      ...(secondsLeft !== undefined && isBytes && { secondsLeft: Math.round(secondsLeft) }),
      ...(stalledSeconds !== undefined && isTransfer && { stalledSeconds }),
    });
  }, { paceMs: JSON_MS });
  return {
    result(value) {
      steps.end();
      console.log(JSON.stringify(value));
    },
    advice: () => undefined,
    step(name) {
      steps.end();
      tell({ event: "step", name });
    },
    log: (line) => tell({ event: "log", line }),
    progress: (done, total, unit = "bytes", part = WHOLE_STEP) =>
      steps.show({ ...part, done, total, unit }),
    warning: (warning) => tell({ event: "warning", ...warning }),
    problem: (failure) => tell({ event: "problem", ...failure }),
    failure(failure) {
      steps.end();
      return printFailure(failure);
    },
  };
}

function textOutput(dependencies: ProgressDependencies): Output {
  const { stderr } = process;
  const terminal = createProgressLine({
    ...dependencies,
    write: (text) => void stderr.write(text),
    columns: () => columnsOf(stderr) ?? 80,
  });
  const log = (text: string) => console.error(terminalText(text));
  const pipe = createProgressLog(dependencies, (step, pace) => log(`  ${stepText(step, pace)}`));
  const steps = isRewritable(stderr, process.env) ? terminal : { ...pipe, log };
  return {
    result(_value, text) {
      steps.end();
      console.log(terminalText(text));
    },
    advice: log,
    step(name) {
      steps.end();
      log(`· ${name}`);
    },
    log: (line) => steps.log(terminalText(line)),
    progress: (done, total, unit = "bytes", part = WHOLE_STEP) =>
      steps.show({ ...part, done, total, unit }),
    warning({ message, next }) {
      const more = next === undefined ? "" : `\n  next: ${next}`;
      steps.log(terminalText(`warning: ${message}${more}`));
    },
    problem: printFailure,
    failure(failure) {
      steps.end();
      return printFailure(failure);
    },
  };
}

/** Calls repeatedly, without keeping an otherwise idle process alive. */
function every(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms);
  timer.unref();
  return () => clearInterval(timer);
}
