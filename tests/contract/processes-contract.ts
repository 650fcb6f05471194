import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import type { Processes, RunRequest, RunResult } from "../../lib/ports/processes.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { withoutProc, withoutSetsid, withoutShell as skip } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { countedAbort, isRunning } from "./conditions.ts";

const noSetsid = withoutSetsid();

/** What running programs promises. The programs are those of a POSIX shell. */
export function processesContract(createProcesses: () => Processes): void {
  const { run } = createProcesses();
  const sh: Shell = (script, over = {}) => run({ ...request(script), ...over });
  results(sh);
  handedOver(sh);
  output(sh);
  killing(sh);
  notStarting(sh);
}

type Shell = (script: string, over?: Partial<RunRequest>) => Promise<RunResult>;

function request(script: string): RunRequest {
  return {
    command: "/bin/sh",
    args: ["-c", script],
    cwd: tmpdir(),
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: 600_000, // long, so that a timer that is left behind holds the tests up and is found
    maxOutputBytes: 10_000,
  };
}

function results(sh: Shell): void {
  test("Processes.run() tells the exit code and both streams", { skip }, async () => {
    assert.deepEqual(await sh("echo out; echo err >&2; exit 3"), {
      kind: "exited",
      code: 3,
      stdout: "out\n",
      stderr: "err\n",
      truncated: false,
    });
  });

  test("Processes.run() tells the signal that ended a program", { skip }, async () => {
    assert.deepEqual(await sh("echo last words; kill -TERM $$"), {
      kind: "signalled",
      signalName: "SIGTERM",
      stdout: "last words\n",
      stderr: "",
      truncated: false,
    });
  });

  test("Processes.run() keeps twenty programs apart", { skip }, async () => {
    const ran = await Promise.all(
      Array.from({ length: 20 }, (_, i) => sh(`echo ${i}; exit ${i}`)),
    );
    for (const [i, one] of ran.entries()) {
      assert.ok(one.kind === "exited");
      assert.deepEqual([one.code, one.stdout], [i, `${i}\n`]);
    }
  });
}

function handedOver(sh: Shell): void {
  test(
    "Processes.run() writes what is held, and leaves standard input open",
    { skip },
    async () => {
      // A reader of the rest is still there after a while, and would not be at the end of the input.
      const script = 'read -r line; exec 5<&0; cat <&5 & sleep 0.3; kill $! && echo "held $line"';
      const ran = await sh(script, { heldInput: "a line\n" });
      assert.deepEqual([ran.kind, ran.kind === "exited" && ran.stdout], [
        "exited",
        "held a line\n",
      ]);
      const closed = await sh("cat; echo closed");
      assert.equal(closed.kind === "exited" && closed.stdout, "closed\n");
    },
  );

  test(
    "Processes.run() gives a program exactly the environment of its request",
    { skip },
    async () => {
      const env = { A: "1", B: "two words", C: "", D: 'ö "$A"' };
      const ran = await sh("", { command: "/usr/bin/env", args: [], env });
      assert.ok(ran.kind === "exited");
      assert.deepEqual(
        ran.stdout.trimEnd().split("\n").filter((line) => !/^SLIPWAY_RUN_ID=/.test(line)).sort(),
        Object.entries(env).map(([name, value]) => `${name}=${value}`),
      );
    },
  );

  test("Processes.run() gives a program its arguments as they are", { skip }, async () => {
    const args = ["two words", "", '"', "'", "$HOME", "*", "\\", "a\nb", "ö"];
    const ran = await sh("", { args: ["-c", 'printf "%s|" "$@"', "sh", ...args] });
    assert.ok(ran.kind === "exited");
    assert.equal(ran.stdout, args.map((arg) => `${arg}|`).join(""));
  });

  test(
    "Processes.run() runs a program in its folder",
    { skip },
    () =>
      withFolder(async (folder) => {
        writeTree(folder, { marker: "here" });
        const ran = await sh("cat marker", { cwd: folder });
        assert.ok(ran.kind === "exited");
        assert.equal(ran.stdout, "here");
      }),
  );

  test("Processes.run() gives a program nothing to read", { skip }, async () => {
    const ran = await sh("cat; echo read to the end");
    assert.ok(ran.kind === "exited");
    assert.equal(ran.stdout, "read to the end\n");
  });
}

