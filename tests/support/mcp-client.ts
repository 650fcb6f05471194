import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Handler } from "../../lib/http/mod.ts";

/** A tool's answer over MCP. */
export interface McpAnswer {
  readonly isError: boolean;
  /** The parsed text behind the banner. */
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** Calls a tool by its name. */
export type McpCall = (
  name: string,
  args?: Readonly<Record<string, unknown>>,
) => Promise<McpAnswer>;

/** Runs `work` with an MCP client of a handler, without a socket between. */
export async function withMcpClient(
  handler: Handler,
  work: (call: McpCall) => Promise<void>,
  query = "",
): Promise<void> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(
    new URL(`http://127.0.0.1:4747/mcp${query}`),
    {
      fetch: (url, init) => {
        const request = new Request(url, init);
        request.headers.set("host", "127.0.0.1:4747"); // a socket would have brought it
        return handler(request);
      },
    },
  );
  await client.connect(transport);
  try {
    await work(async (name, args = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: { ...args } });
      const texts = content.flatMap((item) => item.type === "text" ? [item.text] : []);
      const body: unknown = JSON.parse(texts.at(-1) ?? "null");
      return { isError: isError === true, body };
    });
  } finally {
    await client.close();
  }
}
