import process from "node:process";

/**
 * Returns the seconds of processor time that some work takes: other processes do not add to them,
 * as they do to the clock's.
 */
export function cpuSeconds(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  return since(begun);
}

/** Asynchronous {@linkcode cpuSeconds}; nothing else may run in this process at the same time. */
export async function cpuSecondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = process.cpuUsage();
  await work();
  return since(begun);
}

function since(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}
