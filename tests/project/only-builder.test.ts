import assert from "node:assert/strict";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createFiles } from "../../adapters/node/files.ts";
import { ok } from "../../lib/core/result.ts";
import { asOnlyBuilder } from "../../lib/project/jobs/only-builder.ts";
import { withFolder } from "../support/folder.ts";

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