function output(sh: Shell): void {
  for (
    const [name, size, kept, truncated] of [
      ["exactly the bound", 1000, 1000, false],
      ["one byte over the bound", 1001, 1000, true],
      ["10 MB", 10_000_000, 1000, true],
    ] as const
  ) {
    test(
      `Processes.run() bounds the output of a program that prints ${name}`,
      { skip },
      async () => {
        let heard = 0;
        const ran = await sh(`head -c ${size} /dev/zero | tr '\\0' x; echo done >&2`, {
          maxOutputBytes: 1000,
          onOutput: (text, stream) => heard += stream === "stdout" ? text.length : 0,
        });
        assert.ok(ran.kind === "exited");
        assert.deepEqual([ran.code, ran.stderr, ran.truncated], [0, "done\n", truncated]);
        assert.equal(ran.stdout, "x".repeat(kept));
        assert.equal(heard, size);
      },
    );
  }

  test("Processes.run() bounds each stream by itself", { skip }, async () => {
    const ran = await sh("printf 12345; printf 123456 >&2", { maxOutputBytes: 5 });
    assert.ok(ran.kind === "exited");
    assert.deepEqual([ran.stdout, ran.stderr, ran.truncated], ["12345", "12345", true]);
  });

  test("Processes.run() decodes UTF-8 that comes in pieces", { skip }, async () => {
    const pieces: string[] = [];
    // The pause makes two chunks of one character; without it the test proves less but still holds.
    const ran = await sh("printf 'a\\342\\202'; sleep 0.1; printf '\\254b'", {
      onOutput: (text) => void pieces.push(text),
    });
    assert.ok(ran.kind === "exited");
    assert.equal(ran.stdout, "a€b");
    assert.equal(pieces.join(""), "a€b");
  });

  test("Processes.run() cuts at whole characters, and tells a broken one as such", {
    skip,
  }, async () => {
    const cut = await sh("printf 'a\\342\\202\\254'", { maxOutputBytes: 3 });
    assert.ok(cut.kind === "exited");
    assert.deepEqual([cut.stdout, cut.truncated], ["a", true]);
    const pieces: string[] = [];
    const broken = await sh("printf 'a\\342\\202'", { onOutput: (text) => void pieces.push(text) });
    assert.ok(broken.kind === "exited");
    assert.deepEqual([broken.stdout, pieces.join("")], ["a\ufffd", "a\ufffd"]);
  });

  test("Processes.run() tells output while the program runs, by stream", { skip }, async () => {
    const stop = new AbortController();
    const heard: string[] = [];
    const ran = await sh("echo warning >&2; sleep 30", {
      signal: stop.signal,
      onOutput: (text, stream) => {
        heard.push(stream, text);
        stop.abort();
      },
    });
    assert.equal(ran.kind, "killed");
    assert.deepEqual(heard, ["stderr", "warning\n"]);
  });
}

/** Tells its pid only once it has left the group. */
const AWAY = "setsid sh -c 'echo $$; exec sleep 300'";
const LONELY = `/usr/bin/env -i /usr/bin/${AWAY} & wait`;
const WITH_GRANDCHILD = "sleep 300 & echo $!; wait";

async function assertGone(ran: RunResult): Promise<void> {
  assert.ok(ran.kind !== "not-started");
  const pid = Number(ran.stdout);
  assert.ok(Number.isSafeInteger(pid) && pid > 1, `no pid: ${ran.stdout}`);
  await until(`the grandchild ${pid} has ended`, () => !isRunning(pid));
}

