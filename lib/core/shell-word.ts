/** A text that every shell takes as it is. Windows has `\` between folders. */
const PLAIN = /^[\p{L}\p{N}_./:@%+-][\p{L}\p{N}_./:@%+=-]*$/u;
/**
 * A path of Windows, whose shells know double quotes alone: there a `\` escapes nothing. A name that
 * only ends like a program of Windows may be of any system, so it must not contain a sign that a
 * shell reads in double quotes.
 */
const OF_WINDOWS = /^(?:(?:[A-Za-z]:|\.{0,2})\\[^"]*|[^"$`!]*\.(?:bat|cmd|exe))$/i;
/** A text that means the same in double quotes of any shell. */
const SAME_IN_QUOTES = /^[^"$`!\\\r\n]*$/;

/**
 * Returns a text as one word of a command that a person pastes into a terminal: unchanged where
 * possible, else in quotes, in which blanks and the signs of a shell mean nothing.
 */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text;
  if (OF_WINDOWS.test(text)) return PLAIN.test(text.replaceAll("\\", "/")) ? text : `"${text}"`;
  return SAME_IN_QUOTES.test(text) ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a command as a person pastes it into a terminal. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(" ");
}
