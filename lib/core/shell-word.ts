/** A text that every shell takes as it is. Windows has `\` between folders. */
const PLAIN = /^[\p{L}\p{N}_./:@%+-][\p{L}\p{N}_./:@%+=-]*$/u;
/**
 * A path of Windows, whose `cmd` knows double quotes alone: there a `\` escapes nothing. A path with `$` or a
 * backtick does not count: in double quotes PowerShell, and the shells of other systems, expand these. A name that
 * only ends like a program of Windows may be of any system, where `!` has a meaning too.
 */
const OF_WINDOWS =
  /^(?:(?:[A-Za-z]:|\.{0,2})\\[^"\u201c-\u201e$`\r\n]*|[^"\u201c-\u201e$`!\r\n]*\.(?:bat|cmd|exe))$/i;
/** A text that means the same in double quotes of any shell. For PowerShell curly quotes are quotes too. */
const SAME_IN_QUOTES = /^[^"\u201c-\u201e$`!\\\r\n]*$/;

/**
 * Returns a text as one word of a command that a person pastes into a terminal: unchanged where
 * possible, else in quotes, in which blanks and the signs of a shell mean nothing.
 */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (OF_WINDOWS.test(text)) {
    const isPlain = PLAIN.test(text.replaceAll("\\", "/")) && !text.endsWith("\\");
    // A single `\` at the end would escape the quote after it.
    return isPlain ? text : `"${text.replace(/(?<!\\)\\+$/, "$&$&")}"`;
  }
  return SAME_IN_QUOTES.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a command as a person pastes it into a terminal. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
