import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { FileError } from "../../core/file-error.ts";
import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import type { Files } from "../../ports/files.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";

// One lock for each package: a file under `<toolchainDir>/locks` that names its owner. Nobody steals it by
// removing it: a process that finds the owner dead creates the file `<id>.<owner's token>.heir`, which only
// one can do, and is the new owner; only then is the lock itself rewritten. So the owner is found by following
// successors from the lock, and there is exactly one at any moment.
//
// An owner is dead if its process has ended (on the same machine), or if its heartbeat file has not changed
// for long enough by the watcher's own clock: clocks are never compared.

/** Interval of the owner's heartbeats, in milliseconds. */
const HEARTBEAT_MS = 1_000;
/** Wait for a silent owner whose process has ended, in milliseconds. */
const GONE_MS = 1_500;
/** Wait for a silent owner whose process cannot be seen, in milliseconds. */
const SILENT_MS = 15_000;

/** The ending of a successor's file: it stays, as another version may be at work in the same folder. */
const SUCCESSOR = ".heir";

const MAX_OWNER_BYTES = 4_096;
const MAX_SUCCESSORS = 64;

/** Owner of a lock. */
export interface ToolchainLockOwner {
  /** Unique token of the owner; `unreadable` if the file cannot be parsed. */
  readonly token: string;
  readonly pid: number;
  readonly hostname: string;
  /** For people: since when, ISO 8601 by the owner's clock. */
  readonly since: string;
}

/** A lock that this process holds. */
export interface HeldLock {
  readonly token: string;
  /** Aborted when another took the lock over: this process was asleep for too long. */
  readonly lost: AbortSignal;
  /** Gives the lock back; never throws. */
  release(): Promise<void>;
}

/** Dependencies of the locks. */
export interface LockContext extends Pick<ToolchainDeps, "host" | "clock" | "isAlive"> {
  readonly folder: ToolchainFolder;
}

/** The file `<toolchainDir>/locks/<name>`. */
export function lockFile(name: string, { folder }: LockContext): string {
  return folder.at(`locks/${name}`);
}

/** Takes the lock if it is free. @throws {FileError} when the folder cannot be written. */
export async function takeLock(
  id: string,
  context: LockContext,
): Promise<HeldLock | ToolchainLockOwner> {
  const locks = context.folder.at("locks");
  try {
    await context.folder.files.makeDirectory(locks);
  } catch (thrown) {
    // Node says "missing" of a read-only disk, where a folder with its parents cannot be missing.
    if (!(thrown instanceof FileError) || thrown.code !== "missing") throw thrown;
    const message = `Cannot make folder ${locks}: the disk may be read-only`;
    throw new FileError("denied", locks, message, thrown);
  }
  const me = identity(context);
  if (await createComplete(lockFile(`${id}.lock`, context), me, context)) {
    return await hold(id, me, context);
  }
  return (await ownerOf(id, context)) ?? await takeLock(id, context);
}

/** Takes over from a dead owner; `null` if another process was first. */
export async function takeOverLock(
  id: string,
  dead: ToolchainLockOwner,
  context: LockContext,
): Promise<HeldLock | null> {
  const { files } = context.folder;
  const me = identity(context);
  const successor = lockFile(`${id}.${dead.token}${SUCCESSOR}`, context);
  if (!(await createComplete(successor, me, context))) return null;
  const chain = await ownersOf(id, context);
  if (chain[chain.length - 1]?.token !== me.token) {
    await files.remove(successor); // the lock has passed on since the owner was looked at
    return null;
  }
  await files.writeAtomic(lockFile(`${id}.lock`, context), encode(me));
  for (const { token } of chain) {
    await files.remove(lockFile(`${id}.${token}${SUCCESSOR}`, context));
    await files.remove(lockFile(`${id}.${token}.beat`, context));
  }
  return await hold(id, me, context);
}

/** Returns the owner of a lock, or `null`. */
export async function ownerOf(
  id: string,
  context: LockContext,
): Promise<ToolchainLockOwner | null> {
  const chain = await ownersOf(id, context);
  return chain[chain.length - 1] ?? null;
}

/** Begins to watch an owner. @returns Looks whether it is dead, as often as it is called. */
export function watchOwner(
  id: string,
  owner: ToolchainLockOwner,
  context: LockContext,
): () => Promise<boolean> {
  const { clock, host, isAlive } = context;
  let heartbeat: string | null = null;
  let since = clock.monotonic();
  return async () => {
    const now = await readText(lockFile(`${id}.${owner.token}.beat`, context), context);
    if (now !== heartbeat) {
      heartbeat = now;
      since = clock.monotonic();
      return false;
    }
    const gone = owner.hostname === host.hostname && !isAlive(owner.pid);
    return clock.monotonic() - since >= (gone ? GONE_MS : SILENT_MS);
  };
}

