import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Runtime } from "../../lib/ports/runtime.ts";

// A killed process removes nothing: its temporary folders are named after it, and removed when the
// next one of their kind is created.

/** Identifies the owner of a temporary folder. */
export interface FolderOwner extends Pick<Runtime, "isAlive"> {
  /** The machine and the process. */
  readonly host: Pick<Runtime["host"], "hostname" | "pid" | "temporary">;
}

/** The beginning of a temporary folder's name: its kind, the machine and the process. */
export function ownedPrefix(prefix: string, { host }: FolderOwner): string {
  return `${prefix}${machineOf(host)}-${host.pid}-`;
}

/** Removes the temporary folders of one kind whose process on this machine has ended. */
export async function removeLeftovers(
  prefix: string,
  { host, isAlive }: FolderOwner,
): Promise<void> {
  const mine = `${prefix}${machineOf(host)}-`;
  const names = await readdir(host.temporary).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(mine)) continue;
    const [, pid] = /^(\d+)-[^-]/.exec(name.slice(mine.length)) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // Another user's, or another process is removing it: a remaining folder does no harm.
    await rm(join(host.temporary, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Machines may share a folder for temporary files. */
function machineOf({ hostname }: FolderOwner["host"]): string {
  return createHash("sha256").update(hostname).digest("hex").slice(0, 8);
}
