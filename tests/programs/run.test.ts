import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunRequest, RunResult } from "../../lib/ports/processes.ts";
import { howEnded, type ProgramMachine, runProgram } from "../../lib/programs/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withoutShell } from "../support/needs.ts";

const runtime = await loadRuntime();
const OPTIONS = { cwd: runtime.host.temporary, env: { PATH: "/bin" } };

/** Runs a real program: `sh -c` what is given. */
function sh(script: string, options: Partial<Parameters<typeof runProgram>[2]> = {}) {
  return runProgram("/bin/sh", ["-c", script], { ...OPTIONS, machine: runtime, ...options });
}

for (
  const [title, script, expected, how] of [
    ["exits 0", "echo out; echo err >&2", { kind: "exited", code: 0, stdout: "out\n" }, "exited 0"],
    ["exits 3", "exit 3", { kind: "exited", code: 3 }, "exited 3, expected 0"],
    ["kills itself", "kill -9 $$", { kind: "signalled", signal: "SIGKILL" }, "ended by SIGKILL"],
    ["hangs", "sleep 60", { kind: "timed-out", timeoutMs: 200 }, "not end within 0.2 s"],
  ] as const
) {
  test(`runProgram() of a program that ${title}`, { skip: withoutShell }, async () => {
    const timeoutMs = expected.kind === "timed-out" ? expected.timeoutMs : 60_000;
    const end = await sh(script, { timeoutMs });
    assert.deepEqual({ ...end, ...expected }, end);
    assert.match(howEnded(end), new RegExp(how));
  });
}

test("runProgram() keeps the beginning of each stream, and the last lines of both", {
  skip: withoutShell,
}, async () => {
  const lines: string[] = [];
  const end = await sh("i=0; while [ $i -lt 100 ]; do echo line$i; i=$((i+1)); done; echo e >&2", {
    maxOutputBytes: 12,
    onLine: (line, stream) => lines.push(`${stream} ${line}`),
  });
  assert.ok(end.kind === "exited");
  assert.deepEqual([end.stdout, end.stderr, lines.length], ["line0\nline1\n", "e\n", 101]);
  assert.match(end.tail, /line98\nline99/);
  assert.doesNotMatch(end.tail, /line79\n/);
});

test("runProgram() that is cancelled ends what it started", { skip: withoutShell }, async () => {
  const abort = new AbortController();
  const end = await sh("echo begun; sleep 60", {
    signal: abort.signal,
    onLine: () => abort.abort(),
  });
  assert.ok(end.kind === "cancelled");
  assert.deepEqual([end.tail, howEnded(end)], ["begun", "was cancelled"]);
});

test("runProgram() of what is not there says why it did not start", async () => {
  const end = await runProgram(
    `${runtime.host.temporary}/no-such-program`,
    [],
    { ...OPTIONS, machine: runtime },
  );
  assert.equal(end.kind, "not-started");
  assert.match(howEnded(end), /^did not start: ./);
});

test("runProgram() refuses what cannot be started safely, before anything runs", async () => {
  const machine: ProgramMachine = {
    ...runtime,
    host: { platform: "win32", env: () => undefined },
    processes: { run: () => Promise.reject(new Error("it ran")) },
  };
  const end = await runProgram("C:\\a.cmd", ["%PATH%"], { ...OPTIONS, machine });
  assert.ok(end.kind === "refused");
  assert.match(end.reason, /"%PATH%" holds a quote, a percent sign/);
  assert.equal(end.next, "Remove it: it cannot be passed on safely");
});

test("runProgram() gives a program its environment alone, and no deadline that nobody set", async () => {
  const requests: RunRequest[] = [];
  const exited: RunResult = { kind: "exited", code: 0, stdout: "", stderr: "", truncated: false };
  const processes = {
    run(request: RunRequest) {
      requests.push(request);
      return Promise.resolve(exited);
    },
  };
  const end = await sh("", { machine: { ...runtime, processes } });
  assert.equal(end.kind, "exited");
  const [request] = requests;
  assert.deepEqual(request?.env, OPTIONS.env);
  assert.equal(request?.timeoutMs, Number.MAX_SAFE_INTEGER);
  assert.equal(request?.maxOutputBytes, 64 * 1024);
});
