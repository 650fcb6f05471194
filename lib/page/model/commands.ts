// Commands of a build as people type them: one a line, its words with spaces between.

/** Splits a command into words; quotes enclose words with spaces. */
export function commandFrom(line: string): readonly string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)]
    .map(([, quoted, plain]) => quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "");
}

/** A command as one line, which {@linkcode commandFrom} reads back. */
export function commandText(words: readonly string[]): string {
  return words.map((word) =>
    /^[^\s"\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, "\\$&")}"`
  ).join(" ");
}
