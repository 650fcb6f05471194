import process from "node:process";

/** Seconds of processor that some work takes: unlike the clock's, others on the machine add none. */
export function cpuSeconds(work: () => void): number {
  const begun = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1e6;
}
