import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLedger, missingRows, readLedger } from "../../scripts/gate/ledger.ts";
import { withTree } from "./temp-tree.ts";

const HEAD = "# Flaky\n\n| test | first seen | cause |\n| --- | --- | --- |\n";
const GOOD = "| `tests/a.test.ts`: reads \\| writes | 2026-01-31 | not found yet |\n";
const ROWS: readonly (readonly [string, string, readonly RegExp[]])[] = [
  ["passes an empty ledger", "", []],
  ["passes a row", GOOD, []],
  ["refuses a row without a cause", GOOD.replace("not found yet", ""), [
    /^tests\/FLAKY\.md:5: expected/,
  ]],
  ["refuses a date that is not one", GOOD.replace("-31", ""), [/:5: expected/]],
  ["refuses a test without its file", "| reads | 2026-01-31 | x |\n", [/:5: expected/]],
  ["refuses a test that is missing", GOOD.replace("a.test", "b.test"), [/b\.test\.ts is missing/]],
];
for (const [name, rows, expected] of ROWS) {
  test(`checkLedger() ${name}`, () =>
    withTree({ "tests/FLAKY.md": HEAD + rows, "tests/a.test.ts": "" }, (root) => {
      const violations = checkLedger(root);
      assert.equal(violations.length, expected.length, violations.join("\n"));
      for (const [i, pattern] of expected.entries()) assert.match(violations[i] ?? "", pattern);
    }));
}

test("missingRows() names what has no row, whatever process ran it", () =>
  withTree(
    { "tests/FLAKY.md": `${HEAD}| \`tests/a.test.ts\`: reads | 2026-01-31 | x |\n` },
    (root) => {
      const flaky = [
        "tests/a.test.ts: reads",
        "tests/a (1 of 2) (node): reads",
        "tests/a.test.ts: misreads",
      ];
      assert.deepEqual(missingRows(flaky, readLedger(root)), ["tests/a.test.ts: misreads"]);
    },
  ));
