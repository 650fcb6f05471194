import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

// A temporary folder in memory. Each fsync of a disk takes milliseconds, and what is tested here syncs
// thousands of times. Tests run in memory under Deno and on the disk under Node, so that they meet both.

/** Where Linux keeps files in memory. */
const SHARED_MEMORY = "/dev/shm";
/** Free bytes without which tests stay on the disk: browsers and copies of projects need some. */
const FREE_BYTES = 6 * 1024 ** 3;

/** Makes an empty temporary folder in memory; `null` where there is no room, or no program may run. */
export function makeMemoryFolder(): string | null {
  let folder: string;
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize < FREE_BYTES) return null;
    folder = mkdtempSync(join(SHARED_MEMORY, "slipway-gate-"));
  } catch {
    return null; // another system, or a container without it
  }
  if (runsPrograms(folder)) return folder;
  rmSync(folder, { recursive: true, force: true });
  return null;
}

/** Whether a program that is put there may run: a mount may forbid it. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\nexit 7\n");
  chmodSync(program, 0o755);
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 7;
}
