import assert from "node:assert/strict";
import { test } from "node:test";
import { findingLines } from "../../scripts/shared/findings-text.ts";

const at = (where: string, message = "no header", level: "error" | "warning" = "error") => ({
  level,
  code: "cross-origin",
  where,
  message,
  next: "Set it",
});

for (
  const [what, findings, lines] of [
    ["none", [], []],
    ["one place", [at("a")], ["error: a: no header\n  next: Set it"]],
    ["three places", ["a", "b", "c"].map((one) => at(one)), [
      "error: a, b, c: no header\n  next: Set it",
    ]],
    ["more places", ["a", "b", "c", "d", "e"].map((one) => at(one)), [
      "error: a, b, c and 2 more: no header\n  next: Set it",
    ]],
    ["another level or message, in their order", [
      at("a"),
      at("b", "no header", "warning"),
      at("c", "other"),
      at("d"),
    ], [
      "error: a, d: no header\n  next: Set it",
      "warning: b: no header\n  next: Set it",
      "error: c: other\n  next: Set it",
    ]],
  ] as const
) {
  test(`findingLines() of ${what}`, () => assert.deepEqual(findingLines(findings), lines));
}
