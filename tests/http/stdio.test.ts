import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createStdioTransport } from "../../scripts/shared/stdio-transport.ts";
import { runScriptFile, scriptCommand } from "../support/script.ts";
import { USUAL_TOOLS } from "../support/usual-tools.ts";

for (const era of ["2026-07-28", "2025-11-25"] as const) {
  test(`mcp.ts serves a client of ${era} over stdio`, async () => {
    const [command, args] = scriptCommand("mcp", ["--project", "lib/editor/sample"]);
    const modern = { versionNegotiation: { mode: "auto" as const } };
    const client = new Client({ name: "test", version: "1" }, era === "2026-07-28" ? modern : {});
    await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
    try {
      assert.equal(client.getNegotiatedProtocolVersion(), era);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name), USUAL_TOOLS.map(({ name }) => name));
      for (const name of ["svc_get_scene_state", "list_assets", "svc_diagnose"]) {
        const result = await client.callTool({ name, arguments: {} });
        assert.equal(result.isError, undefined);
        const [banner, body] = result.content.map((item) => item.type === "text" ? item.text : "");
        assert.match(banner ?? "", /\| project /);
        assert.equal(typeof JSON.parse(body ?? ""), "object");
      }
      await client.callTool({ name: "create_entity", arguments: { name: "Boat" } });
      const { content } = await client.callTool({ name: "get_history", arguments: {} });
      const { undo: [step] } = JSON.parse(textOf(content.at(-1)));
      assert.deepEqual([step.source, step.by], ["agent", "test"]); // HTTP-12
    } finally {
      await client.close();
    }
  });
}

for (const era of ["2026-07-28", "2025-11-25"] as const) {
  test(`a client of ${era} over stdio hears of progress, and ends a call that it leaves`, async () => {
    const [command, args] = scriptCommand("mcp", ["--project", "lib/editor/sample"]);
    const modern = { versionNegotiation: { mode: "auto" as const } };
    const client = new Client({ name: "test", version: "1" }, era === "2026-07-28" ? modern : {});
    await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
    try {
      const leaving = new AbortController();
      const params = { where: "Transform.x > 1e9", ticks: 3_600 };
      const heard: (number | undefined)[] = [];
      const left = client.callTool({ name: "run_until", arguments: params }, {
        signal: leaving.signal,
        onprogress({ total }) {
          heard.push(total);
          leaving.abort();
        },
      });
      // A fast machine may be done before half a second is over.
      const wasLeft = await left.then(() => false, () => true);
      const step = await client.callTool({ name: "step_play", arguments: {} });
      const { tick } = JSON.parse(textOf(step.content.at(-1)));
      assert.deepEqual([wasLeft, wasLeft ? tick < 3_601 : tick === 3_601], [
        heard.length > 0,
        true,
      ]);
      assert.ok(heard.every((total) => total === 3_600));
    } finally {
      await client.close();
    }
  });
}

function textOf(item: object | undefined): string {
  return item !== undefined && "text" in item ? String(item.text) : "";
}

test("mcp.ts ends with its standard input, whatever plays", async () => {
  const [command, args] = scriptCommand("mcp", ["--project", "lib/editor/sample"]);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const send = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  send({ id: 1, method: "initialize", params });
  send({ method: "notifications/initialized" });
  const play = { name: "play_control", arguments: { action: "play" } };
  send({ id: 2, method: "tools/call", params: play });
  let reported = "";
  for await (const chunk of child.stdout) {
    reported += String(chunk);
    if (reported.includes('"id":2')) break;
  }
  assert.match(reported, /playing/);
  const deadline = setTimeout(() => child.kill("SIGKILL"), 120_000);
  const ended = once(child, "exit");
  child.stdin.end();
  const [code, signal] = await ended;
  clearTimeout(deadline);
  assert.deepEqual([code, signal], [0, null]);
});

test("mcp.ts answers all that it was asked before its standard input ended", async () => {
  const [command, args] = scriptCommand("mcp", ["--project", "lib/editor/sample"]);
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const clientInfo = { name: "sh", version: "1" };
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const slow = { name: "run_until", arguments: { where: "Transform.x > 1e9", ticks: 61 } };
  const lines = [
    { id: 1, method: "initialize", params: initialize },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: slow },
    { id: 3, method: "tools/list" },
  ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ended = once(child, "exit");
  child.stdin.end(lines.join(""));
  const answers: { readonly id: number; readonly result?: object }[] = [];
  for await (const line of createInterface({ input: child.stdout })) answers.push(JSON.parse(line));
  answers.sort((one, other) => one.id - other.id);
  assert.deepEqual(answers.map(({ id, result }) => [id, typeof result]), [
    [1, "object"],
    [2, "object"],
    [3, "object"],
  ]);
  assert.match(JSON.stringify(answers[1]), /61/);
  assert.deepEqual(await ended, [0, null]);
});

test("createStdioTransport() ends without the answer to a call that takes too long", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const asked: unknown[] = [];
  const alive = setInterval(() => {}, 60_000);
  await new Promise<void>((resolve) => {
    const transport = createStdioTransport({ stdin, stdout, finishMs: 5, onEnd: resolve });
    transport.onmessage = (message) => asked.push(message);
    void transport.start();
    stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  });
  clearInterval(alive);
  assert.equal(asked.length, 1);
});

for (
  const [script, args, code, words] of [
    ["mcp", ["--project", "tests/no-such-folder"], 1, "no-such-folder"],
    ["start", ["--project", "tests/no-such-folder"], 1, "no-such-folder"],
    ["start", ["--port", "70000"], 2, "70000"],
    ["start", ["--port", "abc"], 2, "abc"],
    ["start", ["--host", "0.0.0.0", "--port", "0"], 1, "SVC_TOKEN"],
    ["start", ["elsewhere"], 2, "elsewhere"],
    ["start", ["--toolsets", "plya"], 2, "play"],
    ["mcp", ["--toolsets", "plya"], 2, "play"],
  ] as const
) {
  test(`${script}.ts ${args.join(" ")} exits ${code}`, async () => {
    const run = await runScriptFile(script, args, { env: { SVC_TOKEN: "" } });
    assert.equal(run.code, code);
    assert.equal(run.stdout, "");
    assert.ok(run.stderr.includes(words), run.stderr);
  });
}
