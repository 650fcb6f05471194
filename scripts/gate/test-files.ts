import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Context } from "./context.ts";
import type { Ran } from "./exec.ts";
import { readJunit } from "./junit.ts";
import { failed, type Outcome, sum } from "./outcome.ts";

/** How the test files run. */
export interface TestRun {
  readonly runtime: "deno" | "node";
  /** Paths below the checkout, `tests/…/x.test.ts`. */
  readonly files: readonly string[];
  /** Milliseconds after which a file is killed and counts as failed. */
  readonly fileTimeoutMs: number;
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs every test file in a process of its own: a file that crashes, hangs or ends the process is
 * then named, and takes nothing else with it.
 */
export async function runTestFiles(context: Context, run: TestRun): Promise<Outcome> {
  const reports = join(context.scratch, `junit-${run.runtime}`);
  mkdirSync(reports, { recursive: true });
  if (run.files.length === 0) return failed("Found no test file in tests/: expected some");
  const queue = run.files.entries();
  const outcomes: Outcome[] = [];
  await Promise.all(Array.from({ length: context.places }, async () => {
    for (const [index, file] of queue) {
      const report = join(reports, `${index}.xml`);
      const ran = await context.exec(command(context, run.runtime, { file, report }), {
        cwd: context.root,
        env: run.env,
        timeoutMs: run.fileTimeoutMs,
      });
      outcomes.push(judgeTestFile(`${file} (${run.runtime})`, ran, readIfThere(report)));
    }
  }));
  return sum(outcomes);
}

function command(
  context: Context,
  runtime: TestRun["runtime"],
  { file, report }: { readonly file: string; readonly report: string },
): readonly string[] {
  if (runtime === "deno") {
    return [context.deno, "test", "-A", "--no-check", `--junit-path=${report}`, file];
  }
  return [
    context.node?.path ?? "node",
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    "--test-reporter=junit",
    `--test-reporter-destination=${report}`,
    join("dist", file.replace(/\.ts$/, ".js")),
  ];
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // the runtime died before it wrote its report; judged by what is missing
  }
}

/**
 * What one test file came to. A file fails as a whole when it did not end, ended with an error that
 * no test reports, or has no tests.
 */
export function judgeTestFile(file: string, ran: Ran, report: string): Outcome {
  const cases = readJunit(report);
  const count = (status: string) => cases.filter((one) => one.status === status).length;
  const broken = whatIsBroken(ran, cases.length, count("failed"));
  const anyFailed = broken !== null || count("failed") > 0;
  return {
    passed: count("passed"),
    failed: count("failed") + (broken === null ? 0 : 1),
    skipped: cases
      .filter((one) => one.status === "skipped")
      .map((one) => ({
        name: `${file}: ${one.name}`,
        reason: one.message || "skipped by the test",
      })),
    output: anyFailed
      ? [`--- ${file}`, ran.output.trimEnd(), broken === null ? "" : `${file} ${broken}`]
        .filter((text) => text !== "").join("\n")
      : "",
    parts: [{ name: file, ms: ran.ms }],
  };
}

function whatIsBroken(ran: Ran, cases: number, failures: number): string | null {
  if (ran.timedOut) {
    const seconds = Math.round(ran.ms / 1000);
    return `did not end within ${seconds} s: look for a timer, server or handle that is left open`;
  }
  if (ran.code !== 0 && failures === 0) {
    return `ended with exit code ${ran.code} though no test failed: look for an error outside tests`;
  }
  if (cases === 0) return "reported no test: expected at least one";
  return null;
}
