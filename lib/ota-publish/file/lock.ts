import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { FileError } from "../../core/file-error.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";

/** Who waits so long for one owner takes it for dead: what the lock guards takes milliseconds. */
const STALE_MS = 5_000;
const RETRY_MS = 20;
/** Who still waits then gives up: others keep taking the lock, or cannot be told apart. */
const LOCK_TIMEOUT_MS = 60_000;

/** What a lock works with. */
export interface LockDependencies {
  /** The file system. */
  readonly files: Files;
  /** Tells how long an owner is waited for. */
  readonly clock: Clock;
}

/**
 * Runs `work` while this writer alone holds the file `path`.
 *
 * A lock whose owner died is taken over by exactly one of those who wait: the one that creates the
 * file named after the dead owner's token. `work` gets a function that tells whether the lock is
 * still its own, to be asked right before what must not happen twice.
 */
export async function withLock<T>(
  dependencies: LockDependencies,
  path: string,
  work: (stillHeld: () => Promise<boolean>) => Promise<T>,
): Promise<T> {
  const { files, clock } = dependencies;
  const token = crypto.randomUUID();
  const began = clock.monotonic();
  const isSilent = createWatch(clock);
  for (;;) {
    try {
      await files.write(path, encodeUtf8(token), { createNew: true });
      break;
    } catch (thrown) {
      if (!(thrown instanceof FileError && thrown.code === "exists")) throw thrown;
    }
    const holder = await owner(files, path) ?? "";
    if (isSilent(path, holder)) await breakLock(files, path, { dead: holder, token, isSilent });
    if (clock.monotonic() - began > LOCK_TIMEOUT_MS) {
      throw new FileError("other", path, `${path} stayed locked for ${LOCK_TIMEOUT_MS / 1000} s`);
    }
    await clock.sleep(RETRY_MS * (0.5 + Math.random()));
  }
  const stillHeld = async () => await owner(files, path) === token;
  try {
    return await work(stillHeld);
  } finally {
    if (await stillHeld()) await files.remove(path);
  }
}

async function owner(files: Files, path: string): Promise<string | null> {
  const bytes = await files.read(path, 100);
  return bytes && decodeUtf8(bytes);
}

/** Whether a file has held the same text for so long that who wrote it is taken for dead. */
type Watch = (path: string, text: string) => boolean;

/** Watches files by our own monotonic clock: their times may be another machine's, or just wrong. */
function createWatch(clock: Clock): Watch {
  const seen = new Map<string, { readonly text: string; readonly since: number }>();
  return (path, text) => {
    const before = seen.get(path);
    if (before?.text === text) return clock.monotonic() - before.since > STALE_MS;
    seen.set(path, { text, since: clock.monotonic() });
    return false;
  };
}

/** Takes a dead owner's lock away; of several that try, one does. */
async function breakLock(
  files: Files,
  path: string,
  { dead, token, isSilent }: {
    readonly dead: string;
    readonly token: string;
    readonly isSilent: Watch;
  },
): Promise<void> {
  const claim = `${path}.${/^[0-9a-f-]{36}$/.test(dead) ? dead : "damaged"}`;
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
