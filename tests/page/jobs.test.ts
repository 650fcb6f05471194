import assert from "node:assert/strict";
import { test } from "node:test";
import type { JobMessage } from "../../lib/page/wire/jobs.ts";
import { type PageJob, withMessages } from "../../lib/page/model/job-log.ts";
import { toolchainOf } from "../../lib/page/model/toolchain.ts";

const JOB: PageJob = {
  id: "build-1",
  kind: "build",
  key: "web",
  state: "running",
  author: null,
  lines: [],
  progress: null,
  result: null,
  problem: null,
};

const log = (line: string, stream = "stdout"): JobMessage => ({
  event: "log",
  data: { line, stream },
});

test("a job grows by what it tells: lines with keys of their own, progress, its end", () => {
  const begun = withMessages(JOB, [log("one\ntwo"), log("wrong", "stderr")]);
  assert.deepEqual(begun.lines.map(({ key, text, isError }) => [key, text, isError]), [
    [1, "one", false],
    [2, "two", false],
    [3, "wrong", true],
  ]);
  const progress = { done: 1, total: 2, unit: "bytes", label: "download" };
  const on = withMessages(begun, [log("four"), { event: "progress", data: progress }]);
  assert.deepEqual([on.lines.at(-1)?.key, on.progress, on.state], [4, progress, "running"]);
  const done = withMessages(on, [{ event: "done", data: { ok: true, out: "dist" } }]);
  assert.deepEqual([done.state, done.result?.["out"], done.problem], ["done", "dist", null]);
});

for (const [code, state] of [["cancelled", "cancelled"], ["no-program", "failed"]] as const) {
  test(`a job that ends with ${code} is ${state}, and says why`, () => {
    const data = { code, detail: "It stopped", hint: "Start it again" };
    const ended = withMessages(JOB, [{ event: "problem", data }]);
    assert.deepEqual([ended.state, ended.problem], [state, data]);
  });
}

test("a log is bounded in lines and in the length of each", () => {
  const many = withMessages(JOB, Array.from({ length: 10_005 }, (_, n) => log(`${n}`)));
  assert.deepEqual([many.lines.length, many.lines[0]?.text], [10_000, "5"]);
  const [long] = withMessages(JOB, [log("x".repeat(1_000_000))]).lines;
  assert.ok((long?.text.length ?? 0) < 2_100);
  assert.match(long?.text ?? "", /… \(1000000 characters\)$/);
});

test("values of any other shape become a toolchain without tools, never a fault", () => {
  for (
    const value of [{}, { tools: 3 }, { tools: [null, { id: 1 }], preflight: [], installable: "" }]
  ) {
    const { tools, installable, lacks } = toolchainOf(value, value) ?? assert.fail();
    assert.deepEqual([tools, installable.ids, lacks.android.ready], [[], [], false]);
  }
  assert.equal(toolchainOf("none", null), null);
  const lack = { name: "android/", reason: "it is not there", fix: "npx cap add android" };
  const fact = { name: "gradle", value: "8.14.3", from: "a file", why: "" };
  const open = { name: "node", value: null, from: "", why: "it tells its version when it is run" };
  const none = { name: "appId", value: "", from: "capacitor.config.ts", why: "" };
  const preflight = {
    android: {
      ready: true,
      missing: [],
      lacks: [lack],
      plan: [{ ...fact, ok: false, why: "old" }, 3, { ...none, ok: true }],
      unknown: [{ name: "node", why: open.why }],
    },
  };
  const { android, web } = toolchainOf({ preflight }, { ready: true, plan: [fact] })?.lacks ??
    assert.fail();
  assert.deepEqual([android.ready, android.project, web.ready], [false, [lack], true]);
  assert.deepEqual([android.plan, web.plan], [[fact, none, open], [fact]]);
});
