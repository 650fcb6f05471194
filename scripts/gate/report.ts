import type { Outcome, Skip, Timed } from "./outcome.ts";
import type { Finished } from "./runner.ts";

const SHOWN_LINES = 300;
const SLOWEST = 10;

/** The line that a step leaves, and, when something failed, what it said. */
export function stepReport({ name, outcome, ms }: Finished): string {
  const verdict = outcome.failed > 0 ? "FAIL" : outcome.passed > 0 ? "ok" : "skip";
  const counts = [
    outcome.passed > 1 ? `${outcome.passed} passed` : "",
    outcome.failed > 0 ? `${outcome.failed} failed` : "",
    outcome.skipped.length > 0 ? `${outcome.skipped.length} skipped` : "",
    outcome.unsteady.length > 0 ? `${outcome.unsteady.length} unsteady` : "",
  ].filter((text) => text !== "");
  const line = `${verdict.padEnd(5)}${name.padEnd(26)}${seconds(ms)}  ${counts.join(", ")}`
    .trimEnd();
  return outcome.failed + outcome.unsteady.length > 0
    ? `${line}\n${indent(bounded(outcome.output))}`
    : line;
}

/** What stands at the end: skips, the slowest parts, what is unsteady, failures by name, the count. */
export function finalReport(finished: readonly Finished[]): string {
  const skips = finished.flatMap((one) => one.outcome.skipped);
  const failures = finished
    .filter(({ outcome }) => outcome.failed > 0)
    .flatMap(({ name, outcome }) => [name, ...outcome.failures.map((each) => `  ${each}`)]);
  return [
    ...section("Skipped:", skips.map((skip: Skip) => `  ${skip.name}: ${skip.reason}`)),
    ...section("Slowest:", slowest(finished).map((part) => `  ${partLine(part)}`)),
    ...section(
      "Unsteady (failed beside others, stood alone):",
      finished.flatMap((one) => one.outcome.unsteady.map((each) => `  ${each}`)),
    ),
    ...section("Failed:", failures.map((name) => `  ${name}`)),
    "",
    countLine(totals(finished)),
  ].join("\n");
}

/** How long a part took, and which it is. */
export function partLine({ name, ms }: Timed): string {
  return `${seconds(ms)}  ${name}`;
}

/** The gate's last line. */
function countLine(counts: Totals): string {
  return `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
}

/** The counts of the whole gate. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Adds up all steps. */
export function totals(finished: readonly Finished[]): Totals {
  const add = (count: (outcome: Outcome) => number) =>
    finished.reduce((n, one) => n + count(one.outcome), 0);
  return {
    passed: add((outcome) => outcome.passed),
    failed: add((outcome) => outcome.failed),
    skipped: add((outcome) => outcome.skipped.length),
  };
}

/** The parts that took longest: files of a step that has them, else the step. */
export function slowest(finished: readonly Finished[]): readonly Timed[] {
  return finished
    .flatMap((one) => one.outcome.parts.length > 0 ? one.outcome.parts : [one])
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST);
}

/** The head and the tail of a long text. */
export function bounded(text: string, lines: number = SHOWN_LINES): string {
  const all = text.split("\n");
  if (all.length <= lines) return text;
  const half = Math.floor(lines / 2);
  const left = all.length - 2 * half;
  return [...all.slice(0, half), `… ${left} lines left out …`, ...all.slice(-half)].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1).padStart(6)} s`;
}

function indent(text: string): string {
  return text.split("\n").map((line) => `    ${line}`.trimEnd()).join("\n");
}
