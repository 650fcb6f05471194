// What the programs print that an installation runs: told line by line, kept as far as a failure
// needs it.

const LINES_KEPT = 12;
const ERRORS_KEPT = 5;
/** What has no line ends is told in pieces of about so many characters. */
const LONGEST_LINE = 8_192;
/** In the words of Node, of C libraries (Ruby, Java) and of Windows. */
const DISK_FULL = /\bENOSPC\b|No space left on device|not enough space on the disk/i;
/** Where npm wrote all of it down says nothing about why it failed. */
const NO_REASON = /A complete log of this run can be found in:/;

/** Output as lines. */
export interface LineSplitter {
  /** Takes a piece of output. */
  add(text: string): void;
  /** Tells what came without a line end. */
  end(): void;
  /** The last lines. */
  readonly last: () => readonly string[];
  /** The first lines in which npm says what is wrong. */
  readonly errors: () => readonly string[];
  /** Whether any line says that a disk is full. */
  readonly isDiskFull: () => boolean;
}

/** Splits output into lines. @param tell Gets each line, without what ends it. */
export function lineSplitter(tell: (line: string) => void): LineSplitter {
  let rest = "";
  let isDiskFull = false;
  const kept: string[] = [];
  const errors: string[] = [];
  const line = (text: string) => {
    const trimmed = text.trimEnd();
    if (trimmed === "") return;
    tell(trimmed);
    isDiskFull ||= DISK_FULL.test(trimmed);
    if (NO_REASON.test(trimmed)) return;
    // npm says first what is wrong, and then where in itself.
    if (/^npm (?:error|ERR!)/.test(trimmed) && errors.length < ERRORS_KEPT) errors.push(trimmed);
    kept.push(trimmed);
    if (kept.length > LINES_KEPT) kept.shift();
  };
  return {
    add(text) {
      const parts = (rest + text).split(/\r?\n|\r/);
      rest = parts.pop() ?? "";
      parts.forEach(line);
      if (rest.length <= LONGEST_LINE) return;
      line(rest);
      rest = "";
    },
    end: () => line(rest),
    last: () => kept,
    errors: () => errors,
    isDiskFull: () => isDiskFull,
  };
}
