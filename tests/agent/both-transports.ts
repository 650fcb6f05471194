import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ProjectService, withSampleService } from "../support/project-service.ts";
import { toolNamed } from "../support/ask.ts";

/** What a tool answered, whichever way it was called. */
export interface Reported {
  /** Whether it is no problem. */
  readonly ok: boolean;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** Calls a tool of a service. */
export type Teller = (name: string, args?: Readonly<Record<string, unknown>>) => Promise<Reported>;

/** The two ways in: MCP with a real client, and each tool's own route. */
export const TRANSPORTS = ["MCP", "HTTP"] as const;

/** A service on a copy of the sample project, and one way into it. */
export async function through(
  transport: (typeof TRANSPORTS)[number],
  work: (tell: Teller, service: ProjectService) => Promise<void>,
): Promise<void> {
  await withSampleService(async (service) => {
    if (transport === "HTTP") {
      return await work((name, args) => byRoute(service, name, args), service);
    }
    const client = new Client({ name: "test", version: "1" });
    const url = "http://127.0.0.1:4747/mcp";
    const send = (target: string | URL, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set("host", "127.0.0.1:4747");
      return Promise.resolve(service.handler(new Request(target, { ...init, headers })));
    };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: send }));
    try {
      await work(async (name, args = {}) => {
        const { content, isError } = await client.callTool({ name, arguments: { ...args } });
        const text = content.map((item) => item.type === "text" ? item.text : "").at(-1) ?? "";
        return { ok: isError !== true, body: JSON.parse(text) };
      }, service);
    } finally {
      await client.close();
    }
  });
}

async function byRoute(
  service: ProjectService,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<Reported> {
  const { route, routeKind } = toolNamed(name);
  const query = Object.entries(args).map(([key, value]): [string, string] => [
    key,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  const { status, body } = routeKind === "query"
    ? await service.send(`${route}?${new URLSearchParams(query)}`)
    : await service.send(route, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(args),
    });
  return { ok: status === 200, body };
}
