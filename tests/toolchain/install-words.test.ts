import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { runRecipeStep } from "../../lib/toolchain/recipes/steps.ts";
import { NO_PINS, put, toolchainFor } from "./install-world.ts";
import { folder, posix, runtime, script } from "./real-machine.ts";

// What an installation tells people in cases that are rare.

test("a lock that nobody can read is waited for, said so, and taken over", posix, async () => {
  const toolchain = toolchainFor(NO_PINS);
  put(join(toolchain.directory, "locks/jdk.lock"), "");
  const lines: string[] = [];
  const removed = await toolchain.uninstall("java", { onLog: (line) => lines.push(line) });
  assert.ok(removed.ok, JSON.stringify(removed));
  assert.deepEqual(lines, [
    "Another process (whose lock cannot be read) is at jdk: waiting",
    "That process gives no sign of life any more: taking over",
  ]);
});

for (
  const [body, reported] of [
    ["kill -9 $$", "was ended by SIGKILL; it said nothing"],
    ["exit 3", "exited 3, expected 0; it said nothing"],
    ["echo no space; exit 3", "exited 3, expected 0: no space"],
  ] as const
) {
  test(`runStep() of a program that ${reported}`, posix, async () => {
    const command = join(folder(), "program");
    script(command, body);
    const context = {
      ...runtime,
      signal: new AbortController().signal,
      progress: { log: () => {}, progress: () => {} },
    };
    const run = { command, args: [], cwd: folder(), env: {}, purpose: "try", timeoutMs: 10_000 };
    const done = await runRecipeStep(run, context);
    assert.equal(done.ok ? "" : done.error.message, `Cannot try: ${command} ${reported}`);
  });
}
