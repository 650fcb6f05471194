/** Lines of a stack trace that name a place only: those of Java, JavaScript, Python and Ruby. */
const FRAME =
  /^\s+at \S|^\s*\.\.\. \d+ (?:more|common frames omitted)$|^\s+File ".+", line \d+|^\s+(?:\d+: )?from .+:\d+:in /;

/**
 * Beginnings of lines that name what went wrong: an exception's own line, or an error as compilers,
 * package managers and build tools print it. A line of source that throws is none of these.
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
  const afterHeading = lines[lines.indexOf(GRADLE_HEADING) + 1];
  if (lines.includes(GRADLE_HEADING) && afterHeading !== undefined) return afterHeading;
  return lines.find((line) => MESSAGE.test(line)) ?? lines[0];
}
