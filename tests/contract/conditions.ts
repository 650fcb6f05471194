import { readFileSync } from "node:fs";
import process from "node:process";
import { withoutProc } from "../support/needs.ts";

/** An abort controller that counts who listens to it, so that a test finds who forgot to stop. */
export function countedAbort(): {
  readonly abort: AbortController;
  readonly listening: () => number;
} {
  const abort = new AbortController();
  const { signal } = abort;
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (type: string, ...rest: [EventListener]) => {
    listeners.add(rest[0]);
    add(type, ...rest);
  };
  signal.removeEventListener = (type: string, ...rest: [EventListener]) => {
    listeners.delete(rest[0]);
    remove(type, ...rest);
  };
  return { abort, listening: () => signal.aborted ? 0 : listeners.size };
}

/** Whether a process runs; one that has ended and is only not collected yet does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  if (withoutProc !== false) return true;
  try {
    return !/\) [ZX] /.test(readFileSync(stat, "utf8"));
  } catch {
    return false; // gone between the two looks
  }
}
