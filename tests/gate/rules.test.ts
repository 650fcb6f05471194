import assert from "node:assert/strict";
import { test } from "node:test";
import { checkRules } from "../../scripts/gate/rules.ts";
import { withTree } from "./temp-tree.ts";

// Put together here, because the check reads this file too.
const [ONE, TWO, STRAY] = [1, 2, 99].map((n) => ["BOOT", n].join("-"));

function table(...rows: readonly string[]): string {
  return ["# Rules", "", "| id | rule | source | owner |", "|---|---|---|---|", ...rows].join("\n");
}
const ROW_ONE = `| ${ONE} | Boots. | spec §3.1 | \`lib/ota-device/boot.ts\` |`;
const ROW_TWO = `| ${TWO} | Reverts. | spec §3.1 | [lib/ota-device/boot.ts](../lib) |`;
const SOUND: Readonly<Record<string, string>> = {
  "vectors/RULES.md": table(ROW_ONE, ROW_TWO),
  "vectors/boot/a.json": JSON.stringify([{ id: `${ONE}-a`, rules: [ONE], steps: [] }]),
  "vectors/boot/b.json": JSON.stringify({ cases: [{ rules: [TWO] }] }),
  "vectors/schema/boot.schema.json": JSON.stringify({ rules: ["not a vector"] }),
  "lib/ota-device/boot.ts": `// ${ONE}\n// ${TWO}`,
  "README.md": `See ${ONE}.`,
};

test("checkRules() finds nothing in a sound tree", () =>
  withTree(SOUND, (root) => assert.deepEqual(checkRules(root), [])));

const PLANTED: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  [
    "an id twice",
    { "vectors/RULES.md": table(ROW_ONE, ROW_TWO, ROW_ONE) },
    /:7: .* line 5 already/,
  ],
  [
    "an owner that is not there",
    { "vectors/RULES.md": table(ROW_ONE.replace("boot.ts", "gone.ts"), ROW_TWO) },
    /:5: .*"lib\/ota-device\/gone\.ts": expected one file of lib/,
  ],
  [
    "an owner outside lib",
    { "vectors/RULES.md": table(ROW_ONE.replace("lib/ota-device", "tests"), ROW_TWO) },
    /"tests\/boot\.ts"/,
  ],
  ["an owner that is silent", { "lib/ota-device/boot.ts": `// ${ONE}` }, /does not name it/],
  ["a rule without a vector", { "vectors/boot/b.json": "{}" }, new RegExp(`${TWO} stands in no`)],
  ["an unknown id in a source", { "tests/x.test.ts": `\n// ${STRAY}` }, /^tests\/x\.test\.ts:2: /],
  ["an unknown id in a page", { "ARCHITECTURE.md": `${STRAY}` }, /^ARCHITECTURE\.md:1: /],
  ["an unknown id in native code", { "native/ios/Boot.swift": `// ${STRAY}` }, /Boot\.swift:1: /],
  [
    "an unknown id in a vector",
    { "vectors/boot/c.json": JSON.stringify({ rules: [STRAY] }) },
    /c\.json:1: /,
  ],
  [
    "a row with a cell missing",
    { "vectors/RULES.md": table(ROW_ONE, ROW_TWO, "| x | y |") },
    /:7: expected four filled cells/,
  ],
  [
    "a row that has no id",
    { "vectors/RULES.md": table(ROW_ONE, ROW_TWO, "| X-1 | a | b | lib/a.ts |") },
    /:7: "X-1" is no rule id/,
  ],
];
for (const [name, files, wanted] of PLANTED) {
  test(`checkRules() finds ${name}`, () =>
    withTree({ ...SOUND, ...files }, (root) => {
      const violations = checkRules(root);
      assert.equal(violations.length, 1, violations.join("\n"));
      assert.match(violations[0] ?? "", wanted);
    }));
}

test("checkRules() fails without a table and with an empty one", async () => {
  await withTree({}, (root) => assert.match(checkRules(root)[0] ?? "", /RULES\.md: is missing/));
  await withTree(
    { "vectors/RULES.md": "# Rules" },
    (root) => assert.match(checkRules(root)[0] ?? "", /has no row/),
  );
});
