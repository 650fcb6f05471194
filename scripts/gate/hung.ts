// A test that hangs is named: the gate interrupts its runner, which then says what was running.

/** A test that was running when its process was interrupted. */
interface PendingTest {
  /** Path of the test's file, `tests/…/x.test.ts`. */
  readonly file: string;
  /** The titles from the outermost to its own, joined by ` > `. */
  readonly name: string;
}

/**
 * Deno's note about a test that takes long, after 1, 2, 4 and 8 minutes: the loudest sign of a hang is
 * none of life.
 */
export const SLOW_NOTE = /^.*'.*' has been running for over \(.*\)$/gm;

/** How long an interrupted runner has to say what was running: much longer than it takes. */
export const LAST_WORDS_MS = 30_000;

const PENDING = "SIGINT The following tests were pending:";

/** The tests that an interrupted runner names, the innermost first. */
export function pendingTests(output: string): readonly PendingTest[] {
  const at = output.lastIndexOf(PENDING);
  if (at < 0) return [];
  return [...output.slice(at).matchAll(/^(.+) => \.\/(\S+?):\d+:\d+$/gm)]
    .map(([, name = "", file = ""]) => ({
      name: name.replaceAll(" ... ", " > "),
      file: file.replace(/^dist\/(.*)\.js$/, "$1.ts"),
    }));
}
