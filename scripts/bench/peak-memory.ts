import { existsSync, readFileSync } from "node:fs";
import process from "node:process";

/** Returns the peak memory of this process, in KiB. */
export function peakKiB(): number {
  // On Linux, `maxRSS` includes the parent's memory at the start of this process.
  const status = "/proc/self/status";
  const said = existsSync(status) ? /^VmHWM:\s*(\d+) kB/m.exec(readFileSync(status, "utf8")) : null;
  return said === null ? process.resourceUsage().maxRSS : Number(said[1]);
}
