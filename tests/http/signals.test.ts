import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import assert from "node:assert/strict";
import process from "node:process";
import { PROFILE_MODELS } from "../editor/profile-models.ts";
import { withFolder, writeTree } from "../support/folder.ts";
import { scriptCommand } from "../support/script.ts";
import { until } from "../support/until.ts";

/** What a script is asked: once it runs, and how it then answers. */
interface Talk {
  /** Resolves when a line of standard output contains the words. */
  readonly outputWith: (words: string) => Promise<string>;
  readonly send: (message: object) => void;
}

/** Runs a script with a temporary folder of its own, and ends it by a signal. @returns Its exit code. */
async function ended(
  { script, args, temporary, signal }: {
    readonly script: "start" | "mcp";
    readonly args: readonly string[];
    readonly temporary: string;
    readonly signal: "SIGINT" | "SIGTERM";
  },
  work: (talk: Talk) => Promise<void>,
): Promise<number | null> {
  const [command, words] = scriptCommand(script, [...args]);
  const child = spawn(command, words, {
    env: { ...process.env, SVC_TOKEN: "", TMPDIR: temporary },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const end = new Promise<number | null>((resolve) => child.on("close", resolve));
  let out = "";
  const outputWith = (words: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const line = out.split("\n").slice(0, -1).find((one) => one.includes(words));
        if (line !== undefined) resolve(line);
      };
      child.stdout.on("data", look);
      child.on("close", () => reject(new Error(`ended after ${JSON.stringify(out)}`)));
      look();
    });
  child.stdout.on("data", (chunk) => out += String(chunk));
  try {
    await work({
      outputWith,
      send: (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
    });
  } finally {
    // Not child.kill(): on Deno that also makes up the exit code.
    if (child.pid !== undefined && child.exitCode === null) process.kill(child.pid, signal);
  }
  return await end;
}

/** A project whose one sound is too large to be kept in memory, in a folder; and a temporary one. */
async function withLargeSound(
  work: (project: string, temporary: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const sound = new Uint8Array(1024 * 1024 + 64);
    sound.set(new TextEncoder().encode("OggS"));
    writeTree(folder, { "temporary/.keep": "", "game/assets/audio/long.ogg": sound });
    const startScene = "scenes/main.scene.json";
    const build = { web: { command: ["true"], out: "dist" } };
    const config = JSON.stringify({ name: "Game", startScene, build });
    writeTree(folder, { "game/project.config.json": config });
    await work(`${folder}/game`, `${folder}/temporary`);
  });
}

const onWindows = process.platform === "win32" && "Windows has no signals of this kind";

const kept = (temporary: string) =>
  readdirSync(temporary).filter((name) => name.startsWith("slipway-history-"));

/** A client of 2025-11-25 by hand: the official one cannot send its server a signal. */
function greet(send: Talk["send"]): void {
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
}

const callTool = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  test(`mcp.ts that is ended by ${signal} leaves nothing behind of what undo keeps`, () =>
    withLargeSound(async (project, temporary) => {
      const run = { script: "mcp", args: ["--project", project], temporary, signal } as const;
      const code = await ended(run, async ({ send, outputWith }) => {
        greet(send);
        send(callTool(2, "delete_asset", { asset: "assets/audio/long.ogg", force: true }));
        assert.match(await outputWith('"id":2'), /deleted/);
        assert.equal(kept(temporary).length, 1);
      });
      assert.equal(code, signal === "SIGINT" ? 130 : 0);
      assert.deepEqual(kept(temporary), []);
    }));
}

test("start.ts that is ended by SIGTERM leaves nothing behind of what undo keeps", () =>
  withLargeSound(async (project, temporary) => {
    const args = ["--port", "0", "--json", "--project", project];
    const run = { script: "start", args, temporary, signal: "SIGTERM" } as const;
    const code = await ended(run, async ({ outputWith }) => {
      const { url } = JSON.parse(await outputWith('"url"'));
      const answer = await fetch(`${url}/api/assets/delete`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ asset: "assets/audio/long.ogg", force: true }),
      });
      assert.equal((await answer.json()).ok, true);
      assert.equal(kept(temporary).length, 1);
    });
    assert.equal(code, 0);
    assert.deepEqual(kept(temporary), []);
  }));

const [MODEL = ""] = PROFILE_MODELS;
for (const script of ["start", "mcp"] as const) {
  test(`${script}.ts that is ended while it opens a model leaves nothing of it`, {
    skip: onWindows,
  }, () =>
    withFolder(async (temporary) => {
      const [command, words] = scriptCommand(script, ["--project", MODEL]);
      const env = { ...process.env, SVC_TOKEN: "", TMPDIR: temporary };
      const child = spawn(command, words, { env, stdio: ["pipe", "ignore", "inherit"] });
      const end = new Promise((resolve) => child.once("close", resolve));
      try {
        await until("the model has its folder", () => readdirSync(temporary).length > 0);
      } finally {
        child.kill("SIGTERM");
      }
      await end;
      assert.deepEqual(readdirSync(temporary), []);
    }));
}

