import assert from "node:assert/strict";
import { test } from "node:test";
import { failed, passed, remembered, skipped } from "../../scripts/gate/outcome.ts";
import type { Passes } from "../../scripts/gate/passes.ts";
import type { Reach } from "../../scripts/gate/reach.ts";
import {
  bounded,
  byArea,
  exitCode,
  finalReport,
  slowest,
  stepReport,
  totals,
} from "../../scripts/gate/report.ts";
import {
  reachedSteps,
  runSteps,
  selectSteps,
  type Step,
  withoutLong,
} from "../../scripts/gate/runner.ts";

const quiet = { places: 2, tell: () => {} };

test("runSteps() runs at most as many steps as there are places, in order", async () => {
  const log: string[] = [];
  let running = 0;
  let most = 0;
  const steps = ["a", "b", "c", "d"].map((name): Step => ({
    name,
    run: async () => {
      log.push(name);
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return passed();
    },
  }));
  await runSteps(steps, quiet);
  assert.deepEqual([log.join(""), most], ["abcd", 2]);
});

test("runSteps() starts a step after what it needs, and passes over it meanwhile", async () => {
  const log: string[] = [];
  const step = (name: string, after: readonly string[]): Step => ({
    name,
    after,
    run: () => {
      log.push(name);
      return passed();
    },
  });
  await runSteps([step("a", ["c"]), step("b", []), step("c", ["b"])], quiet);
  assert.deepEqual(log, ["b", "c", "a"]);
});

for (
  const [name, outcome] of [["failed", failed("x")], ["was skipped", skipped("a", "x")]] as const
) {
  test(`runSteps() skips, by name, a step whose need ${name}`, async () => {
    const finished = await runSteps([
      { name: "a", run: () => outcome },
      { name: "b", after: ["a"], run: () => passed() },
    ], quiet);
    assert.deepEqual(finished[1]?.outcome.skipped, [{ name: "b", reason: '"a" did not pass' }]);
  });
}

test("runSteps() fails a step that throws and goes on", async () => {
  const finished = await runSteps([
    { name: "a", run: () => Promise.reject(new Error("boom")) },
    { name: "b", run: () => passed(3) },
  ], quiet);
  assert.match(finished[0]?.outcome.output ?? "", /The step itself broke: .*boom/);
  assert.equal(finished[1]?.outcome.passed, 3);
});

test("runSteps() refuses steps that wait for each other", () =>
  assert.rejects(
    runSteps([
      { name: "a", after: ["b"], run: () => passed() },
      { name: "b", after: ["a"], run: () => passed() },
    ], quiet),
    /wait for each other: a, b/,
  ));

test("selectSteps() takes what is named and what that needs", () => {
  const steps: readonly Step[] = [
    { name: "build", run: () => passed() },
    { name: "tests", after: ["build"], run: () => passed() },
    { name: "lint", run: () => passed() },
  ];
  assert.deepEqual(selectSteps(steps, ["test"]).map((step) => step.name), ["build", "tests"]);
  assert.deepEqual(selectSteps(steps, ["moon", "lin"]).map((step) => step.name), ["lint"]);
  assert.deepEqual(selectSteps(steps, ["moon"]), []);
});

test("withoutLong() leaves out what is long", () => {
  const step: Step = { name: "a", run: () => passed() };
  assert.deepEqual(withoutLong([step, { ...step, name: "b", long: true }]), [step]);
});

test("reachedSteps() takes what a change reaches with its needs, and every check", () => {
  const run = () => passed();
  const steps: readonly Step[] = [
    { name: "build", run },
    { name: "types", check: true, run },
    { name: "tests", after: ["build"], inputs: ["a"], run },
    { name: "pages", inputs: ["b"], run },
    { name: "tarball", run },
  ];
  const reach: Reach = {
    changes: 1,
    reaches: ([seed]) => seed === "a",
    touches: () => false,
    unreached: () => [],
  };
  assert.deepEqual(reachedSteps(steps, reach).map((step) => step.name), [
    "build",
    "types",
    "tests",
  ]);
});

test("runSteps() does not run again what passed, but for what makes and what keeps its parts", async () => {
  const kept: string[] = [];
  const passes: Passes = {
    recall: ({ name }) => remembered(name, []),
    keep: ({ name }) => kept.push(name),
  };
  const ran: string[] = [];
  const step = (name: string, rest: Partial<Step> = {}): Step => ({
    name,
    run: () => {
      ran.push(name);
      return passed();
    },
    ...rest,
  });
  const steps = [
    step("lint"),
    step("build", { produces: true }),
    step("tests", { keepsParts: true, after: ["lint"] }),
  ];
  const finished = await runSteps(steps, { ...quiet, passes });
  assert.deepEqual([ran, kept], [["build", "tests"], []]);
  assert.deepEqual(finished.find(({ name }) => name === "lint")?.outcome.remembered, ["lint"]);
  await runSteps(steps, { ...quiet, passes: { ...passes, recall: () => null } });
  assert.deepEqual(kept, ["lint"]);
});

