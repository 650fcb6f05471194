import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ran } from "../../scripts/gate/exec.ts";
import { readJunit } from "../../scripts/gate/junit.ts";
import { stepReport } from "../../scripts/gate/report.ts";
import { judgeAgain, judgeTestFile, seedOf } from "../../scripts/gate/judge.ts";

// As Deno 2.9 writes it: subtests beside their parent, suites under the name of an internal file.
const DENO = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="8">
  <testsuite name="./tests/x.test.ts" tests="6">
    <testcase name="plain" classname="./tests/x.test.ts" time="0.002" line="3" col="1">
    </testcase>
    <testcase name="left out" time="0.000"><skipped/></testcase>
    <testcase name="a &gt; 1 &amp; b" time="0.001"><failure message="Uncaught Error: &quot;x&quot;">x</failure></testcase>
    <testcase name="suite" time="0.003"></testcase>
    <testcase name="parent" time="0.004"><failure message="1 test step failed">1 test step failed.</failure></testcase>
    <testcase name="parent &gt; sub" time="0.000"></testcase>
    <testcase name="parent &gt; sub2" time="0.001"><failure message="x">x</failure></testcase>
    <testcase name="hooked" time="0.004"><failure message="Error: in a hook">x</failure></testcase>
    <testcase name="hooked &gt; sub" time="0.000"></testcase>
    <testcase name="cut off" time="0.000"><error message="Cancelled"/></testcase>
  </testsuite>
  <testsuite name="ext:deno_node/testing.ts" tests="1">
    <testcase name="suite &gt; inner" time="0.000"></testcase>
  </testsuite>
</testsuites>`;

// As Node 20 writes it: parents and suites nest; ">" stands bare in attributes; comments at the end.
const NODE = `<?xml version="1.0" encoding="utf-8"?>
<testsuites>
	<testcase name="plain" time="0.001231" classname="test"/>
	<testcase name="left out" time="0.0001" classname="test">
		<skipped type="skipped" message="no compiler"/>
	</testcase>
	<testcase name="later" time="0.0001" classname="test" failure="x">
		<skipped type="todo" message="true"/>
		<failure type="testCodeFailure" message="x">at &lt;anonymous></failure>
	</testcase>
	<testcase name="a > 1" time="0.0001" classname="test" failure="b > c"><failure message="b > c"></failure></testcase>
	<testsuite name="parent" time="0.009" tests="2" failures="1" hostname="vm">
		<testcase name="sub" time="0.0001" classname="test"/>
		<testsuite name="deep" time="0.009" tests="1" failures="0" hostname="vm">
			<testcase name="sub" time="0.0001" classname="test"/>
		</testsuite>
	</testsuite>
	<testcase name="after" time="0.001231" classname="test"/>
	<!-- <testcase name="in a comment" time="1"/> -->
</testsuites>`;

test("readJunit() counts Deno's tests without their containers", () =>
  assert.deepEqual(readJunit(DENO).map((one) => [one.name, one.status]), [
    ["plain", "passed"],
    ["left out", "skipped"],
    ["a > 1 & b", "failed"],
    ["parent > sub", "passed"],
    ["parent > sub2", "failed"],
    ["hooked", "failed"],
    ["hooked > sub", "passed"],
    ["cut off", "failed"],
    ["suite > inner", "passed"],
  ]));

test("readJunit() counts Node's tests without their containers", () =>
  assert.deepEqual(readJunit(NODE).map((one) => [one.name, one.status, one.message]), [
    ["plain", "passed", ""],
    ["left out", "skipped", "no compiler"],
    ["later", "skipped", ""],
    ["a > 1", "failed", "b > c"],
    ["parent > sub", "passed", ""],
    ["parent > deep > sub", "passed", ""],
    ["after", "passed", ""],
  ]));

test("readJunit() reads durations in milliseconds", () =>
  assert.deepEqual(readJunit(NODE)[0]?.ms, 1.231));

const ENDED: Ran = {
  code: 0,
  stdout: "",
  output: "said",
  timedOut: false,
  leftBehind: false,
  ms: 10,
};
const ONE = '<testsuites><testcase name="a" time="0"/></testsuites>';
const FILES: readonly (readonly [string, Partial<Ran>, string, RegExp])[] = [
  ["without a report", {}, "", /reported no test/],
  ["without a test", {}, "<testsuites></testsuites>", /reported no test/],
  ["that fails outside its tests", { code: 1 }, ONE, /exit code 1 though no test failed/],
  [
    "that is killed",
    { code: null, timedOut: true, ms: 5_000 },
    ONE,
    /fell silent and was killed after 5 s/,
  ],
];
for (const [name, ran, report, expected] of FILES) {
  test(`judgeTestFile() fails a file ${name}`, () => {
    const outcome = judgeTestFile("tests/x.test.ts", { ...ENDED, ...ran }, report);
    assert.equal(outcome.failed, 1);
    assert.match(outcome.output, expected);
    assert.match(outcome.output, /^--- tests\/x\.test\.ts\n.+\n\nsaid$/);
  });
}

test("judgeTestFile() counts a failed test once, and names skips with their reasons", () => {
  const outcome = judgeTestFile("x", { ...ENDED, code: 1 }, NODE);
  assert.deepEqual([outcome.passed, outcome.failed], [4, 1]);
  assert.deepEqual(outcome.skipped, [
    { name: "x: left out", reason: "no compiler" },
    { name: "x: later", reason: "skipped by the test" },
  ]);
});

test("judgeTestFile() is silent about a file that passes", () =>
  assert.deepEqual(judgeTestFile("x", ENDED, ONE), {
    passed: 1,
    failed: 0,
    skipped: [],
    output: "",
    failures: [],
    flaky: [],
    remembered: [],
    parts: [{ name: "x", ms: 10 }],
  }));

test("judgeTestFile() names what failed, and leaves out what passed", () => {
  const said = "✔ good (1ms)\ntwo ... \x1b[0m\x1b[32mok\x1b[0m (2ms)\n✖ bad (1ms)\nit is ok";
  const outcome = judgeTestFile("x", { ...ENDED, code: 1, output: said }, NODE);
  assert.equal(outcome.failures.length, 1);
  assert.equal(outcome.output, `--- x\n${outcome.failures[0]}\n\n✖ bad (1ms)\nit is ok`);
});

test("judgeAgain() counts what passes alone as flaky, not as passed; what fails again has failed", () => {
  const first = judgeTestFile("x", { ...ENDED, code: 1 }, NODE);
  const alone = judgeAgain(first, judgeTestFile("x again", ENDED, ONE));
  assert.deepEqual([alone.passed, alone.failed, alone.failures], [4, 0, []]);
  assert.deepEqual(alone.flaky, first.failures);
  assert.match(stepReport({ name: "x", outcome: alone, ms: 0 }), /^ok .* 1 flaky\n.*--- x\n/);
  const again = judgeAgain(first, judgeTestFile("x again", { ...ENDED, code: 1 }, NODE));
  assert.deepEqual([again.passed, again.failed, again.flaky], [4, 1, []]);
  assert.match(again.output, /--- x again/);
});

test("seedOf() finds the seed that a failure names", () => {
  assert.equal(seedOf("error: AssertionError: SLIPWAY_SEED=42: a, b"), "42");
  assert.equal(seedOf("error"), null);
});
