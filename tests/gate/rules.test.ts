import assert from "node:assert/strict";
import { test } from "node:test";
import { checkRules } from "../../scripts/gate/rules.ts";
import { withTree } from "./temp-tree.ts";

// Put together here, because the check reads this file too.
const [ONE, TWO, STRAY] = [1, 2, 99].map((n) => ["BOOT", n].join("-"));
const TOOL = ["TOOL", 1].join("-");

function table(...rows: readonly string[]): string {
  return ["# Rules", "", "| id | rule | source | owner |", "|---|---|---|---|", ...rows].join("\n");
}
const ROW_ONE = `| ${ONE} | Boots. | spec §3.1 | \`lib/ota-device/boot.ts\` |`;
const ROW_TWO = `| ${TWO} | Reverts. | spec §3.1 | lib/ota-device/boot.ts |`;
const ROW_TOOL = `| ${TOOL} | Is said. | spec §1 | adapters/node/tool.ts |`;
const OTHER = "| area | where |\n|---|---|\n| X | y |\n";
const INDEX = [
  "| section | about | rules |",
  "|---|---|---|",
  `| §1 | all | ${TOOL} |`,
  `| §3.1 | boots | ${ONE}, ${TWO} |`,
].join("\n");
const rowOf = (shownBy: string) =>
  `| section | what it says | shown by |\n|---|---|---|\n| §2.8 | A row. | ${shownBy} |`;
const SOUND: Readonly<Record<string, string>> = {
  "RULES.md": `${OTHER}\n${table(ROW_TOOL)}\n\n${INDEX}\n\n${rowOf("`tool`: is said")}`,
  "vectors/RULES.md": table(ROW_ONE, ROW_TWO),
  "adapters/node/tool.ts": `/** ${TOOL} */`,
  "tests/tool.test.ts": `test("is said (${TOOL})")`,
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
    /:7: .* vectors\/RULES\.md:5 already/,
  ],
  [
    "an owner that is not there",
    { "vectors/RULES.md": table(ROW_ONE.replace("boot.ts", "gone.ts"), ROW_TWO) },
    /:5: .*"lib\/ota-device\/gone\.ts": expected a file of lib/,
  ],
  [
    "an owner among the tests",
    { "vectors/RULES.md": table(ROW_ONE.replace("lib/ota-device", "tests"), ROW_TWO) },
    /"tests\/boot\.ts"/,
  ],
  [
    "a row whose test is not there",
    { "RULES.md": `${SOUND["RULES.md"]}\n\n${rowOf("`gone`: is said")}` },
    /:\d+: tests\/gone\.test\.ts is not there/,
  ],
  [
    "a row whose test is called otherwise",
    { "RULES.md": `${SOUND["RULES.md"]}\n\n${rowOf("`tool`: is said; `tool`: is sung")}` },
    /no test of tests\/tool\.test\.ts is called "is sung"/,
  ],
  [
    "a row without a test",
    { "RULES.md": `${SOUND["RULES.md"]}\n\n${rowOf("by hand")}` },
    /found "by hand", expected `area\/file`: words of a title/,
  ],
  ["an owner that is silent", { "lib/ota-device/boot.ts": `// ${ONE}` }, /does not name it/],
  ["a rule without a vector", { "vectors/boot/b.json": "{}" }, new RegExp(`${TWO} stands in no`)],
  [
    "a rule without a test",
    { "tests/tool.test.ts": `test("is said")` },
    new RegExp(`${TOOL} is named by no`),
  ],
  [
    "an id of both tables",
    { "RULES.md": `${table(ROW_TOOL, ROW_ONE)}\n\n${INDEX}`, "tests/one.test.ts": `// ${ONE}` },
    /vectors\/RULES\.md:5: .* RULES\.md:6 already/,
  ],
  ["an unknown id in a source", { "tests/x.test.ts": `\n// ${STRAY}` }, /^tests\/x\.test\.ts:2: /],
  ["an unknown id in a page", { "ARCHITECTURE.md": `${STRAY}` }, /^ARCHITECTURE\.md:1: /],
  [
    "a section whose row lacks a rule",
    { "RULES.md": `${table(ROW_TOOL)}\n\n${INDEX.replace(`, ${TWO}`, "")}` },
    new RegExp(`the row of §3\\.1 has ${ONE}, expected ${ONE}, ${TWO}$`),
  ],
  [
    "a paper that is not here",
    { "lib/a.ts": "\n// As spec §4.8 says" },
    /^lib\/a\.ts:2: cites spec §4\.8, expected the id/,
  ],
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
    /:7: "X-1" is not a rule id/,
  ],
];
for (const [name, files, expected] of PLANTED) {
  test(`checkRules() finds ${name}`, () =>
    withTree({ ...SOUND, ...files }, (root) => {
      const violations = checkRules(root);
      assert.equal(violations.length, 1, violations.join("\n"));
      assert.match(violations[0] ?? "", expected);
    }));
}

test("checkRules() fails without a table and with an empty one", async () => {
  const page = "vectors/RULES.md";
  const { [page]: _, ...without } = SOUND;
  await withTree(
    without,
    (root) => assert.match(checkRules(root)[0] ?? "", /RULES\.md: is missing/),
  );
  await withTree(
    { ...SOUND, [page]: "# Rules" },
    (root) => assert.match(checkRules(root)[0] ?? "", /has no row/),
  );
});
