import { existsSync, readFileSync } from "node:fs";
import process from "node:process";

/** The most memory that this process had at once, in KiB. */
export function peakKiB(): number {
  // On Linux what the parent held when it started this process counts in `maxRSS`.
  const status = "/proc/self/status";
  const said = existsSync(status) ? /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(status, "utf8")) : null;
  return said === null ? process.resourceUsage().maxRSS : Number(said[1]);
}
