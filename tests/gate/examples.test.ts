import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsOf, judgeCallers, readExamples } from "../../scripts/gate/examples.ts";

const DOCUMENTED = [
  "/**",
  " * Adds.",
  " *",
  " * @example Two numbers.",
  " * ```ts",
  ' * import { add } from "slipway";',
  " *",
  " * export const four = add(2, 2);",
  " * ```",
  " *",
  " * @param a The first.",
  " */",
  "export function add(a: number, b: number): number {",
  "  return a + b;",
  "}",
  "",
].join("\n");

test("readExamples() gives the code of an @example, without the asterisks", () => {
  assert.deepEqual(readExamples("lib/add.ts", DOCUMENTED), [{
    path: "lib/add.ts",
    source: 'import { add } from "slipway";\n\nexport const four = add(2, 2);\n',
  }]);
  assert.deepEqual(readExamples("lib/a.ts", "/**\n * ```ts\n * 1;\n * ```\n */\n"), []);
  assert.equal(readExamples("lib/a.ts", DOCUMENTED + DOCUMENTED).length, 2);
});

const example = (path: string) => ({ path, source: "" });

for (
  const [what, examples, callers, expected] of [
    ["lets an example with a caller pass", ["a.ts"], ["a.ts"], []],
    ["names an example without one", ["a.ts", "b.ts"], ["a.ts"], [/^b\.ts: .*has no caller/]],
    ["names a caller without an example", ["a.ts"], ["a.ts", "b.ts"], [/b\.ts has no @example/]],
    ["names a second example of a file", ["a.ts", "a.ts"], ["a.ts"], [/^a\.ts: .*second/]],
  ] as const
) {
  test(`judgeCallers() ${what}`, () => {
    const listed = Object.fromEntries(callers.map((path) => [path, {}]));
    const violations = judgeCallers(examples.map(example), listed);
    assert.equal(violations.length, expected.length, violations.join("\n"));
    for (const [at, pattern] of expected.entries()) assert.match(violations[at] ?? "", pattern);
  });
}

test("groupsOf() has examples share a process, but for those that their callers import", () =>
  assert.deepEqual(
    groupsOf(["a.ts", "lib/b.ts", "c.ts"].map(example), {
      "a.ts": {},
      "lib/b.ts": { kind: "import" },
      "c.ts": { kind: "suite" },
    }),
    [
      { program: "shared", paths: ["a.ts", "c.ts"], force: [] },
      { program: "lib-b", paths: ["lib/b.ts"], force: ["--test-force-exit"] },
    ],
  ));
