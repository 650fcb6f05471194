/**
 * Control characters except tab and line feed, and those that change the direction of the text
 * around them.
 */
// deno-lint-ignore no-control-regex
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
/** Escape sequences of terminals: colours, and orders to them (ECMA-48 §5.4, §8.3.89). */
const ESCAPES =
  // deno-lint-ignore no-control-regex
  /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\))/g;

/** Makes foreign text safe to show: it cannot affect a terminal, or the text beside it. */
export function plainText(text: string, most: number): string {
  // Reads twice as many characters as it keeps: escapes are longer than the text they colour, but
  // not endless.
  return text.slice(0, 2 * most).replace(ESCAPES, "").replace(UNSEEN, "").slice(0, most);
}
