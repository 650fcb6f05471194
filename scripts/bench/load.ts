import type { Client } from "@modelcontextprotocol/client";
import { type Contender, ratioOf, timeRounds } from "./measure.ts";
import type { BenchContext } from "./part.ts";
import type { Found, Table } from "./report.ts";
import { anEntity, callOnce, connect, withBothServers } from "./servers.ts";

const ROUNDS = 7;
const CLIENTS = 50;
const CALLS_A_CLIENT = 20;
const PROTOCOL = "2026-07-28";

/** The n-th call of a series. */
type Call = (n: number) => Parameters<Client["callTool"]>[0];

/** Measures the slowest of a hundred answers with many concurrent agents. */
export async function measureLoad(context: BenchContext): Promise<Found> {
  const { runtime, quick, onRound } = context;
  const [clients, calls] = quick ? [4, 3] : [CLIENTS, CALLS_A_CLIENT];
  return await withBothServers(async ({ service, echo }) => {
    const ours = await connectMany(service.mcp, clients);
    const theirs = await connectMany(echo.mcp, clients);
    try {
      const [first] = ours;
      if (first === undefined) throw new RangeError("Expected at least one client");
      const now = () => runtime.clock.monotonic();
      const crowd = (all: readonly Client[], call: Call) => new Crowd(all, { call, calls, now });
      const echoes = crowd(theirs, () => ({ name: "echo", arguments: { text: "hello" } }));
      const small = crowd(ours, () => ({ name: "list_traits", arguments: {} }));
      const mixed = crowd(ours, mixOf(await anEntity(first)));
      const [peer = [], ofSmall = [], ofMixed = []] = await timeRounds(
        [echoes, small, mixed],
        { rounds: quick ? 2 : ROUNDS, now, onRound },
      );
      const against = `p99 of an echo of a bare SDK server, ${PROTOCOL}`;
      return {
        about:
          `${clients} clients at once, each with ${calls} calls a round one after the other, ` +
          "against the service on the sample project and against a server with one echo tool, each " +
          "in a process of its own. Compared is the time that 99 of 100 answers stay under. The " +
          "mixed calls are an index, a compact index, a search, the layout with overlaps, the " +
          "traits and an edit, in turn; all clients are one process.",
        findings: [
          { ours: "p99 of list_traits", against, of: "time", ratio: ratioOf(ofSmall, peer) },
          { ours: "p99 of mixed calls", against, of: "time", ratio: ratioOf(ofMixed, peer) },
        ],
        counts: tableOf([["echo", echoes], ["list_traits", small], ["mixed calls", mixed]]),
      };
    } finally {
      for (const client of [...ours, ...theirs]) await client.close();
    }
  });
}

async function connectMany(url: string, clients: number): Promise<readonly Client[]> {
  return await Promise.all(Array.from({ length: clients }, () => connect(url, PROTOCOL)));
}

/** Clients that call concurrently. A round's value is the 99th percentile of the response times. */
class Crowd implements Contender {
  /** Milliseconds of every answer, the first round's too. */
  readonly times: number[] = [];
  readonly #clients: readonly Client[];
  readonly #call: Call;
  readonly #calls: number;
  readonly #now: () => number;
  #made = 0;

  constructor(clients: readonly Client[], { call, calls, now }: {
    readonly call: Call;
    readonly calls: number;
    readonly now: () => number;
  }) {
    this.#clients = clients;
    this.#call = call;
    this.#calls = calls;
    this.#now = now;
  }

  readonly run = async (): Promise<number> => {
    const times: number[] = [];
    await Promise.all(this.#clients.map(async (client) => {
      for (let i = 0; i < this.#calls; i++) {
        const call = this.#call(this.#made++);
        const start = this.#now();
        await callOnce(client, call);
        times.push(this.#now() - start);
      }
    }));
    this.times.push(...times);
    return percentile(times, 99);
  };
}

/** The calls of agents at work: mostly looking, sometimes editing. @param id Of an entity to edit. */
function mixOf(id: number): Call {
  const looks = [
    { name: "svc_get_scene_state", arguments: {} },
    { name: "svc_get_scene_state", arguments: { compact: true } },
    { name: "svc_get_scene_state", arguments: { where: "Transform.x > 3" } },
    { name: "svc_get_layout_bounds", arguments: { overlaps: true } },
    { name: "list_traits", arguments: {} },
  ];
  return (n) =>
    looks[n % (looks.length + 1)] ?? {
      name: "svc_scene_edit",
      arguments: { ops: [{ op: "set", id, trait: "Transform", fields: { x: n } }] },
    };
}

/**
 * Returns the value that a percentage of all values does not exceed. @throws {RangeError} Without
 * values.
 */
export function percentile(values: readonly number[], percent: number): number {
  const ordered = [...values].sort((a, b) => a - b);
  const value = ordered[Math.max(0, Math.ceil(ordered.length * percent / 100) - 1)];
  if (value === undefined) throw new RangeError("Cannot take a percentile of no values");
  return value;
}

function tableOf(crowds: readonly (readonly [name: string, crowd: Crowd])[]): Table {
  return {
    head: ["what", "answers", "p50, ms", "p99, ms"],
    rows: crowds.map(([name, { times }]) => [
      name,
      times.length,
      percentile(times, 50).toFixed(1),
      percentile(times, 99).toFixed(1),
    ]),
  };
}
