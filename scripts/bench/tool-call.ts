import type { Client } from "@modelcontextprotocol/client";
import { type Contender, ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Finding, Found } from "./report.ts";
import {
  anEntity,
  type BothServers,
  callOnce,
  connect,
  type Protocol,
  PROTOCOLS,
  withBothServers,
} from "./servers.ts";

const ROUNDS = 15;
const CALLS_A_ROUND = 100;

/** A call as an agent makes it; the n-th of a series, because an edit must change something. */
type Call = (n: number) => Parameters<Client["callTool"]>[0];

/** A tool call as an agent makes it: through MCP over HTTP. */
export async function measureToolCalls(context: BenchContext): Promise<Found> {
  const calls = context.quick ? 3 : CALLS_A_ROUND;
  const findings = await withBothServers(async (servers) => {
    const all: Finding[] = [];
    for (const protocol of PROTOCOLS) {
      all.push(...await compare(context, { servers, protocol, calls }));
    }
    return all;
  });
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
  readonly servers: BothServers;
  readonly protocol: Protocol;
  readonly calls: number;
}

async function compare(
  { runtime, quick, onRound }: BenchContext,
  { servers: { service, echo }, protocol, calls }: Comparison,
): Promise<readonly Finding[]> {
  const ours = await connect(service.mcp, protocol);
  const theirs = await connect(echo.mcp, protocol);
  try {
    const tools = callsOf(await anEntity(ours));
    const sides = [
      repeat(calls, theirs, () => ({ name: "echo", arguments: { text: "hello" } })),
      ...tools.map(([, call]) => repeat(calls, ours, call)),
    ];
    const rounds = quick ? 2 : ROUNDS;
    const now = () => runtime.clock.monotonic();
    const [peer = [], ...times] = await timeRounds(sides, { rounds, now, onRound });
    return tools.map(([name], i) => ({
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

/** Returns the measured calls, by their names in the report. @param id Of an entity to edit. */
function callsOf(id: number): readonly (readonly [name: string, call: Call])[] {
  return [
    ["svc_get_layout_bounds", () => ({ name: "svc_get_layout_bounds", arguments: {} })],
    ["list_traits", () => ({ name: "list_traits", arguments: {} })],
    [
      "svc_get_scene_state compact=1",
      () => ({ name: "svc_get_scene_state", arguments: { compact: true } }),
    ],
    ["svc_scene_edit, one set", (n) => ({
      name: "svc_scene_edit",
      arguments: { ops: [{ op: "set", id, trait: "Transform", fields: { x: n } }] },
    })],
  ];
}

function repeat(calls: number, client: Client, call: Call): Contender {
  let made = 0;
  return {
    async run() {
      for (let i = 0; i < calls; i++) await callOnce(client, call(made++));
    },
  };
}
