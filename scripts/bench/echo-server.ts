import process from "node:process";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { loadServe } from "../shared/runtime.ts";

// The peer of the tool-call benchmark: one tool, made as the SDK's own documents make it, served the
// way start.ts serves, in a process of its own. It prints its address like `start.ts --json`.

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: "echo", version: "1.0.0" });
  server.registerTool(
    "echo",
    {
      description: "Answers with the text it was given",
      inputSchema: z.object({ text: z.string() }),
    },
    ({ text }) => ({ content: [{ type: "text", text }] }),
  );
  return server;
});
const serve = await loadServe();
const server = await serve((request) => handler.fetch(request), {
  hostname: "127.0.0.1",
  port: 0,
});
if (!server.ok) throw new Error(server.error.message);
process.once("SIGTERM", () => void server.value.close());
console.log(JSON.stringify({ mcp: `${server.value.url}/mcp` }));
