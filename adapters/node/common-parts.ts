import type { Runtime } from "../../lib/ports/runtime.ts";
import { createClock } from "./clock.ts";
import { createFiles } from "./files.ts";
import { createHashing } from "./hashing.ts";
import { createHost, type HostFacts } from "./host.ts";
import { createIsAlive } from "./is-alive.ts";
import { createProcesses } from "./processes.ts";
import { createSyncStat } from "./sync-stat.ts";
import { createWebSockets } from "./web-sockets.ts";

/** Parts that the adapter for Deno takes from this one. */
export type CommonParts = Omit<Runtime, "fetch" | "listen" | "deflating" | "gameRuntime">;

/**
 * Creates the parts that both adapters share. Node's modules are native in Deno too, and Deno's own API
 * lacks what these need:
 *
 * - files: atomic exclusive creation with a mode, reflink copies and free space;
 * - hashing: WebCrypto cannot hash a stream;
 * - processes: groups, without which no tree can be killed; `isAlive`: the signal that does nothing;
 * - `syncStat`: a test for the execute permission;
 * - web sockets: the status of a refusal, and bounds on a message below 64 MiB.
 */
export function createCommonParts(facts: Partial<HostFacts>): CommonParts {
  return {
    files: createFiles(),
    processes: createProcesses(),
    clock: createClock(),
    hashing: createHashing(),
    host: createHost(facts),
    syncStat: createSyncStat(),
    isAlive: createIsAlive(),
    webSockets: createWebSockets(),
  };
}
