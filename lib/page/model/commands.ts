// Commands of a build as people type them: one a line, its words with spaces between.

/** The words of a command; those with a space in them stand in quotes. */
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