const FINISHED = [
  { name: "lint", outcome: passed(), ms: 1_000 },
  { name: "types", outcome: { ...failed("wrong"), failures: ["t.ts: a"] }, ms: 500 },
  {
    name: "tests",
    outcome: {
      ...passed(4),
      skipped: [{ name: "t", reason: "no Node" }],
      parts: [{ name: "x.test.ts", ms: 3_000 }, { name: "y.test.ts", ms: 10 }],
    },
    ms: 9_000,
  },
] as const;

test("finalReport() names skips and failures and ends with the count", () => {
  const report = finalReport(FINISHED);
  assert.match(report, /Skipped:\n {2}t: no Node\n/);
  assert.match(report, /Failed:\n {2}types\n {4}t\.ts: a\n/);
  assert.match(report, /\n5 passed, 1 failed, 1 skipped$/);
});

test("finalReport() counts what is flaky and what is remembered on lines of their own, the counts last", () => {
  const outcome = { ...passed(), flaky: ["a.test.ts: x", "b.test.ts: y"], remembered: ["c", "d"] };
  assert.deepEqual(finalReport([{ name: "tests", outcome, ms: 1 }]).split("\n").slice(-3), [
    "2 parts passed here before with the same inputs (--fresh runs them)",
    "2 flaky: a.test.ts: x; b.test.ts: y",
    "1 passed, 0 failed, 0 skipped",
  ]);
});

const EXITS: readonly (readonly [string, Partial<ReturnType<typeof totals>>, string, 0 | 1])[] = [
  ["that passed", { passed: 1 }, "--all", 0],
  ["in which nothing ran", {}, "--all", 1],
  ["in which all is remembered", { remembered: 1 }, "--all", 0],
  ["with a failure", { passed: 9, failed: 1 }, "quick", 1],
  ["with three flaky", { passed: 9, flaky: 3 }, "--all", 0],
  ["with four flaky", { passed: 9, flaky: 4 }, "--all", 1],
  ["with four flaky", { passed: 9, flaky: 4 }, "quick", 0],
  ["with one flaky", { passed: 9, flaky: 1 }, "--all --strict", 1],
  ["with one flaky", { passed: 9, flaky: 1 }, "quick --strict", 1],
  ["with none flaky", { passed: 9 }, "--all --strict", 0],
];
for (const [name, counts, flags, code] of EXITS) {
  test(`exitCode() of a ${flags} run ${name} is ${code}`, () =>
    assert.equal(
      exitCode({ ...totals([]), ...counts }, {
        extent: flags.startsWith("--all") ? "all" : "quick",
        strict: flags.endsWith("--strict"),
      }),
      code,
    ));
}

test("slowest() lists the parts of a step in place of the step", () =>
  assert.deepEqual(
    slowest(FINISHED).map((part) => part.name),
    ["x.test.ts", "lint", "types", "y.test.ts"],
  ));

test("byArea() adds up test files by folder and step, and lists other steps by name", () => {
  const parts = ["tests/a/1.test.ts", "tests/a (1 of 2) (node)", "tests/b/1.test.ts"]
    .map((name, i) => ({ name, ms: 2 ** i }));
  assert.deepEqual(
    byArea([{ name: "lint", outcome: passed(), ms: 5 }, {
      name: "x",
      outcome: { ...passed(), parts },
      ms: 9,
    }]),
    [{ name: "lint", ms: 5 }, { name: "tests/b, x", ms: 4 }, { name: "tests/a, x", ms: 3 }],
  );
});

test("stepReport() shows the output of a failure only", () => {
  assert.match(stepReport(FINISHED[1]), /^FAIL types .* 1 failed\n {4}wrong$/);
  assert.doesNotMatch(stepReport({ ...FINISHED[0], outcome: { ...passed(), output: "x" } }), /x/);
});

test("bounded() keeps head and tail of what is too long, and says what is missing", () => {
  assert.equal(bounded("a\nb\nc\nd", 4), "a\nb\nc\nd");
  assert.equal(bounded("a\nb\nc\nd\ne", 4), "a\nb\n… 1 lines left out …\nd\ne");
});
