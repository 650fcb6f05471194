import { decodeUtf8, encodeUtf8 } from "./bytes.ts";
import { FileError } from "./file-error.ts";

/** Age, in milliseconds, from which a lock's owner counts as dead: guarded work takes milliseconds. */
const STALE_MS = 5_000;
/**
 * The same for an incomplete token, in milliseconds: it is being written, or a power cut tore it.
 */
const TORN_MS = 1_000;
const RETRY_MS = 20;
/**
 * Longest wait for a lock, in milliseconds: other processes keep taking it, or cannot be
 * distinguished.
 */
const LOCK_TIMEOUT_MS = 60_000;

/** The files of a lock. */
export interface LockFiles {
  /** Reads a complete file; `null` if it is missing. */
  read(path: string, maxBytes: number): Promise<Uint8Array | null>;
  /** Writes a file; fails with `exists` if there is one. */
  write(path: string, body: Uint8Array, options: { readonly createNew: true }): Promise<unknown>;
  /** Removes a file; missing is fine. */
  remove(path: string): Promise<void>;
}

/** Owner of a lock. */
export interface LockOwner {
  /** A token that no other owner ever has: a UUID, after hex digits and `-`. */
  readonly token: string;
  /**
   * Returns whether the owner of a token is known to be dead, so that nobody needs to wait for it.
   */
  isGone(token: string): boolean;
}

/** Dependencies of a lock. */
export interface LockDependencies {
  /** The file system. */
  readonly files: LockFiles;
  /** Measures how long the lock has waited for an owner. */
  readonly clock: {
    monotonic(): number;
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
  };
  /** Default: a random token, and nothing known about other owners. */
  readonly owner?: LockOwner;
  /** The longest that the lock is waited for, in milliseconds. Default 60 s. */
  readonly timeoutMs?: number;
}

/**
 * Runs `work` while this writer alone holds the file `path`.
 *
 * A lock whose owner died is taken over by exactly one of the waiting writers: the one that creates
 * the file named after the dead owner's token. `work` gets a function that tells whether it still
 * holds the lock; call it right before a step that must not happen twice.
 */
export async function withLock<T>(
  dependencies: LockDependencies,
  path: string,
  work: (stillHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const { files, clock, timeoutMs = LOCK_TIMEOUT_MS } = dependencies;
  const { token, isGone } = dependencies.owner ?? unknownOwner();
  const began = clock.monotonic();
  const isSilent = createWatch(clock, isGone);
  for (;;) {
    try {
      await files.write(path, encodeUtf8(token), { createNew: true });
      break;
    } catch (thrown) {
      if (!(thrown instanceof FileError && thrown.code === "exists")) throw thrown;
    }
    const holder = await owner(files, path);
    if (holder === null) continue; // given back just now
    if (isSilent(path, holder)) {
      await breakLock(files, path, { dead: holder, token, isSilent });
    }
    if (clock.monotonic() - began > timeoutMs) {
      throw new FileError("busy", path, `${path} stayed locked for ${timeoutMs / 1000} s`);
    }
    await clock.sleep(RETRY_MS * (0.5 + Math.random()));
  }
  const stillHeld = async () => await owner(files, path) === token;
  try {
    return await work(stillHeld);
  } finally {
    // A lock that cannot be released is no longer refreshed, so a waiting writer takes it over.
    if (await stillHeld().catch(() => false)) await files.remove(path).catch(() => undefined);
  }
}

function unknownOwner(): LockOwner {
  return { token: crypto.randomUUID(), isGone: () => false };
}

const TOKEN = /^([0-9a-f-]+-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function owner(files: LockFiles, path: string): Promise<string | null> {
  const bytes = await files.read(path, 100);
  return bytes && (decodeUtf8(bytes) ?? ""); // bytes that a power cut left belong to nobody
}

/** Returns whether a file has held the same text for so long that its writer counts as dead. */
type Watch = (path: string, text: string) => boolean;

/** Watches files by our own monotonic clock: their times may be another machine's, or just wrong. */
function createWatch(
  clock: LockDependencies["clock"],
  isGone: LockOwner["isGone"],
): Watch {
  const seen = new Map<string, { readonly text: string; readonly since: number }>();
  return (path, text) => {
    if (isGone(text)) return true;
    const before = seen.get(path);
    const silentMs = TOKEN.test(text) ? STALE_MS : TORN_MS;
    if (before?.text === text) return clock.monotonic() - before.since > silentMs;
    seen.set(path, { text, since: clock.monotonic() });
    return false;
  };
}

/** Takes a dead owner's lock away; of several that try, one does. */
async function breakLock(
  files: LockFiles,
  path: string,
  { dead, token, isSilent }: {
    readonly dead: string;
    readonly token: string;
    readonly isSilent: Watch;
  },
): Promise<void> {
  const claim = `${path}.${TOKEN.test(dead) ? dead : "damaged"}`;
  try {
    await files.write(claim, encodeUtf8(token), { createNew: true });
  } catch (thrown) {
    if (!(thrown instanceof FileError && thrown.code === "exists")) throw thrown;
    const claimer = await owner(files, claim);
    if (claimer !== null && isSilent(claim, claimer)) await files.remove(claim);
    return;
  }
  if (await owner(files, path) === dead) await files.remove(path);
  if (await owner(files, claim) === token) await files.remove(claim);
}
