import assert from "node:assert/strict";
import { test } from "node:test";
import { terminalText } from "../../scripts/shared/terminal-text.ts";

for (
  const [text, expected] of [
    ["two\n\tlines", "two\n\tlines"],
    ["\u001b[1;31mred\u001b[0m", "\u001b[1;31mred\u001b[0m"],
    ["\u001b]0;title\u0007", "\\u{1b}]0;title\\u{7}"],
    ["\u001b[2J\u001b[H", "\\u{1b}[2J\\u{1b}[H"],
    ["\u009b31m", "\\u{9b}31m"],
    ["gnp.\u202etac", "gnp.\\u{202e}tac"],
    ["back\u0008\r", "back\\u{8}\\u{d}"],
    ["👩‍🚀 häfen", "👩‍🚀 häfen"],
  ] as const
) {
  test(`terminalText() of ${JSON.stringify(text)}`, () =>
    assert.equal(terminalText(text), expected));
}
