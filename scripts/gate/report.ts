import { type FlakyRow, missingRows } from "./ledger.ts";
import type { Outcome, Skip, Timed } from "./outcome.ts";
import type { Extent } from "./plan.ts";
import type { Finished } from "./runner.ts";

const SHOWN_LINES = 300;
const SLOWEST = 10;

/** Returns the line of a finished step and, after a failure, its output. */
export function stepReport({ name, outcome, ms }: Finished): string {
  const verdict = outcome.failed > 0
    ? "FAIL"
    : outcome.passed > 0
    ? "ok"
    : outcome.remembered.length > 0
    ? "same"
    : "skip";
  const counts = [
    outcome.passed > 1 ? `${outcome.passed} passed` : "",
    outcome.failed > 0 ? `${outcome.failed} failed` : "",
    outcome.skipped.length > 0 ? `${outcome.skipped.length} skipped` : "",
    outcome.flaky.length > 0 ? `${outcome.flaky.length} flaky` : "",
    outcome.remembered.length > 0 ? `${outcome.remembered.length} parts remembered` : "",
  ].filter((text) => text !== "");
  const line = `${verdict.padEnd(5)}${name.padEnd(26)}${seconds(ms)}  ${counts.join(", ")}`
    .trimEnd();
  return outcome.failed + outcome.flaky.length > 0
    ? `${line}\n${indent(bounded(outcome.output))}`
    : line;
}

/**
 * Returns the end of a report: skips, the slowest parts, failures by name, flaky tests, the counts.
 */
export function finalReport(
  finished: readonly Finished[],
  ledger: readonly FlakyRow[] = [],
): string {
  const flaky = finished.flatMap(({ outcome }) => outcome.flaky);
  const skips = finished.flatMap((one) => one.outcome.skipped);
  const failures = finished
    .filter(({ outcome }) => outcome.failed > 0)
    .flatMap(({ name, outcome }) => [name, ...outcome.failures.map((each) => `  ${each}`)]);
  return [
    ...section("Skipped:", skips.map((skip: Skip) => `  ${skip.name}: ${skip.reason}`)),
    ...section("Time by area:", byArea(finished).map((part) => `  ${partLine(part)}`)),
    ...section("Slowest:", slowest(finished).map((part) => `  ${partLine(part)}`)),
    ...section(
      "Flaky and not in tests/FLAKY.md yet: find the cause, add a row:",
      missingRows(flaky, ledger).map((name) => `  ${name}`),
    ),
    ...section("Failed:", failures.map((name) => `  ${name}`)),
    "",
    ...lastLines(finished),
  ].join("\n");
}

/** Formats the duration and name of a part. */
export function partLine({ name, ms }: Timed): string {
  return `${seconds(ms)}  ${name}`;
}

/** Returns what was not run, what is flaky, and as the last line the counts. */
function lastLines(finished: readonly Finished[]): readonly string[] {
  const counts = totals(finished);
  const flaky = finished.flatMap((one) => one.outcome.flaky);
  return [
    ...(counts.remembered === 0
      ? []
      : [`${counts.remembered} parts passed here before with the same inputs (--fresh runs them)`]),
    ...(flaky.length === 0 ? [] : [`${flaky.length} flaky: ${flaky.join("; ")}`]),
    `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
  ];
}

/** The counts of the whole gate. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Tests that failed next to others and then passed alone. */
  readonly flaky: number;
  /** Parts that were not run: they passed on this machine with the same inputs. */
  readonly remembered: number;
}

/** Adds up all steps. */
export function totals(finished: readonly Finished[]): Totals {
  const add = (count: (outcome: Outcome) => number) =>
    finished.reduce((n, one) => n + count(one.outcome), 0);
  return {
    passed: add((outcome) => outcome.passed),
    failed: add((outcome) => outcome.failed),
    skipped: add((outcome) => outcome.skipped.length),
    flaky: add((outcome) => outcome.flaky.length),
    remembered: add((outcome) => outcome.remembered.length),
  };
}

/** Flaky tests that `--all` forgives. */
const FORGIVEN = 3;

/** Returns the exit code of a run: 1 if any test failed, none passed, or too many were flaky. */
export function exitCode(
  { passed, failed, flaky, remembered }: Totals,
  { extent, strict }: { readonly extent: Extent; readonly strict: boolean },
): 0 | 1 {
  const isForgiven = flaky === 0 || (!strict && (extent !== "all" || flaky <= FORGIVEN));
  return failed === 0 && passed + remembered > 0 && isForgiven ? 0 : 1;
}

/** The parts that took longest: files of a step that has them, else the step. */
export function slowest(finished: readonly Finished[]): readonly Timed[] {
  return finished
    .flatMap((one) => one.outcome.parts.length > 0 ? one.outcome.parts : [one])
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST);
}

/** Sums the time of a run: of test files by folder and runtime, of other steps by name; the largest first. */
export function byArea(finished: readonly Finished[]): readonly Timed[] {
  const areas = new Map<string, number>();
  for (const { name, outcome, ms } of finished) {
    for (const part of outcome.parts.length > 0 ? outcome.parts : [{ name, ms }]) {
      const [, folder] = /^(tests\/[\w-]+)/.exec(part.name) ?? [];
      const area = folder === undefined ? part.name : `${folder}, ${name}`;
      areas.set(area, (areas.get(area) ?? 0) + part.ms);
    }
  }
  return [...areas].map(([name, ms]) => ({ name, ms })).toSorted((a, b) => b.ms - a.ms)
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
