import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { createFiles } from "../../adapters/node/files.ts";
import { ok } from "../../lib/core/result.ts";
import { asOnlyBuilder } from "../../lib/project/jobs/only-builder.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

test("asOnlyBuilder(): who was suspended while another took its place leaves that one alone", () =>
  withFolder(async (folder) => {
    let beat = () => {};
    const dependencies = (pid: number) => ({
      files: createFiles(),
      clock: {
        now: () => Date.now(),
        monotonic: () => performance.now(),
        // A heart beats when the test says so.
        sleep: (_ms: number, signal?: AbortSignal) =>
          new Promise<void>((resolve) => {
            beat = resolve;
            signal?.addEventListener("abort", () => resolve(), { once: true });
          }),
      },
      host: { userData: join(folder, "user"), pid },
      isAlive: () => true,
    });
    /** A build that runs until it is ended. */
    const build = (pid: number) => {
      let end = () => {};
      let begun = () => {};
      const ended = new Promise<void>((resolve) => end = resolve);
      const hasBegun = new Promise<void>((resolve) => begun = resolve);
      const work = async () => {
        begun();
        await ended;
        return ok(pid);
      };
      const result = asOnlyBuilder(dependencies(pid), {
        root: folder,
        kind: "build",
        key: "web",
        work,
      });
      return { end, result, begun: Promise.race([hasBegun, result]) };
    };
    const first = build(1);
    await first.begun;
    const beatOfFirst = beat;
    const builders = join(folder, "user/builders");
    const [marker = ""] = readdirSync(builders);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(join(builders, marker), longAgo, longAgo); // it has been silent for an hour
    const second = build(2);
    await second.begun;
    beatOfFirst();
    first.end();
    assert.deepEqual(await first.result, ok(1));
    const third = build(3);
    const refused = await third.result;
    assert.equal(refused.ok ? "" : refused.error.code, "build-running");
    second.end();
    assert.deepEqual(await second.result, ok(2));
    const fourth = build(4);
    fourth.end();
    assert.deepEqual(await fourth.result, ok(4));
  }));

const CHILD = "Deno" in globalThis
  ? [process.execPath, "run", "-A", "--no-check", "tests/project/builder-child.ts"]
  : [process.execPath, "dist/tests/project/builder-child.js"];

// BUILD-10
for (const isTaken of [true, false]) {
  const title = isTaken
    ? "writes nothing where another has taken its place"
    : "goes on where nobody has taken its place";
  test(`asOnlyBuilder(): a process that was suspended ${title}`, {
    skip: process.platform === "win32" && "Windows suspends no process by a signal",
  }, () =>
    withFolder(async (folder) => {
      const [userData, before, after] = ["user", "before", "after"].map((name) =>
        join(folder, name)
      );
      assert.ok(userData !== undefined && before !== undefined && after !== undefined);
      const [command = "", ...words] = CHILD;
      const child = spawn(command, [...words, folder, userData, before, after], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const { pid } = child;
      assert.ok(pid !== undefined);
      try {
        const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
        assert.equal((await lines.next()).value, "suspended");
        if (isTaken) {
          const builders = join(userData, "builders");
          const longAgo = new Date(Date.now() - 3_600_000);
          for (const mark of readdirSync(builders)) {
            utimesSync(join(builders, mark), longAgo, longAgo);
          }
          const own = await loadRuntime();
          const second = await asOnlyBuilder({ ...own, host: { ...own.host, userData } }, {
            root: folder,
            kind: "build",
            key: "web",
            work: () => {
              rmSync(before);
              writeFileSync(after, "second builder");
              return Promise.resolve(ok("second"));
            },
          });
          assert.deepEqual(second, ok("second"));
        }
        let line: string | null = null;
        const answered = lines.next().then(({ value }) => void (line = String(value)));
        // It says that it is suspended before it is: a signal that comes too early wakes nobody.
        await until("the builder has ended", () => {
          if (child.exitCode === null && line === null) process.kill(pid, "SIGCONT");
          return line !== null;
        }, 30_000);
        await answered;
        const ended = JSON.parse(line ?? "");
        if (isTaken) {
          assert.deepEqual([ended.status, ended.code], [409, "builder-lost"]);
          assert.match(ended.detail, /silent for more than 60 s, and another one/);
          assert.equal(existsSync(before), false);
          assert.equal(readFileSync(after, "utf8"), "second builder");
        } else {
          assert.deepEqual(ended, { ok: true });
          assert.equal(readFileSync(after, "utf8"), "first builder");
        }
      } finally {
        if (child.exitCode === null && child.signalCode === null) {
          process.kill(pid, "SIGKILL");
        }
      }
    }));
}
