import process from "node:process";
import type { IsAlive } from "../../lib/ports/processes.ts";

/** {@linkcode IsAlive} by the signal that does nothing. */
export function createIsAlive(): IsAlive {
  return (pid) => {
    if (!Number.isSafeInteger(pid) || pid <= 0) return false;
    try {
      process.kill(pid, 0);
      return true;
    } catch (thrown) {
      // ESRCH alone says that nothing runs under the id; who may not ask is told EPERM.
      return !(thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH");
    }
  };
}
