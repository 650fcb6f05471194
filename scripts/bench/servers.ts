import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { isRecord } from "../../lib/core/json.ts";

/** The versions of the protocol that both sides speak. */
export const PROTOCOLS = ["2026-07-28", "2025-11-25"] as const;
/** A transport of the comparison. */
export type Protocol = (typeof PROTOCOLS)[number];

/** A client that speaks exactly the given protocol version. */
export async function connect(url: string, protocol: Protocol): Promise<Client> {
  const negotiation = protocol === "2026-07-28"
    ? { versionNegotiation: { mode: "auto" as const } }
    : {};
  const client = new Client({ name: "slipway-bench", version: "1.0.0" }, negotiation);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const spoken = client.getNegotiatedProtocolVersion();
  if (spoken !== protocol) throw new Error(`${url} speaks ${spoken}, expected ${protocol}`);
  return client;
}

/** A server in a process of its own. */
export interface ChildServer {
  /** The address of its MCP endpoint. */
  readonly mcp: string;
  /** Ends the process. */
  stop(): Promise<void>;
}

/** The service on the sample project, and a server with one echo tool. */
export interface BothServers {
  readonly service: ChildServer;
  readonly echo: ChildServer;
}

/** Runs `work` while both servers run. */
export async function withBothServers<T>(work: (servers: BothServers) => Promise<T>): Promise<T> {
  const service = await startServer("../start", ["--port", "0", "--json"]);
  try {
    const echo = await startServer("./echo-server", []);
    try {
      return await work({ service, echo });
    } finally {
      await echo.stop();
    }
  } finally {
    await service.stop();
  }
}

/** Starts a server script on the runtime of this process. @param script Relative, no extension. */
async function startServer(script: string, args: readonly string[]): Promise<ChildServer> {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const path = fileURLToPath(new URL(script + extension, import.meta.url));
  const words = "Deno" in globalThis ? ["run", "-A", path] : [path];
  const child = spawn(process.execPath, [...words, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end = () => child.kill("SIGTERM"); // an interrupted benchmark leaves no server behind
  process.once("exit", end);
  child.once("exit", () => process.off("exit", end));
  try {
    return { mcp: await readAddress(child, script), stop: () => stop(child) };
  } catch (thrown) {
    await stop(child);
    throw thrown;
  }
}

/** The address in the first line that a server prints. */
async function readAddress(child: ChildProcess, script: string): Promise<string> {
  if (child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) {
      const printed: unknown = JSON.parse(line);
      if (isRecord(printed) && typeof printed["mcp"] === "string") return printed["mcp"];
      break;
    }
  }
  throw new Error(`${script} printed no address`);
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGTERM");
  });
}

/** The id of some entity of the sample scene, for edits. */
export async function anEntity(client: Client): Promise<number> {
  const args = { name: "Main Camera", limit: 1 };
  const { content } = await client.callTool({ name: "svc_get_scene_state", arguments: args });
  for (const item of content) {
    const id = item.type === "text" ? /"entities":\[\{"id":(\d+)/.exec(item.text)?.[1] : undefined;
    if (id !== undefined) return Number(id);
  }
  throw new Error("svc_get_scene_state names no Main Camera: expected the sample project");
}

/** Calls a tool; a problem is a bug of the benchmark. */
export async function callOnce(
  client: Client,
  call: Parameters<Client["callTool"]>[0],
): Promise<void> {
  const { isError, content } = await client.callTool(call);
  if (isError) {
    throw new Error(
      `${call.name} answers with a problem: ${JSON.stringify(content).slice(0, 400)}`,
    );
  }
}
