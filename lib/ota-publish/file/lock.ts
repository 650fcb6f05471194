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
  let waiting = { owner: "", since: began }; // by our own clock: mtimes may be another's
  for (;;) {
    try {
      await files.write(path, encodeUtf8(token), { createNew: true });
      break;
    } catch (thrown) {
      if (!(thrown instanceof FileError && thrown.code === "exists")) throw thrown;
    }
    const holder = await owner(files, path) ?? "";
    if (holder !== waiting.owner) waiting = { owner: holder, since: clock.monotonic() };
    if (clock.monotonic() - waiting.since > STALE_MS) await breakLock(dependencies, path, holder);
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

/** Takes a dead owner's lock away; of several that try, one does. */
async function breakLock(
  { files, clock }: LockDependencies,
  path: string,
  dead: string,
): Promise<void> {
  const claim = `${path}.${/^[0-9a-f-]{36}$/.test(dead) ? dead : "damaged"}`;
  try {
    await files.write(claim, new Uint8Array(0), { createNew: true });
  } catch (thrown) {
    if (!(thrown instanceof FileError && thrown.code === "exists")) throw thrown;
    const claimed = await files.stat(claim);
    if (claimed !== null && clock.now() - claimed.mtimeMs > STALE_MS) await files.remove(claim);
    return;
  }
  if (await owner(files, path) === dead) await files.remove(path);
  await files.remove(claim);
}
