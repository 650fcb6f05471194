import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { createExecutor } from "../../scripts/gate/exec.ts";
import { withoutScripts } from "../support/needs.ts";
import { isRunning } from "../contract/conditions.ts";
import { until } from "../support/until.ts";

const options = { skip: withoutScripts() };
const sh = (script: string): readonly string[] => ["sh", "-c", script];
const cwd = ".";

test("exec() gives exit code and output", options, async () => {
  const ran = await createExecutor(1).exec(sh("echo out; echo err >&2; exit 3"), { cwd });
  assert.deepEqual([ran.code, ran.stdout, ran.timedOut], [3, "out\n", false]);
  assert.match(ran.output, /err/);
});

test("exec() tells a program that is not there from one that fails", async () => {
  const ran = await createExecutor(1).exec(["no-such-program-here"], { cwd });
  assert.equal(ran.code, null);
  assert.match(ran.output, /Cannot start no-such-program-here/);
});

test("exec() sets and takes away variables", options, async () => {
  process.env["SLIPWAY_TEST_GONE"] = "1";
  const ran = await createExecutor(1).exec(sh('echo "$A-$SLIPWAY_TEST_GONE"'), {
    cwd,
    env: { A: "a", SLIPWAY_TEST_GONE: undefined },
  });
  delete process.env["SLIPWAY_TEST_GONE"];
  assert.equal(ran.stdout, "a-\n");
});

test("exec() kills the whole tree of a command that is silent for too long", options, async () => {
  const ran = await createExecutor(1).exec(sh("sleep 60 & echo $!; sleep 60"), {
    cwd,
    silenceMs: 200,
  });
  assert.deepEqual([ran.code, ran.timedOut], [null, true]);
  await until("the child has ended", () => !isRunning(Number(ran.stdout)));
});

test("exec() lets a command that goes on speaking take its time", options, async () => {
  const ran = await createExecutor(1).exec(
    sh("for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.25; done"),
    { cwd, silenceMs: 1_500 },
  );
  assert.deepEqual([ran.code, ran.timedOut], [0, false]);
});

test("exec() takes what is said while nothing happens for silence", options, async () => {
  const ran = await createExecutor(1).exec(
    sh("echo begun; while :; do sleep 0.2; echo still here; done"),
    { cwd, silenceMs: 1_500, idle: /^still here$/gm },
  );
  assert.deepEqual([ran.code, ran.timedOut], [null, true]);
  assert.match(ran.output, /still here/);
});

test(
  "exec() asks a silent command for its last words, and kills what has none",
  options,
  async () => {
    const asks = { cwd, silenceMs: 500, lastWordsMs: 60_000 };
    const { exec } = createExecutor(1);
    const asked = await exec(sh("trap 'echo bye; exit 3' INT; while :; do sleep 0.1; done"), asks);
    assert.deepEqual([asked.code, asked.timedOut, asked.stdout], [3, true, "bye\n"]);
    const deaf = await exec(sh("trap '' INT; sleep 60 & wait"), { ...asks, lastWordsMs: 200 });
    assert.deepEqual([deaf.code, deaf.timedOut], [null, true]);
  },
);

test("exec() ends with its command, and kills what holds its pipes open", options, async () => {
  const ran = await createExecutor(1).exec(sh("sleep 60 & echo $!"), { cwd });
  assert.deepEqual([ran.code, ran.leftBehind], [0, true]);
  await until("the child has ended", () => !isRunning(Number(ran.stdout)));
});

test("exec() runs no more commands at once than there are places", options, async () => {
  const { exec } = createExecutor(1);
  const both = await Promise.all(
    [1, 2].map(() => exec(sh("date +%s%N; sleep 0.1; date +%s%N"), { cwd })),
  );
  const [first, second] = both.map((ran) => ran.stdout.trim().split("\n").map(BigInt));
  assert.ok((first?.[1] ?? 1n) <= (second?.[0] ?? 0n));
});

test("exec() lets others go before what is to be last", options, async () => {
  const { exec } = createExecutor(1);
  const ended: string[] = [];
  const run = (name: string, last: boolean) =>
    exec(sh("true"), { cwd, last }).then(() => ended.push(name));
  await Promise.all([run("a", true), run("b", true), run("c", false), run("d", true)]);
  assert.equal(ended.join(""), "acbd");
});

test("start() finds a word in the output and stops by SIGINT", options, async () => {
  const service = createExecutor(1).start(
    sh("trap 'echo bye; exit 0' INT; echo at 127.0.0.1:99; while :; do sleep 0.05; done"),
    { cwd },
  );
  const match = await service.waitFor(/at (\S+)\n/, 10_000);
  assert.equal(match?.[1], "127.0.0.1:99");
  const ran = await service.stop(10_000);
  assert.deepEqual([ran.code, ran.timedOut], [0, false]);
  assert.match(ran.output, /bye/);
});

test("start() answers null when the command ends without the word", options, async () => {
  const service = createExecutor(1).start(sh("echo nothing"), { cwd });
  assert.equal(await service.waitFor(/moon/, 10_000), null);
});
