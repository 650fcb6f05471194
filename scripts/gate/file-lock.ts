import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { createIsAlive } from "../../adapters/node/mod.ts";

// A lock between processes: a file that names its holder. It only saves work: two processes that
// find the same dead holder may both get it.

/**
 * Maximum time that a process may hold a lock, in milliseconds: creating an entry has shorter
 * deadlines.
 */
const HELD_MS = 1_800_000;
/** Maximum total wait, for a holder and for those before. */
const WAIT_MS = 2 * HELD_MS;
/** How long a lock may be without its holder's name, which is written immediately. */
const UNNAMED_MS = 5_000;
const LOOK_MS = 100;

const isAlive = createIsAlive();

/**
 * Runs `work` while holding the lock at `path`.
 *
 * @param awaited What the holder makes, for the error of who waits for too long.
 */
export async function withFileLock<T>(
  { path, awaited, waitMs = WAIT_MS }: {
    readonly path: string;
    readonly awaited: string;
    readonly waitMs?: number;
  },
  work: () => Promise<T>,
): Promise<T> {
  const me = `${hostname()} ${process.pid}`;
  const deadline = performance.now() + waitMs;
  while (!take(path, me)) {
    const holder = readHolder(path);
    if (holder === null) continue; // released in between
    if (isDead(holder)) rmSync(path, { force: true });
    else if (performance.now() < deadline) await sleep(LOOK_MS);
    else {
      throw new Error(
        `Waited ${Math.round(waitMs / 1000)} s for ${awaited}: ${path} is still held by ` +
          `${holder.name || "a process without a name"}. End that process, then try again`,
      );
    }
  }
  try {
    return await work();
  } finally {
    if (readHolder(path)?.name === me) rmSync(path, { force: true });
  }
}

interface Holder {
  /** Machine and process; empty while it is being written. */
  readonly name: string;
  readonly ageMs: number;
}

function take(path: string, me: string): boolean {
  try {
    writeFileSync(path, me, { flag: "wx" });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

function readHolder(path: string): Holder | null {
  try {
    return { name: readFileSync(path, "utf8"), ageMs: Date.now() - statSync(path).mtimeMs };
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return null;
    throw thrown;
  }
}

/** Only the age is known of a process on another machine. */
function isDead({ name, ageMs }: Holder): boolean {
  if (name === "") return ageMs > UNNAMED_MS;
  const [machine, pid] = name.split(" ");
  return ageMs > HELD_MS || (machine === hostname() && !isAlive(Number(pid)));
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}
