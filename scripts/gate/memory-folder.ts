import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { createIsAlive } from "../../adapters/node/mod.ts";

// A temporary folder in memory. An fsync of a disk takes milliseconds, and the tests sync thousands
// of times; what ext4 does to make and remove small files also takes processor time: the tests of
// the device 10.2 s on the disk, 7.9 s in memory.
// Tests of the disk itself run in memory under Deno and on the disk under Node (ON_DISK in plan.ts).

/** The folder that Linux keeps in memory. */
const SHARED_MEMORY = "/dev/shm";
const NAME = "slipway-gate-";
/** Free bytes without which tests stay on the disk: browsers and copies of projects need some. */
const FREE_BYTES = 6 * 1024 ** 3;

const isAlive = createIsAlive();

/**
 * Creates an empty temporary folder in memory; `null` if there is no room, or if it forbids running
 * programs.
 */
export function makeMemoryFolder(): string | null {
  let folder: string;
  try {
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (bavail * bsize < FREE_BYTES) return null;
    removeLeftovers();
    folder = mkdtempSync(join(SHARED_MEMORY, `${NAME}${process.pid}-`));
  } catch {
    return null; // another system, or a container without it
  }
  if (runsPrograms(folder)) return folder;
  rmSync(folder, { recursive: true, force: true });
  return null;
}

/** Removes folders of runs that were killed: memory is not given back otherwise. */
function removeLeftovers(): void {
  for (const name of readdirSync(SHARED_MEMORY)) {
    const pid = Number(new RegExp(`^${NAME}(\\d+)-`).exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) {
      rmSync(join(SHARED_MEMORY, name), { recursive: true, force: true });
    }
  }
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
