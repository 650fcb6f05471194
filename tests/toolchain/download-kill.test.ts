import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import { withFolder } from "../support/folder.ts";
import { hashOf, noise, run, serving, startFaultServer } from "./download-world.ts";

const BIG = noise(3_000_000, 3);
const PAUSE = 2_000_000;

const server = await startFaultServer();
afterTests(() => server.close());

test("download() goes on where a killed process stopped", () =>
  withFolder(async (folder) => {
    const to = join(folder, "tool");
    server.answer(serving({ body: BIG, hangAfter: PAUSE }), serving({ body: BIG }));
    const url = `${server.origin}/tool`;
    const child = startDownload([url, to, hashOf(BIG), String(BIG.length)]);
    await lineOf(child, (line) => Number(/^download (\d+)/.exec(line)?.[1]) > PAUSE - 300_000);
    child.kill("SIGKILL");
    await new Promise((ended) => child.once("close", ended));
    assert.ok(!existsSync(to));
    const left = statSync(`${to}.part`).size;
    assert.ok(left > PAUSE - 300_000, `${left} bytes were left`);

    const artifact = { sha256: hashOf(BIG), bytes: BIG.length };
    const { result } = await run(url, to, { artifact });
    assert.ok(result.ok, JSON.stringify(result));
    assert.equal(result.value.fetched, BIG.length - left);
    assert.equal(server.seen[1]?.range, `bytes=${left}-`);
    assert.equal(hashOf(readFileSync(to)), hashOf(BIG));
    assert.deepEqual(readdirSync(folder), ["tool"]);
  }));

test("download() started again in another process takes what this one left", () =>
  withFolder(async (folder) => {
    const to = join(folder, "tool");
    server.answer(serving({ body: BIG, hangAfter: PAUSE }), serving({ body: BIG }));
    const url = `${server.origin}/tool`;
    const artifact = { sha256: hashOf(BIG), bytes: BIG.length };
    const stop = new AbortController();
    const first = await run(url, to, {
      artifact,
      signal: stop.signal,
      progress: {
        log: () => undefined,
        progress: ({ done }) => done > PAUSE - 300_000 && stop.abort(),
      },
    });
    assert.ok(!first.result.ok);
    assert.equal(first.result.error.code, "cancelled");
    assert.match(first.result.error.next, /goes on where it stopped/);
    const left = statSync(`${to}.part`).size;

    const child = startDownload([url, to, hashOf(BIG), String(BIG.length)]);
    const line = await lineOf(child, (line) => line.startsWith("result "));
    assert.match(line, new RegExp(`"ok":true.*"fetched":${BIG.length - left}\\b`));
    assert.equal(hashOf(readFileSync(to)), hashOf(BIG));
  }));

function startDownload(args: readonly string[]): ChildProcess {
  const [command, words] = "Deno" in globalThis
    ? [process.execPath, ["run", "-A", "tests/toolchain/download-kill-child.ts"]]
    : [process.execPath, ["dist/tests/toolchain/download-kill-child.js"]];
  return spawn(command, [...words, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** The first line of a process's output that is meant. */
function lineOf(child: ChildProcess, isMeant: (line: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += chunk;
      const found = text.split("\n").slice(0, -1).find(isMeant);
      if (found !== undefined) resolve(found);
    });
    child.once("error", reject);
    child.once("close", () => reject(new Error(`It ended after:\n${text}`)));
  });
}
