const MAX_ERRORS = 5;
/** A full disk in the words of Node, of C libraries (Ruby, Java) and of Windows. */
const DISK_FULL = /\bENOSPC\b|No space left on device|not enough space on the disk/i;
/** The path of npm's log, which says nothing about the failure. */
const NO_REASON = /A complete log of this run can be found in:/;
/** Number of last lines in a message. */
const MAX_LINES = 12;

/** Notes about a program's failure, taken from its output as it arrives. */
export class NpmNotes {
  readonly #errors: string[] = [];
  #isDiskFull = false;

  /** The first lines of npm's explanation; those after it are about npm's own code. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** Whether any line says that a disk is full: npm is content with files that it could not write. */
  get isDiskFull(): boolean {
    return this.#isDiskFull;
  }

  /** Takes one line. */
  take(line: string): void {
    this.#isDiskFull ||= DISK_FULL.test(line);
    const isError = /^npm (?:error|ERR!)/.test(line) && !NO_REASON.test(line);
    if (isError && this.#errors.length < MAX_ERRORS) this.#errors.push(line);
  }

  /** Quotes the output for a message. @param tail Its last lines. */
  said(tail: string): string {
    const last = tail.split("\n").map((line) => line.trimEnd())
      .filter((line) => line !== "" && !NO_REASON.test(line)).slice(-MAX_LINES);
    const lines = this.#errors.length > 0 ? this.#errors : last;
    return lines.length === 0 ? "; it said nothing" : `: ${lines.join(" | ")}`;
  }
}
