import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeDependencies, judgeImporters } from "../../scripts/gate/dependencies.ts";

const PAGE = `# x
## Dependencies
| package | what for | why |
| --- | --- | --- |
| \`a\`, \`@b/c\` | all | nothing else does |

## More
| \`elsewhere\` | x | y |
`;
const ROWS: readonly (readonly [
  string,
  Readonly<Record<string, string>>,
  string,
  readonly RegExp[],
])[] = [
  ["passes what is pinned and explained", { a: "1.0.0", "@b/c": "2.0.0-alpha.1" }, PAGE, []],
  ["refuses a range", { a: "^1.0.0", "@b/c": "2.0.0" }, PAGE, [
    /a is \^1\.0\.0: expected one exact/,
  ]],
  ["misses a row", { a: "1.0.0", "@b/c": "1.0.0", elsewhere: "1.0.0" }, PAGE, [
    /elsewhere has no full row/,
  ]],
  ["refuses a row without a reason", { a: "1.0.0" }, "## Dependencies\n| `a` | x | |\n", [
    /a has no full row/,
  ]],
  ["finds a row that is left over", { a: "1.0.0" }, PAGE, [/@b\/c has a row .* not in package/]],
  ["fails without the table", { a: "1.0.0" }, "", [/a has no full row/]],
];
for (const [name, dependencies, page, expected] of ROWS) {
  test(`judgeDependencies() ${name}`, () => {
    const violations = judgeDependencies({ dependencies }, page);
    assert.equal(violations.length, expected.length, violations.join("\n"));
    for (const [i, pattern] of expected.entries()) assert.match(violations[i] ?? "", pattern);
  });
}

const IMPORTED = "## Dependencies\n| `a` | `lib/x.ts`, `lib/y` | what | why |\n";
const IMPORTERS: readonly (readonly [string, readonly string[], readonly RegExp[]])[] = [
  ["passes files and a folder of files", ["lib/x.ts", "lib/y/a.ts", "lib/y/b.ts"], []],
  ["misses an importer", ["lib/x.ts", "lib/y/a.ts", "lib/yes.ts"], [/does not name lib\/yes\.ts/]],
  ["refuses a file that no longer imports it", ["lib/y/a.ts"], [
    /names lib\/x\.ts, which does not/,
  ]],
  ["refuses a folder without importers", ["lib/x.ts"], [/names lib\/y, which does not/]],
];
for (const [name, files, expected] of IMPORTERS) {
  test(`judgeImporters() ${name}`, () => {
    const violations = judgeImporters({ a: files }, IMPORTED);
    assert.equal(violations.length, expected.length, violations.join("\n"));
    for (const [i, pattern] of expected.entries()) assert.match(violations[i] ?? "", pattern);
  });
}
