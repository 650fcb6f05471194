import { escapeInvisible } from "../../lib/core/invisible.ts";

/** Colours, line ends and tabs, which are kept. */
// deno-lint-ignore no-control-regex
const KEPT = /(\u001b\[[\d;]{0,32}m|[\n\t])/;

/**
 * Returns a text, possibly from a stranger, for a terminal: keeps colours and lines, and escapes
 * other invisible or control characters.
 */
export function terminalText(text: string): string {
  return text.split(KEPT).map((part, n) => n % 2 === 1 ? part : escapeInvisible(part)).join("");
}
