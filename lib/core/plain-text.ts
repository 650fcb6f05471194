/** Control characters but tab and line feed, and those that turn the direction of what stands around them. */
// deno-lint-ignore no-control-regex
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
/** Escape sequences of terminals: colours, and orders to them (ECMA-48 §5.4, §8.3.89). */
const ESCAPES =
  // deno-lint-ignore no-control-regex
  /\u001b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\))/g;

/** A stranger's text as it may be shown: nothing in it acts on a terminal, or on the text beside it. */
export function plainText(text: string, most: number): string {
  // Twice as much is looked at as is kept: escapes are longer than what they colour, and not endless.
  return text.slice(0, 2 * most).replace(ESCAPES, "").replace(UNSEEN, "").slice(0, most);
}
