import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmdirSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

// Why some tests cannot run here; `false` where they can.

/** Tests that need a POSIX shell and its programs. */
export const withoutShell: string | false = process.platform === "win32"
  ? "Windows has no /bin/sh"
  : false;

/** Tests that need links and permission bits. */
export const withoutPosixFiles: string | false = process.platform === "win32"
  ? "Windows has no POSIX permissions, and links need a privilege"
  : false;

/** Tests that look for open files in /proc. */
export const withoutProc: string | false = process.platform === "linux"
  ? false
  : "only Linux tells its open files in /proc";

/** Tests of what a user may not. */
export const withoutDenial: string | false = withoutPosixFiles ||
  (process.getuid?.() === 0 ? "root may read and write everything" : false);

/** Tests that mount a disk of their own. */
export const withoutMount: string | false = canMount()
  ? false
  : "needs root on Linux, and the right to mount";

/** Tests that mount a disk that lies in a file. */
export const withoutLoopMount: string | false = withoutMount ||
  (existsSync("/dev/loop-control") && spawnSync("mkfs.ext4", ["-V"]).status === 0
    ? false
    : "needs loop devices and mkfs.ext4");

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const at = mkdtempSync(join(tmpdir(), "slipway-mount-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", at]).status === 0;
  if (mounted) spawnSync("umount", [at]);
  rmdirSync(at);
  return mounted;
}

/** Tests that listen on ::1. */
export const withoutIPv6: string | false =
  Object.values(networkInterfaces()).flat().some((one) => one?.address === "::1")
    ? false
    : "this machine has no ::1";

/** Tests that start a process in a session of its own. */
export const withoutSetsid: string | false = existsSync("/usr/bin/setsid")
  ? false
  : "this machine has no setsid";

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