/** The lock's owner, its successor, and so on. */
async function ownersOf(id: string, context: LockContext): Promise<ToolchainLockOwner[]> {
  const chain: ToolchainLockOwner[] = [];
  let next = await readText(lockFile(`${id}.lock`, context), context);
  while (next !== null && chain.length < MAX_SUCCESSORS) {
    const owner = parseOwner(next);
    chain.push(owner);
    next = await readText(lockFile(`${id}.${owner.token}${SUCCESSOR}`, context), context);
  }
  return chain;
}

async function hold(id: string, me: ToolchainLockOwner, context: LockContext): Promise<HeldLock> {
  const { clock, folder: { files } } = context;
  const stop = new AbortController();
  const lost = new AbortController();
  const heartbeatFile = lockFile(`${id}.${me.token}.beat`, context);
  const beat = async (count: number) => {
    await files.write(heartbeatFile, encodeUtf8(String(count))).catch(() => 0); // a full disk: not dead
  };
  await beat(0);
  const beating = (async () => {
    for (let count = 1; !stop.signal.aborted; count++) {
      await clock.sleep(HEARTBEAT_MS, stop.signal).catch(() => undefined);
      if (stop.signal.aborted) return;
      await beat(count);
      const owner = await ownerOf(id, context).catch(() => me);
      if (owner?.token !== me.token) {
        lost.abort(new Error(`the lock of ${id} was taken over`));
        return;
      }
    }
  })();
  return {
    token: me.token,
    lost: lost.signal,
    async release() {
      stop.abort();
      await beating;
      try {
        if ((await ownerOf(id, context))?.token === me.token) {
          await files.remove(lockFile(`${id}.lock`, context));
        }
        await files.remove(heartbeatFile);
      } catch {
        // A lock that cannot be removed gets no more heartbeats, and the next owner takes it over.
      }
    },
  };
}

function identity({ host, clock }: LockContext): ToolchainLockOwner {
  return {
    token: crypto.randomUUID(),
    pid: host.pid,
    hostname: host.hostname,
    since: new Date(clock.now()).toISOString(),
  };
}

/** Creates a file that is complete for every reader. @returns False if one exists. */
async function createComplete(
  path: string,
  owner: ToolchainLockOwner,
  { folder: { files } }: LockContext,
): Promise<boolean> {
  const complete = `${path}.${owner.token}`;
  await files.write(complete, encode(owner));
  try {
    await files.link(complete, path);
    return true;
  } catch (thrown) {
    if (thrown instanceof FileError && thrown.code === "exists") return false;
    // A file system without hard links; or an owner has swept our file, and then holds the lock.
    return await createPlain(path, owner, files);
  } finally {
    await files.remove(complete).catch(() => undefined);
  }
}

async function createPlain(
  path: string,
  owner: ToolchainLockOwner,
  files: Files,
): Promise<boolean> {
  try {
    await files.write(path, encode(owner), { createNew: true });
    return true;
  } catch (thrown) {
    if (thrown instanceof FileError && thrown.code === "exists") return false;
    throw thrown;
  }
}

function encode(owner: ToolchainLockOwner): Uint8Array {
  return encodeUtf8(`${JSON.stringify(owner)}\n`);
}

function parseOwner(text: string): ToolchainLockOwner {
  const unreadable = { token: "unreadable", pid: 0, hostname: "", since: "" };
  const value = parseJson(text);
  if (!isRecord(value)) return unreadable; // being written, or cut off: a missing heartbeat will show it
  const { token, pid, hostname, since } = value;
  const isToken = typeof token === "string" && /^[0-9a-f-]{36}$/.test(token);
  if (!isToken || typeof pid !== "number" || typeof hostname !== "string") return unreadable;
  return { token, pid, hostname, since: typeof since === "string" ? since : "" };
}

async function readText(path: string, { folder: { files } }: LockContext): Promise<string | null> {
  const bytes = await files.read(path, MAX_OWNER_BYTES).catch((thrown: unknown) => {
    if (thrown instanceof FileError) return new Uint8Array(0); // there, and not to be read now
    throw thrown;
  });
  return bytes === null ? null : decodeUtf8(bytes) ?? "";
}
