import { cpus } from "node:os";

/** Tells how much of a machine's processor time is unused. */
export interface Idleness {
  /** Returns the idle share of all processor time since the last call, from 0 to 1. */
  readonly share: () => number;
  /** How often to look, in milliseconds. */
  readonly everyMs: number;
}

/** Readings of a machine, in milliseconds. */
interface Reading {
  /** The idle time of all processors together. */
  readonly idle: number;
  /** The time since any moment. */
  readonly at: number;
  readonly processors: number;
}

/**
 * Reads the idleness of this machine. Processors that wait for a disk, or work for other virtual
 * machines, are not idle: their time is in none of the counters, so it is measured by the clock.
 */
export function machineIdleness(read: () => Reading = readMachine): Idleness {
  let before = read();
  return {
    everyMs: 1_000,
    share() {
      const now = read();
      const total = (now.at - before.at) * now.processors;
      const idle = now.idle - before.idle;
      before = now;
      return total > 0 ? Math.min(1, idle / total) : 0;
    },
  };
}

function readMachine(): Reading {
  const all = cpus();
  const idle = all.reduce((milliseconds, { times }) => milliseconds + times.idle, 0);
  return { idle, at: performance.now(), processors: all.length };
}
