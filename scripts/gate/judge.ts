import { stripVTControlCharacters } from "node:util";
import type { Ran } from "./exec.ts";
import { failedTests, pendingTests } from "./hung.ts";
import { readJunit, type TestCase } from "./junit.ts";
import { failed, type Outcome, type Timed } from "./outcome.ts";

// Judges the process of some test files by its exit, its output and its report.

/**
 * Judges a process with tests. It fails as a whole if it did not end, ended with an error that no
 * test reports, or has no tests.
 *
 * @param file The judged file; all of them when absent.
 */
export function judgeTestFile(name: string, ran: Ran, report: string, file?: string): Outcome {
  const cases = readJunit(report).filter((one) => file === undefined || one.file === file);
  if (ran.timedOut) return judgeHungFile(name, ran, cases);
  const those = (status: TestCase["status"]) => cases.filter((one) => one.status === status);
  const nameOf = nameIn(name);
  const broken = whatIsBroken(ran, cases);
  const failures = [
    ...those("failed").map(nameOf),
    ...(broken === null ? [] : [`${name} ${broken}`]),
  ];
  return {
    passed: those("passed").length,
    failed: failures.length,
    skipped: those("skipped")
      .map((one) => ({ name: nameOf(one), reason: one.message || "skipped by the test" })),
    output: failures.length === 0 ? "" : outputOf(name, ran, failures),
    failures,
    flaky: [],
    remembered: [],
    parts: partsOf(name, ran, cases),
  };
}

/** Outcome of a file that was killed: its runner reports later tests as skipped, which they are not. */
function judgeHungFile(name: string, ran: Ran, cases: readonly TestCase[]): Outcome {
  const failures = [
    ...cases.filter((one) => one.status === "failed" && one.message !== INTERRUPTED)
      .map(nameIn(name)),
    `${name} ${whyHung(ran)}`,
  ];
  return {
    ...failed(outputOf(name, ran, failures), failures.length),
    passed: cases.filter((one) => one.status === "passed").length,
    failures,
    parts: [{ name, ms: ran.ms }],
  };
}

/** Deno's message for a test that was running when it was interrupted. */
const INTERRUPTED = "Cancelled";

function nameIn(process: string): (one: TestCase) => string {
  return ({ file, name }) => `${file === "" ? process : file}: ${name}`;
}

/** Failures first: a long output is cut in its middle. */
function outputOf(name: string, { output }: Ran, failures: readonly string[]): string {
  return [`--- ${name}`, ...failures, "", withoutPassed(output).trimEnd()].join("\n");
}

/** Removes output about passed tests, which hides the failures. */
function withoutPassed(output: string): string {
  return output.split("\n")
    .filter((line) => !PASSED.test(stripVTControlCharacters(line)))
    .join("\n");
}

/** Node's line of a test that passed, and Deno's. */
const PASSED = /^\s*✔ |\.\.\. ok\b/;

/** Returns the files, if the report names them (Deno's does), otherwise the process. */
function partsOf(name: string, ran: Ran, cases: readonly TestCase[]): readonly Timed[] {
  const files = new Map<string, number>();
  for (const { file, ms } of cases) files.set(file, (files.get(file) ?? 0) + ms);
  const [only = ""] = files.keys();
  if (files.size <= 1) return [{ name: only === "" ? name : only, ms: ran.ms }];
  return [...files].map(([file, ms]) => ({ name: file === "" ? `others of ${name}` : file, ms }));
}

/** Returns whether a process failed as a whole. */
export function isBroken(ran: Ran, report: string): boolean {
  return whatIsBroken(ran, readJunit(report)) !== null;
}

function whatIsBroken(ran: Ran, cases: readonly TestCase[]): string | null {
  const failures = cases.filter((one) => one.status === "failed").length;
  if (ran.timedOut) return whyHung(ran);
  if (ran.code !== 0 && failures === 0) {
    return `ended with exit code ${ran.code} though no test failed: look for an error outside tests`;
  }
  if (cases.length === 0) return "reported no test: expected at least one";
  return null;
}

function whyHung({ ms, output }: Ran): string {
  const [pending] = pendingTests(output);
  const where = pending === undefined ? "" : ` in "${pending.name}"`;
  return `fell silent${where} and was killed after ${
    Math.round(ms / 1000)
  } s: look for what it awaits, ` +
    "or a timer, server or handle that is left open";
}

/** Returns the seed with which a failure can be reproduced. */
export function seedOf(output: string): string | null {
  return /SLIPWAY_SEED=(\d+)/.exec(output)?.[1] ?? null;
}

/**
 * Judges failed tests by a second run of their files, alone and with the same seed. Tests that then
 * pass are flaky, which is a separate count, because a race looks like a test that only fails next
 * to others.
 */
export function judgeAgain(first: Outcome, again: Outcome): Outcome {
  if (again.failed > 0) return { ...first, output: `${first.output}\n${again.output}` };
  return { ...first, failed: 0, failures: [], flaky: first.failures };
}

/** The tests that failed in a process before another file of it hung, as `tests/x.test.ts: title`. */
export function failedBeside(hung: string, { output }: Ran, report: string): readonly string[] {
  const reported = readJunit(report)
    .filter((one) => one.status === "failed" && one.message !== INTERRUPTED);
  return [...reported, ...failedTests(output)].filter(({ file }) => file !== hung)
    .map(({ file, name }) => `${file}: ${name}`);
}

/**
 * Judges a repeated run after another file hung: a test that failed before and passes now is flaky.
 */
export function judgeOthers(again: Outcome, failedBefore: readonly string[]): Outcome {
  const named = [...again.failures, ...again.flaky];
  // Node's reports name the process in place of the file.
  const isNamed = (test: string) =>
    named.some((name) => name.endsWith(test.slice(test.indexOf(": "))));
  const flaky = failedBefore.filter((test) => !isNamed(test));
  return { ...again, passed: again.passed - flaky.length, flaky: [...again.flaky, ...flaky] };
}
