import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { withFolder } from "../support/folder.ts";
import { scriptCommand } from "../support/script.ts";
import { VIEW, writeCaptureProject } from "./capture-world.ts";
import { answer, joined, pngOf } from "./fake-page.ts";

test("mcp.ts over stdio serves the page that draws at the first capture, to its ticket alone", () =>
  withFolder(async (folder) => {
    const root = join(folder, "project");
    writeCaptureProject(root);
    const [command, args] = scriptCommand("mcp", ["--project", root]);
    const client = new Client({ name: "test", version: "1" });
    const env = { ...getDefaultEnvironment(), SVC_CHROMIUM: join(folder, "no-browser") };
    const transport = new StdioClientTransport({ command, args, env, stderr: "ignore" });
    await client.connect(transport);
    const draw = async () => {
      const { content } = await client.callTool({ name: "capture_viewport", arguments: {} });
      const [, reported] = content;
      return JSON.parse(reported?.type === "text" ? reported.text : "");
    };
    let address = new URL("http://localhost");
    try {
      const refused = await draw();
      assert.equal(refused.code, "no-browser", JSON.stringify(refused));
      address = new URL(/http:\S+/.exec(refused.hint)?.[0] ?? "");
      assert.equal(address.hostname, "127.0.0.1");
      for (const path of ["/api/scene-state", "/mcp", "/api/captures/0001-viewport.png"]) {
        assert.equal((await fetch(new URL(path, address))).status, 401, path);
      }
      const page = await joined(address);
      await page.attend();
      const drawing = draw();
      await page.post((await page.next()).id, answer({}, pngOf(VIEW.width, VIEW.height)));
      const { path } = await drawing;
      assert.ok(existsSync(join(root, path)), path);
      page.close();
    } finally {
      await client.close();
    }
    // The port is closed with the session.
    await assert.rejects(fetch(address));
  }));
