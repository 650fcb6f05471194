import type { LockOwner } from "../core/file-lock.ts";
import type { Host } from "../ports/host.ts";
import type { IsAlive } from "../ports/processes.ts";
import { randomId } from "./random.ts";

// Two processes of one app may share a root, so unfinished files carry the id of their process.

/** Identity of this process; without it, a lock is watched until its heartbeats stop. */
export interface ProcessOptions {
  /** This process's id. */
  readonly host?: Pick<Host, "pid">;
  /** Whether a process still runs: a killed one's files are taken over immediately. */
  readonly isAlive?: IsAlive;
}

/** Draws a new id, after that of this process: `<pid>-<24 hex digits>`, or the digits alone. */
export function processId({ host }: ProcessOptions): string {
  return host === undefined ? randomId() : `${host.pid}-${randomId()}`;
}

/** Whether another process that lives drew that id. */
export function isOthers(id: string, { host, isAlive }: ProcessOptions): boolean {
  const pid = pidOf(id);
  return pid !== null && pid !== host?.pid && isAlive !== undefined && isAlive(pid);
}

/** Tokens of the locks of this process, whichever device took them. */
const ours = new Set<string>();

/** Owners of a lock that one device takes again and again, never twice at the same time. */
export function lockOwners(options: ProcessOptions): () => LockOwner {
  let last: string | null = null; // not "": so a lock reads that another is just writing
  return () => {
    const before = last; // still there only when it could not be given back
    if (before !== null) ours.delete(before);
    const token = last = `${processId(options)}-${crypto.randomUUID()}`;
    ours.add(token);
    return {
      token,
      isGone(other) {
        const pid = pidOf(other);
        if (other === before) return true;
        if (pid === null) return false;
        // Process ids are reused: an id under our own pid that this process did not draw belongs to
        // a dead one (DEV-57).
        return pid === options.host?.pid ? !ours.has(other) : options.isAlive?.(pid) === false;
      },
    };
  };
}

function pidOf(id: string): number | null {
  const [, pid] = /^([0-9]+)-/.exec(id) ?? [];
  return pid === undefined ? null : Number(pid);
}
