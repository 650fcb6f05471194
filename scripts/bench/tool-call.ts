import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { isRecord } from "../../lib/core/json.ts";
import { type Contender, ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Section } from "./report.ts";

const ROUNDS = 15;
const CALLS_A_ROUND = 100;
const TOOLS = ["svc_get_layout_bounds", "list_traits"];
const PROTOCOLS = ["2026-07-28", "2025-11-25"] as const;

/** A tool call as an agent makes it: through MCP over HTTP. */
export async function measureToolCalls(context: BenchContext): Promise<Omit<Section, "name">> {
  const calls = context.quick ? 3 : CALLS_A_ROUND;
  const service = await startServer("../start", ["--port", "0", "--json"]);
  const echo = await startServer("./echo-server", []);
  const findings: Finding[] = [];
  try {
    for (const protocol of PROTOCOLS) {
      findings.push(...await compare(context, { service, echo, protocol, calls }));
    }
  } finally {
    await Promise.all([service.stop(), echo.stop()]);
  }
  return {
    about:
      `${calls} calls a round, one after the other, over HTTP on loopback, of the service on ` +
      "the sample project and of a server with one echo tool: same SDK, same client, same protocol " +
      "version, each server in a process of its own. Ours also guards, asks the editor, summarises " +
      "and names itself in a second text item.",
    findings,
  };
}

interface Comparison {
  readonly service: ChildServer;
  readonly echo: ChildServer;
  readonly protocol: (typeof PROTOCOLS)[number];
  readonly calls: number;
}

async function compare(
  { runtime, quick, onRound }: BenchContext,
  { service, echo, protocol, calls }: Comparison,
): Promise<readonly Finding[]> {
  const ours = await connect(service.mcp, protocol);
  const theirs = await connect(echo.mcp, protocol);
  try {
    const sides = [
      repeat(calls, theirs, { name: "echo", arguments: { text: "hello" } }),
      ...TOOLS.map((name) => repeat(calls, ours, { name, arguments: {} })),
    ];
    const rounds = quick ? 2 : ROUNDS;
    const now = () => runtime.clock.monotonic();
    const [peer = [], ...times] = await timeRounds(sides, { rounds, now, onRound });
    return TOOLS.map((name, i) => ({
      ours: name,
      against: `echo of a bare SDK server, ${protocol}`,
      of: "time",
      ratio: ratioOf(times[i] ?? [], peer),
    }));
  } finally {
    await ours.close();
    await theirs.close();
  }
}

function repeat(
  calls: number,
  client: Client,
  call: Parameters<Client["callTool"]>[0],
): Contender {
  return {
    async run() {
      for (let i = 0; i < calls; i++) {
        const { isError } = await client.callTool(call);
        if (isError) throw new Error(`${call.name} answers with a problem: expected a result`);
      }
    },
  };
}

/** A client that speaks exactly the given protocol version. */
async function connect(url: string, protocol: (typeof PROTOCOLS)[number]): Promise<Client> {
  const negotiation = protocol === "2026-07-28"
    ? { versionNegotiation: { mode: "auto" as const } }
    : {};
  const client = new Client({ name: "slipway-bench", version: "1.0.0" }, negotiation);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const spoken = client.getNegotiatedProtocolVersion();
  if (spoken !== protocol) throw new Error(`${url} speaks ${spoken}, expected ${protocol}`);
  return client;
}

interface ChildServer {
  /** The address of its MCP endpoint. */
  readonly mcp: string;
  /** Ends the process. */
  stop(): Promise<void>;
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