function killing(sh: Shell): void {
  test("Processes.run() kills what a program started too, at the deadline", { skip }, async () => {
    const started = performance.now();
    const ran = await sh(WITH_GRANDCHILD, { timeoutMs: 2_000 });
    assert.ok(performance.now() - started < 100_000);
    assert.ok(ran.kind === "killed");
    assert.equal(ran.by, "timeout");
    await assertGone(ran);
  });

  test(
    "Processes.run() kills what a program started too, when it is aborted",
    { skip },
    async () => {
      const stop = new AbortController();
      const ran = await sh(WITH_GRANDCHILD, { signal: stop.signal, onOutput: () => stop.abort() });
      assert.ok(ran.kind === "killed");
      assert.equal(ran.by, "cancel");
      await assertGone(ran);
    },
  );

  for (
    const [name, script, also] of [
      ["in a session of its own", `${AWAY} & wait`, false],
      ["in a session of its own, without its environment", LONELY, false],
      ["that lost its parent, too", `(${AWAY} &); sleep 300`, withoutProc],
      ["whose parent is killed first", "setsid sh -c 'sleep 300 & echo $!; wait' & wait", false],
    ] as const
  ) {
    test(`Processes.run() kills a child ${name}`, {
      skip: noSetsid || also,
    }, async () => {
      const stop = new AbortController();
      const ran = await sh(script, { signal: stop.signal, onOutput: () => stop.abort() });
      assert.ok(ran.kind === "killed");
      assert.equal(ran.by, "cancel");
      await assertGone(ran);
    });
  }

  test(
    "Processes.run() kills a program that does not mind being asked to end",
    { skip },
    async () => {
      const ran = await sh("trap '' TERM INT HUP; echo $$; while :; do sleep 1; done", {
        timeoutMs: 2_000,
      });
      assert.ok(ran.kind === "killed");
      await assertGone(ran);
    },
  );

  test(
    "Processes.run() does not wait for a grandchild that holds the pipes",
    { skip },
    async () => {
      const started = performance.now();
      const ran = await sh("sleep 300 & echo $!; exit 4");
      assert.ok(performance.now() - started < 100_000);
      assert.ok(ran.kind === "exited");
      assert.equal(ran.code, 4);
      await assertGone(ran);
    },
  );

  test("Processes.run() does not wait for one that left its group either", {
    skip: noSetsid,
  }, async () => {
    const started = performance.now();
    const ran = await sh("setsid sleep 300 & echo $!; exit 0");
    assert.ok(performance.now() - started < 100_000);
    assert.ok(ran.kind === "exited");
    assert.match(ran.stdout, /^\d+\n$/);
    process.kill(Number(ran.stdout), "SIGKILL");
  });

  test("Processes.run() does not wait for a grandchild that never stops talking", {
    skip,
  }, async () => {
    const started = performance.now();
    const ran = await sh("(while :; do echo; sleep 0.05; done) & echo $!; exit 5");
    assert.ok(performance.now() - started < 100_000);
    assert.ok(ran.kind === "exited");
    assert.equal(ran.code, 5);
    await assertGone({ ...ran, stdout: ran.stdout.split("\n").find((line) => line !== "") ?? "" });
  });

  test("Processes.run() takes a deadline that no timer can count to", { skip }, async () => {
    for (const timeoutMs of [2 ** 31, Number.POSITIVE_INFINITY]) {
      assert.equal((await sh("sleep 0.05", { timeoutMs })).kind, "exited");
    }
  });

  test(
    "Processes.run() stops listening to the signal of a program that has ended, or never started",
    {
      skip,
    },
    async () => {
      const { abort, listening } = countedAbort();
      for (const command of ["/bin/sh", "/missing"]) {
        const running = sh("exit 0", { command, signal: abort.signal });
        assert.equal(listening(), 1, command);
        const ran = await running;
        assert.equal(ran.kind, command === "/missing" ? "not-started" : "exited");
        assert.equal(listening(), 0, command);
      }
    },
  );

  test(
    "Processes.run() under a signal that was aborted before starts nothing",
    { skip },
    () =>
      withFolder(async (folder) => {
        const ran = await sh("touch marker", { cwd: folder, signal: AbortSignal.abort() });
        assert.deepEqual(ran, {
          kind: "killed",
          by: "cancel",
          stdout: "",
          stderr: "",
          truncated: false,
        });
        assert.equal(existsSync(join(folder, "marker")), false);
      }),
  );
}

function notStarting(sh: Shell): void {
  for (
    const [name, over, why] of [
      ["a program that is not there", { command: "missing" }, /: there is no such program$/],
      ["a folder as a program", { command: "folder" }, /: not a program$/],
      ["a file that is no program", { command: "text" }, /: this user may not execute it$/],
      ["in a folder that is not there", { cwd: "missing" }, /missing: there is no such folder$/],
      ["in a file", { cwd: "text" }, /text: not a folder$/],
      ["with a NUL in an argument", { args: ["-c", "exit\0"] }, /null bytes/],
    ] as const
  ) {
    test(
      `Processes.run() does not start ${name}, and says why`,
      { skip },
      () =>
        withFolder(async (folder) => {
          writeTree(folder, { text: "plain text" });
          mkdirSync(join(folder, "folder"));
          const paths: Partial<RunRequest> = Object.fromEntries(
            Object.entries(over).map(([member, value]) => [
              member,
              typeof value === "string" ? join(folder, value) : value,
            ]),
          );
          const ran = await sh("exit 0", paths);
          assert.ok(ran.kind === "not-started", ran.kind);
          assert.match(ran.reason, why);
          assert.ok(ran.reason.startsWith(`Cannot start ${paths["command"] ?? "/bin/sh"}`));
        }),
    );
  }
}
