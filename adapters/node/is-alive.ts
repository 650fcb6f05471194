import process from "node:process";
import type { IsAlive } from "../../lib/ports/processes.ts";

/** {@linkcode IsAlive} by signal 0. */
export function createIsAlive(): IsAlive {
  return (pid) => {
    if (!Number.isSafeInteger(pid) || pid <= 0) return false;
    try {
      process.kill(pid, 0);
      return true;
    } catch (thrown) {
      // Only ESRCH means that no process has the id; a process of another user gives EPERM.
      return !(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH");
    }
  };
}
