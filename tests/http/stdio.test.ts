import { test } from "node:test";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { TOOLS } from "../../lib/agent/tools.ts";
import { runScriptFile, scriptCommand } from "../support/script.ts";

for (const era of ["2026-07-28", "2025-11-25"] as const) {
  test(`mcp.ts serves a client of ${era} over stdio`, async () => {
    const [command, args] = scriptCommand("mcp", []);
    const modern = { versionNegotiation: { mode: "auto" as const } };
    const client = new Client({ name: "test", version: "1" }, era === "2026-07-28" ? modern : {});
    await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
    try {
      assert.equal(client.getNegotiatedProtocolVersion(), era);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name), TOOLS.map(({ name }) => name));
      for (const name of ["svc_get_scene_state", "list_assets", "svc_diagnose"]) {
        const result = await client.callTool({ name, arguments: {} });
        assert.equal(result.isError, undefined);
        const [banner, body] = result.content.map((item) => item.type === "text" ? item.text : "");
        assert.match(banner ?? "", /\| project /);
        assert.equal(typeof JSON.parse(body ?? ""), "object");
      }
    } finally {
      await client.close();
    }
  });
}

for (
  const [script, args, code, words] of [
    ["mcp", ["--project", "tests/no-such-folder"], 1, "no-such-folder"],
    ["start", ["--project", "tests/no-such-folder"], 1, "no-such-folder"],
    ["start", ["--port", "70000"], 2, "70000"],
    ["start", ["--port", "abc"], 2, "abc"],
    ["start", ["--host", "0.0.0.0", "--port", "0"], 1, "SVC_TOKEN"],
    ["start", ["elsewhere"], 2, "elsewhere"],
  ] as const
) {
  test(`${script}.ts ${args.join(" ")} exits ${code}`, async () => {
    const run = await runScriptFile(script, args, { env: { SVC_TOKEN: "" } });
    assert.equal(run.code, code);
    assert.equal(run.stdout, "");
    assert.ok(run.stderr.includes(words), run.stderr);
  });
}
