import { escapeInvisible } from "../../lib/core/invisible.ts";

/** Colours, as programs write them, and what ends lines and columns. */
// deno-lint-ignore no-control-regex
const KEPT = /(\u001b\[[\d;]{0,32}m|[\n\t])/;

/**
 * A text that may hold a stranger's, as a terminal shows it: colours and lines stay, and whatever else is
 * not seen, or orders the terminal about, is written out.
 */
export function terminalText(text: string): string {
  return text.split(KEPT).map((part, n) => n % 2 === 1 ? part : escapeInvisible(part)).join("");
}
