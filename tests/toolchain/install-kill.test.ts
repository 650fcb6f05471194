import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import type { Pins } from "../../lib/toolchain/mod.ts";
import { litterOf, offerStandIn, plainHost, startVendor, toolchainFor } from "./install-world.ts";
import { folder, posix } from "./real-machine.ts";

// Installations in processes of their own: killed at every step, and two at once on both runtimes.

const vendor = await startVendor();
after(() => vendor.close());

const NODE_CHILD = "dist/tests/toolchain/install-child.js";
const DENO_CHILD = "tests/toolchain/install-child.ts";
const onDeno = "Deno" in globalThis;

interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  /** Resolves when a line begins so. */
  said(start: string): Promise<string>;
  readonly ended: Promise<void>;
}

function startChild(command: readonly [string, readonly string[]], order: object): Child {
  const [program, args] = command;
  const child = spawn(program, [...args, JSON.stringify(order)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "" },
  });
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  let rest = "";
  let over = false;
  const wake = () => waiting.splice(0).forEach((each) => each());
  child.stdout.on("data", (chunk) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    wake();
  });
  child.stderr.on("data", (chunk) => lines.push(`stderr ${chunk}`));
  const ended = new Promise<void>((resolve) =>
    child.on("close", () => {
      over = true;
      resolve();
      wake();
    })
  );
  return {
    process: child,
    lines,
    ended,
    async said(start) {
      for (;;) {
        const line = lines.find((each) => each.startsWith(start));
        if (line !== undefined) return line;
        if (over) throw new Error(`it ended before it said ${start}: ${lines.join(" | ")}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

const own: readonly [string, readonly string[]] = onDeno
  ? [process.execPath, ["run", "-A", "--no-check", DENO_CHILD]]
  : [process.execPath, [NODE_CHILD]];

/** Kills an installation at a phase. */
async function killAt(phase: string, order: object): Promise<void> {
  const child = startChild(own, { ...order, stopAt: phase });
  await child.said(`phase ${phase}`);
  child.process.kill("SIGKILL");
  await child.ended;
}

async function versionOf(pins: Pins, toolchainDir: string): Promise<string | null> {
  const { detect } = toolchainFor(pins, { ...hostOf(toolchainDir) });
  const found = await detect("java");
  return found.present && found.source === "own" ? found.version ?? "" : null;
}

function hostOf(toolchainDir: string) {
  return { host: plainHost(folder(), { SVC_TOOLCHAIN_DIR: toolchainDir }) };
}

const PHASES = [
  "locked",
  "build",
  "download",
  "extract",
  "built",
  "tested",
  "swap-out-0",
  "swap-in-0",
  "receipt",
  "committed",
] as const;

for (const phase of PHASES) {
  test(
    `install() killed at '${phase}' leaves the old version or the new, and the next run cleans up`,
    posix,
    async () => {
      const toolchainDir = join(folder(), "töol chain");
      const old = await offerStandIn(vendor, "jdk", 1);
      const first = toolchainFor(old, hostOf(toolchainDir));
      assert.ok((await first.install("java")).ok);
      const pins = await offerStandIn(vendor, "jdk", 2);
      await killAt(phase, { id: "java", toolchainDir, pins, anew: true });

      const next = toolchainFor(pins, hostOf(toolchainDir));
      // Before the next run: old or new, whole, or between the two renames nothing, never half of one.
      const between = phase === "swap-in-0";
      const committed = phase === "committed";
      // After the second rename the receipt is still the old one: what is in place is not trusted.
      const expected = between || phase === "receipt"
        ? [null, "21.0.1", "21.0.2"]
        : [committed ? "21.0.2" : "21.0.1"];
      assert.ok(expected.includes(await versionOf(pins, toolchainDir)), phase);

      // Any next run brings back a whole one, whatever becomes of that run itself.
      const worse = toolchainFor(
        await offerStandIn(vendor, "jdk", 3),
        hostOf(toolchainDir),
      );
      vendor.fault = (_, response) => void response.writeHead(404).end();
      const failed = await worse.install("java", { anew: true });
      vendor.fault = null;
      await offerStandIn(vendor, "jdk", 2);
      assert.equal(failed.ok, false);
      assert.equal(await versionOf(pins, toolchainDir), committed ? "21.0.2" : "21.0.1");
      assert.deepEqual(litterOf(toolchainDir), []);
      assert.ok((await next.install("java", { anew: true })).ok);
      assert.equal(await versionOf(pins, toolchainDir), "21.0.2");
      const verified = await next.verify("java", { deep: true });
      assert.ok(verified.ok && verified.value.whole);
      assert.deepEqual(litterOf(toolchainDir), []);
    },
  );
}

test("uninstall() that is killed is completed by the next run", posix, async () => {
  const toolchainDir = join(folder(), "töol chain");
  const pins = await offerStandIn(vendor, "jdk", 1);
  const toolchain = toolchainFor(pins, hostOf(toolchainDir));
  assert.ok((await toolchain.install("java")).ok);
  await killAt("uninstall", { id: "java", toolchainDir, pins, uninstall: true });
  assert.ok((await toolchain.uninstall("java")).ok);
  assert.equal(await versionOf(pins, toolchainDir), null);
  assert.deepEqual(litterOf(toolchainDir), []);
  assert.equal(existsSync(join(toolchainDir, "receipts/jdk.json")), false);
});

const noNode = existsSync(NODE_CHILD) ? null : `no ${NODE_CHILD}: run tsc first`;
const deno = denoPath();
const both = noNode !== null
  ? { skip: noNode }
  : deno === null
  ? { skip: "no Deno on this machine" }
  : posix;

/** Where the gate's own Deno is. */
function denoPath(): string | null {
  if (onDeno) return process.execPath;
  const known = ".cache/deno@2.9.6.path";
  const path = existsSync(known) ? readFileSync(known, "utf8").trim() : "";
  return existsSync(path) ? path : null;
}

function commands(): readonly (readonly [string, readonly string[]])[] {
  const node = onDeno ? "node" : process.execPath;
  return [
    [node, [NODE_CHILD]],
    [deno ?? "", ["run", "-A", "--no-check", DENO_CHILD]],
  ];
}

for (const [ownerName, owner, waiter] of [["Node", 0, 1], ["Deno", 1, 0]] as const) {
  test(
    `two installers at once, ${ownerName} first: one installs, the other tells its log, both succeed`,
    both,
    async () => {
      const toolchainDir = join(folder(), "töol chain");
      const pins = await offerStandIn(vendor, "jdk", 1);
      vendor.asked.length = 0;
      let letGo: () => void = () => undefined;
      const held = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      vendor.fault = (request, response) =>
        void held.then(() => response.end(vendor.bodies.get(request.url ?? "")));
      const [first, second] = [commands()[owner], commands()[waiter]];
      assert.ok(first !== undefined && second !== undefined);
      const one = startChild(first, { id: "java", toolchainDir, pins });
      await one.said("phase download");
      const two = startChild(second, { id: "java", toolchainDir, pins });
      await two.said("log Another process");
      letGo();
      const results = await Promise.all([one.said("result"), two.said("result")]);
      vendor.fault = null;
      for (const result of results) assert.match(result, /^result \{"ok":true/);
      assert.ok(two.lines.includes("log java 21.0.1 works"), two.lines.join("\n"));
      assert.equal(two.lines.some((line) => line.startsWith("phase download")), false);
      assert.equal(vendor.asked.length, 1);
      await Promise.all([one.ended, two.ended]);
      assert.deepEqual(litterOf(toolchainDir), []);
    },
  );

  test(
    `an installer on ${ownerName} that is killed is taken over by the one that waits`,
    both,
    async () => {
      const toolchainDir = join(folder(), "töol chain");
      const pins = await offerStandIn(vendor, "jdk", 1);
      const [first, second] = [commands()[owner], commands()[waiter]];
      assert.ok(first !== undefined && second !== undefined);
      const one = startChild(first, { id: "java", toolchainDir, pins, stopAt: "built" });
      await one.said("phase built");
      const waiters = [second, second].map((command) =>
        startChild(command, { id: "java", toolchainDir, pins })
      );
      await Promise.all(waiters.map((each) => each.said("log Another process")));
      one.process.kill("SIGKILL");
      const results = await Promise.all(waiters.map((each) => each.said("result")));
      for (const result of results) assert.match(result, /^result \{"ok":true/);
      const builders = waiters.filter(({ lines }) => lines.includes("phase build"));
      assert.equal(builders.length, 1);
      await Promise.all(waiters.map((each) => each.ended));
      assert.deepEqual(litterOf(toolchainDir), []);
    },
  );
}
