import assert from "node:assert/strict";
import { test } from "node:test";
import { Console, CONSOLE_CAPACITY, MAX_CONSOLE_TEXT } from "../../lib/editor/history/console.ts";
import { stillClock } from "./project-folder.ts";

// RING-2
test("Console keeps the newest 500 entries and never reuses a number", () => {
  const console = new Console(stillClock);
  for (let i = 1; i <= CONSOLE_CAPACITY + 1; i++) console.write("log", `line ${i}`);
  const entries = console.entries();
  assert.equal(entries.length, 500);
  assert.deepEqual(entries[0], { seq: 2, t: stillClock.now(), level: "log", text: "line 2" });
  assert.equal(entries.at(-1)?.seq, 501);
});

for (
  const [what, text, expected] of [
    ["keeps the longest text", "x".repeat(MAX_CONSOLE_TEXT), "x".repeat(MAX_CONSOLE_TEXT)],
    [
      "counts what is beyond",
      "x".repeat(MAX_CONSOLE_TEXT + 1),
      `${"x".repeat(MAX_CONSOLE_TEXT)}… (1 more characters)`,
    ],
    [
      "does not cut a pair in two",
      `${"x".repeat(MAX_CONSOLE_TEXT - 1)}😀`,
      `${"x".repeat(MAX_CONSOLE_TEXT - 1)}… (2 more characters)`,
    ],
  ] as const
) {
  test(`Console.write() ${what}`, () => {
    const console = new Console(stillClock);
    console.write("error", text);
    assert.equal(console.entries()[0]?.text, expected);
  });
}
