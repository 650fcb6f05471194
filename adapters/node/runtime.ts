// First: where a bundler took this in, it says so before `ws` fails with words of its own.
import { createGameRuntime } from "./game-runtime.ts";
import type { Runtime } from "../../lib/ports/runtime.ts";
import { createClock } from "./clock.ts";
import { createDeflating } from "./deflating.ts";
import { createFetch } from "./fetch.ts";
import { createFiles } from "./files.ts";
import { createHashing } from "./hashing.ts";
import { createHost, type HostFacts } from "./host.ts";
import { createIsAlive } from "./is-alive.ts";
import { createProcesses } from "./processes.ts";
import { serve } from "./serve.ts";
import { createSyncStat } from "./sync-stat.ts";
import { createWebSockets } from "./web-sockets.ts";

/**
 * Everything that Slipway asks of a runtime, on this one.
 *
 * @param facts Of the machine, where they are others than the runtime tells: `cli`, how the
 * application has its commands run.
 */
export function createRuntime(facts: Partial<HostFacts> = {}): Runtime {
  return {
    files: createFiles(),
    processes: createProcesses(),
    clock: createClock(),
    hashing: createHashing(),
    deflating: createDeflating(),
    host: createHost(facts),
    fetch: createFetch(),
    syncStat: createSyncStat(),
    isAlive: createIsAlive(),
    gameRuntime: createGameRuntime(),
    webSockets: createWebSockets(),
    listen: serve,
  };
}
