import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { test } from "node:test";
import { findBrowser } from "../../lib/toolchain/mod.ts";
import { loadRuntime } from "../../scripts/shared/runtime.ts";
import { withoutProc } from "../support/needs.ts";
import { until } from "../support/until.ts";

const CHILD = "Deno" in globalThis
  ? [process.execPath, "run", "-A", "--no-check", "tests/engines/browser-child.ts"]
  : [process.execPath, "dist/tests/engines/browser-child.js"];

const found = await findBrowser(await loadRuntime());
const skip = withoutProc || (found.present ? false : `no browser: ${found.reason}`);

interface Running {
  readonly pid: number;
  readonly parent: number;
  /** Tells two processes of one number apart. */
  readonly started: string;
}

function running(): readonly Running[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    const stat = readOf(name, "stat");
    // `pid (name) state parent …`: the name may hold anything. The 20th word after it is the start.
    const words = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (stat === "" || words[0] === "Z") return [];
    return [{ pid: Number(name), parent: Number(words[1]), started: words[19] ?? "" }];
  });
}

function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return ""; // it has ended
  }
}

/** All that descends from a process. */
function descendants(root: number): readonly Running[] {
  const all = running();
  const family = new Set([root]);
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.filter(({ pid }) => pid !== root && family.has(pid));
}

test("a browser of the service's own ends with it, also when the service is killed", {
  skip,
}, async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("content-type", "text/html").end("<!doctype html><title>draws</title>");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const [command = "", ...words] = CHILD;
  const ticket = crypto.randomUUID();
  const child = spawn(command, [...words, `http://127.0.0.1:${address.port}/${ticket}`], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const { pid } = child;
  assert.ok(pid !== undefined);
  let browser: readonly Running[] = [];
  const left = () => {
    const now = running();
    return browser.filter((one) =>
      now.some(({ pid, started }) => pid === one.pid && started === one.started)
    );
  };
  try {
    await until("the browser shows its page", () => asked.includes(`/${ticket}`));
    browser = descendants(pid);
    assert.ok(browser.length > 3, `${browser.length} processes`);
    const shown = browser.filter(({ pid }) => readOf(`${pid}`, "cmdline").includes(ticket));
    assert.deepEqual(shown, [], "the address is in a command line");
    process.kill(pid, "SIGKILL");
    await until("all of the browser has ended", () => left().length === 0, 30_000);
  } finally {
    for (const { pid } of left()) process.kill(pid, "SIGKILL");
    if (child.exitCode === null && child.signalCode === null) process.kill(pid, "SIGKILL");
    server.closeAllConnections();
    server.close();
  }
});
