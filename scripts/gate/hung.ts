// Names a hanging test: the gate interrupts its runner, which then reports the running tests.

/** A test that an interrupted runner names. */
interface NamedTest {
  /** Path of the test's file, `tests/…/x.test.ts`. */
  readonly file: string;
  /** The titles from the outermost to its own, joined by ` > `. */
  readonly name: string;
}

/**
 * Deno's note about a slow test, after 1, 2, 4 and 8 minutes: it must not count as activity of a
 * hung test.
 */
export const SLOW_NOTE = /^.*'.*' has been running for over \(.*\)$/gm;

/** How long an interrupted runner may take to report the running tests: much longer than needed. */
export const LAST_WORDS_MS = 30_000;

const PENDING = "SIGINT The following tests were pending:";
/**
 * Heading in the output of Node's reporter (`pending.mjs`); Deno's report has the failures itself.
 */
const FAILED = "The following tests had failed:";

/** The tests that were running when their runner was interrupted, the innermost first. */
export function pendingTests(output: string): readonly NamedTest[] {
  const at = output.lastIndexOf(PENDING);
  return at < 0 ? [] : namedTests(output.slice(at));
}

/** Returns the tests that had failed before, if the runner has no time for its report. */
export function failedTests(output: string): readonly NamedTest[] {
  const [from, to] = [output.lastIndexOf(FAILED), output.lastIndexOf(PENDING)];
  return from < 0 ? [] : namedTests(output.slice(from, to));
}

function namedTests(lines: string): readonly NamedTest[] {
  return [...lines.matchAll(/^(.+) => \.\/(\S+?):\d+:\d+$/gm)]
    .map(([, name = "", file = ""]) => ({
      name: name.replaceAll(" ... ", " > "),
      file: file.replace(/^dist\/(.*)\.js$/, "$1.ts"),
    }));
}
