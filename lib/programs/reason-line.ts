/** Stack frames of Java, JavaScript, Python and Ruby: lines that only name a place. */
const FRAME =
  /^\s+at \S|^\s*\.\.\. \d+ (?:more|common frames omitted)$|^\s+File ".+", line \d+|^\s+(?:\d+: )?from .+:\d+:in /;

/**
 * Beginnings of lines that name an error: the first line of an exception, or an error as compilers,
 * package managers and build tools print it. A source line that throws does not match.
 */
const MESSAGE =
  /^(?:[\w$]+[./])*[\w$]*(?:Error|Exception)(?: \[\w+\])?(?::|$)|^Exception in thread |^Caused by: |^\[?(?:fatal|error)\b|^npm (?:ERR!|error) \S|^\S+: (?:fatal |internal )?error\b|^\S+:\d+(?::\d+)?: (?:fatal )?error\b|^(?:uncaught|unhandled)\b.*(?:error|exception)/i;

/** The line before Gradle's reason, which may begin with anything. */
const GRADLE_HEADING = "* What went wrong:";

/** Whether a line is a frame of a stack trace. */
export function isFrame(line: string): boolean {
  return FRAME.test(line);
}

/**
 * Returns the line of an output that names the reason of a failure: the first error or exception, else
 * the first line that is not blank; `undefined` if all are.
 */
export function reasonLine(text: string): string | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "");
  const heading = lines.indexOf(GRADLE_HEADING);
  const reason = heading < 0 ? undefined : lines[heading + 1];
  return reason ?? lines.find((line) => MESSAGE.test(line)) ?? lines[0];
}
