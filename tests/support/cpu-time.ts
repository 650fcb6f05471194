import process from "node:process";

/** Seconds of processor that some work takes: unlike the clock's, others on the machine add none. */
export function cpuSeconds(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  return since(begun);
}

/** {@linkcode cpuSeconds} of work that goes on; nothing else may run in this process meanwhile. */
export async function cpuSecondsOf(work: () => Promise<unknown>): Promise<number> {
  const begun = process.cpuUsage();
  await work();
  return since(begun);
}

function since(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}
