import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLinks } from "../../scripts/gate/links.ts";
import { withTree } from "./temp-tree.ts";

const SOUND: Readonly<Record<string, string>> = {
  "README.md": "[a](./vectors/RULES.md#the-rules-1-2) [b](https://x.example/y) [c](#top)\n\n# Top",
  "vectors/RULES.md": "# The rules: 1, 2\n\n[up](../README.md), `lib/a.ts` and `lib/<name>.ts`",
  "lib/a.ts": "",
  "CHANGELOG.md": "`lib/gone.ts`",
};

test("checkLinks() finds nothing in sound pages", () =>
  withTree(SOUND, (root) => assert.deepEqual(checkLinks(root), [])));

const PLANTED: readonly (readonly [string, string, RegExp])[] = [
  ["a link to nothing", "\n[a](./gone.md)", /^README\.md:2: .*gone\.md leads to nothing$/],
  [
    "a link to no heading",
    "[a](vectors/RULES.md#gone)",
    /:1: .* no heading of vectors\/RULES\.md$/,
  ],
  ["a path that is not there", "see `lib/gone.ts`", /:1: lib\/gone\.ts is not there$/],
];
for (const [name, page, expected] of PLANTED) {
  test(`checkLinks() finds ${name}`, () =>
    withTree({ ...SOUND, "README.md": page }, (root) => {
      const violations = checkLinks(root);
      assert.equal(violations.length, 1, violations.join("\n"));
      assert.match(violations[0] ?? "", expected);
    }));
}

test("checkLinks() finds two decisions of one number", () =>
  withTree(
    { ...SOUND, "decisions/001-a.md": "# A", "decisions/001-b.md": "# B" },
    (root) =>
      assert.deepEqual(checkLinks(root), ["decisions/001-b.md: another decision has that number"]),
  ));

const CITATIONS: readonly (readonly [string, string, readonly string[]])[] = [
  ["takes one with a page", `// (decision ${1})`, []],
  ["finds one without a page", `\n// (decision ${7})`, [`lib/a.ts:2: decision ${7} has no page`]],
  ["finds one over the end of a line", `/** See decision\n * ${7}. */`, [
    `lib/a.ts:1: decision ${7} has no page`,
  ]],
  ["finds the second of two", `// decisions ${1} and ${8}`, [
    `lib/a.ts:1: decision ${8} has no page`,
  ]],
];
for (const [name, source, expected] of CITATIONS) {
  test(`checkLinks() among cited decisions ${name}`, () =>
    withTree(
      { ...SOUND, "decisions/001-a.md": "# A", "lib/a.ts": source },
      (root) => assert.deepEqual(checkLinks(root), expected),
    ));
}
