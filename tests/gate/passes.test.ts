import assert from "node:assert/strict";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readInputs } from "../../scripts/gate/inputs.ts";
import { failed, type Outcome, passed } from "../../scripts/gate/outcome.ts";
import { openPasses } from "../../scripts/gate/passes.ts";
import { withTree } from "./temp-tree.ts";

const CHECKOUT = new Map([["a.test.ts", "1"], ["lib/a.ts", "2"], ["lib/b.ts", "3"], [
  "deno.json",
  "4",
]]);
const PART = { name: "a.test.ts (deno)", inputs: ["a.test.ts"] };
const SKIPPED: Outcome = { ...passed(3), skipped: [{ name: "a: x", reason: "no Go" }] };

function open(
  folder: string,
  { checkout = CHECKOUT, machine = ["linux"], recalls = true }: {
    readonly checkout?: ReadonlyMap<string, string>;
    readonly machine?: readonly string[];
    readonly recalls?: boolean;
  } = {},
) {
  const load = { specifier: "./lib/a.ts", target: "lib/a.ts", line: 1, when: "load" } as const;
  const inputs = readInputs({
    modules: new Map([["a.test.ts", [load]]]),
    sources: new Map(),
    paths: checkout.keys(),
  });
  return openPasses({ folder, recalls, machine, checkout, inputs });
}

test("Passes.recall() answers a part that passed, with its skips, and counts no test of it", () =>
  withTree({}, (folder) => {
    assert.equal(open(folder).recall(PART), null);
    open(folder).keep(PART, SKIPPED);
    const recalled = open(folder).recall(PART);
    assert.deepEqual([recalled?.passed, recalled?.remembered, recalled?.skipped], [
      0,
      [PART.name],
      SKIPPED.skipped,
    ]);
  }));

const OTHERS: readonly (readonly [string, Parameters<typeof open>[1]])[] = [
  ["its own source", { checkout: new Map([...CHECKOUT, ["a.test.ts", "x"]]) }],
  ["an import", { checkout: new Map([...CHECKOUT, ["lib/a.ts", "x"]]) }],
  ["the packages", { checkout: new Map([...CHECKOUT, ["deno.json", "x"]]) }],
  ["the machine", { machine: ["linux", "another browser"] }],
];
for (const [name, options] of OTHERS) {
  test(`Passes.recall() forgets a part once ${name} is another`, () =>
    withTree({}, (folder) => {
      open(folder).keep(PART, passed());
      assert.equal(open(folder, options).recall(PART), null);
    }));
}

test("Passes.recall() knows a part by what it needs: a change elsewhere is none of it", () =>
  withTree({}, (folder) => {
    const changed = { checkout: new Map([...CHECKOUT, ["lib/b.ts", "x"]]) };
    const everything = { name: "types" };
    open(folder).keep(PART, passed());
    open(folder).keep(everything, passed());
    assert.notEqual(open(folder, changed).recall(PART), null);
    assert.equal(open(folder, changed).recall(everything), null);
    assert.equal(open(folder).recall({ ...PART, name: "a.test.ts (node)" }), null);
  }));

test("Passes.recall() of a fresh run answers nothing", () =>
  withTree({}, (folder) => {
    open(folder).keep(PART, passed());
    assert.equal(open(folder, { recalls: false }).recall(PART), null);
  }));

for (
  const [name, outcome] of [
    ["failed", failed("x")],
    ["was flaky", { ...passed(), flaky: ["a: x"] }],
    ["ran no test", { ...SKIPPED, passed: 0 }],
  ] as const
) {
  test(`Passes.keep() keeps nothing of a part that ${name}`, () =>
    withTree({}, (folder) => {
      open(folder).keep(PART, outcome);
      assert.deepEqual(readdirSync(folder), []);
    }));
}

for (const text of ["", "{", "{}", '{"skipped":[1]}']) {
  test(`Passes.recall() runs a part again whose record is damaged: ${JSON.stringify(text)}`, () =>
    withTree({}, (folder) => {
      open(folder).keep(PART, passed());
      for (const name of readdirSync(folder)) writeFileSync(join(folder, name), text);
      assert.equal(open(folder).recall(PART), null);
    }));
}

test("openPasses() removes what was not asked for in 14 days", () =>
  withTree({}, (folder) => {
    open(folder).keep(PART, passed());
    const [name = ""] = readdirSync(folder);
    const days = (count: number) => new Date(Date.now() - count * 86_400_000);
    utimesSync(join(folder, name), days(13), days(13));
    assert.notEqual(open(folder).recall(PART), null); // asked for: young again
    utimesSync(join(folder, name), days(15), days(15));
    open(folder);
    assert.deepEqual(readdirSync(folder), []);
  }));
