import { cpus } from "node:os";

/** Tells how much of a machine's processor time is unused. */
export interface Idleness {
  /** Returns the idle share of all processor time since the last call, from 0 to 1. */
  readonly share: () => number;
  /** How often to look, in milliseconds. */
  readonly everyMs: number;
}

/** Reads the idleness of this machine. */
export function machineIdleness(): Idleness {
  let before = times();
  return {
    everyMs: 1_000,
    share() {
      const now = times();
      const total = now.total - before.total;
      const idle = now.idle - before.idle;
      before = now;
      return total > 0 ? idle / total : 0;
    },
  };
}

/** The processor times of this machine since its start, in milliseconds. */
function times(): { readonly idle: number; readonly total: number } {
  const all = cpus().map((cpu) => cpu.times);
  const sum = (of: (one: (typeof all)[number]) => number) =>
    all.reduce((milliseconds, one) => milliseconds + of(one), 0);
  return {
    idle: sum(({ idle }) => idle),
    total: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
  };
}