test("mcp.ts hears a signal also while nobody reads its answers", { skip: onWindows }, async () => {
  const [command, words] = scriptCommand("mcp", ["--project", "lib/editor/sample"]);
  const child = spawn(command, words, { stdio: ["pipe", "pipe", "inherit"] });
  const codes: unknown[] = [];
  child.once("exit", (code) => codes.push(code));
  const send: Talk["send"] = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  try {
    greet(send);
    await once(child.stdout, "readable");
    // 1.2 MB of answers: more than any pipe holds.
    for (let id = 2; id < 42; id++) {
      send(callTool(id, "svc_get_scene_state", { trait: "Transform" }));
    }
    const { stdout } = child;
    await until(
      "the stream takes no more from the pipe",
      () => stdout.readableLength >= stdout.readableHighWaterMark,
    );
    if (child.pid !== undefined) process.kill(child.pid, "SIGTERM");
    await until("mcp.ts has ended", () => codes.length > 0);
    assert.deepEqual(codes, [0]);
  } finally {
    child.kill("SIGKILL");
  }
});

test("start.ts on an empty folder is a new game, which the first save writes", () =>
  withFolder(async (folder) => {
    writeTree(folder, { "temporary/.keep": "", "new game/.keep": "" });
    const project = `${folder}/new game`;
    const args = ["--port", "0", "--json", "--project", project];
    const run = { script: "start", args, temporary: `${folder}/temporary`, signal: "SIGINT" };
    const code = await ended(
      { ...run, script: "start", signal: "SIGINT" },
      async ({ outputWith }) => {
        const { url } = JSON.parse(await outputWith('"url"'));
        const post = async (path: string, body: object) => {
          const headers = { "content-type": "application/json" };
          const init = { method: "POST", headers, body: JSON.stringify(body) };
          return await (await fetch(`${url}${path}`, init)).json();
        };
        const scene = await (await fetch(`${url}/api/scene-state`)).json();
        assert.ok(scene.entityCount > 0);
        assert.deepEqual(readdirSync(project), [".keep"]);
        assert.equal((await post("/api/tools/create_entity", { name: "Hero" })).ok, true);
        assert.equal((await post("/api/tools/save_scene", {})).path, "scenes/main.scene.json");
      },
    );
    assert.equal(code, 130);
    for (const path of ["project.config.json", "scenes/main.scene.json"]) {
      assert.ok(existsSync(`${project}/${path}`), path);
    }
  }));

test("mcp.ts on an empty folder edits, saves, and ends with what it wrote", () =>
  withFolder(async (folder) => {
    writeTree(folder, { "temporary/.keep": "", "game/.keep": "" });
    const project = `${folder}/game`;
    const args = ["--project", project];
    const run = { script: "mcp", args, temporary: `${folder}/temporary`, signal: "SIGTERM" };
    const code = await ended({ ...run, script: "mcp", signal: "SIGTERM" }, async (talk) => {
      greet(talk.send);
      talk.send(callTool(2, "create_entity", { name: "Hero" }));
      await talk.outputWith('"id":2');
      talk.send(callTool(3, "save_scene", {}));
      assert.match(await talk.outputWith('"id":3'), /main\.scene\.json/);
    });
    assert.equal(code, 0);
    assert.ok(existsSync(`${project}/scenes/main.scene.json`));
    assert.ok(existsSync(`${project}/project.config.json`));
  }));

/** Runs the program that hangs, and sends it a signal for each line that it prints. */
async function hangs(
  how: string,
  { signals, fifo = "" }: { readonly signals: readonly NodeJS.Signals[]; readonly fifo?: string },
): Promise<{ end: number | string | null; tidied: boolean }> {
  const [command, words] = scriptCommand("../tests/http/hanging", [how, fifo]);
  const child = spawn(command, words, { stdio: ["ignore", "pipe", "ignore"] });
  let out = "";
  child.stdout.on("data", (chunk) => {
    const signal = signals[out.split("\n").length - 1];
    out += String(chunk);
    if (child.pid !== undefined && signal !== undefined) process.kill(child.pid, signal);
  });
  return await new Promise((resolve) =>
    child.on(
      "close",
      (code, signal) => resolve({ end: signal ?? code, tidied: out.endsWith("tidied\n") }),
    )
  );
}

for (
  const [how, signals, end] of [
    ["closes", ["SIGTERM"], 0],
    ["closes", ["SIGINT"], 130],
    ["never closes", ["SIGTERM"], "SIGTERM"],
    ["never closes", ["SIGINT"], "SIGINT"],
    ["cannot close", ["SIGTERM"], "SIGTERM"],
    ["takes its time to close", ["SIGTERM", "SIGINT"], "SIGINT"],
  ] as const
) {
  test(`endOnSignal() of what ${how} at ${signals.join(", ")} ends with ${end}`, {
    skip: onWindows,
  }, async () => assert.deepEqual(await hangs(how, { signals }), { end, tidied: true }));
}

test("endAfter() ends what goes on by itself", { skip: onWindows }, async () => {
  assert.deepEqual(await hangs("is left", { signals: [] }), { end: "SIGTERM", tidied: true });
});

test(
  "endOnSignal() ends what reads a file that never answers",
  { skip: onWindows },
  () =>
    withFolder(async (folder) => {
      const fifo = `${folder}/pipe`;
      assert.equal(spawnSync("mkfifo", [fifo]).status, 0);
      // Node waits for its threads where it ends by itself: the signal does not.
      const end = "Deno" in globalThis ? 0 : "SIGTERM";
      const hung = await hangs("closes, but reads", { signals: ["SIGTERM"], fifo });
      assert.deepEqual(hung, { end, tidied: true });
    }),
);
