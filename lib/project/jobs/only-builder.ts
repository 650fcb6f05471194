import { attempt } from "../../core/attempt.ts";
import { encodeUtf8 } from "../../core/bytes.ts";
import { withLock } from "../../core/file-lock.ts";
import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import { plainText } from "../../core/plain-text.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import { sha256Hex } from "../../core/sha256.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";
import type { Host } from "../../ports/host.ts";
import type { IsAlive } from "../../ports/processes.ts";
import { heldFiles, LostProjectError } from "./held-files.ts";

// Editors of one project are often several processes of one user: a page's, and one that an agent
// started. Each build empties the same folder, so a publish could read a half-written build of
// another process.

/**
 * The interval at which a builder shows that it works, and the silence after which it counts as
 * ended, in milliseconds.
 */
const HEARTBEAT_MS = 5_000;
const SILENT_MS = 60_000;
const MAX_BYTES = 4_096;
const MAX_SHOWN = 100;

/** The dependencies of {@linkcode asOnlyBuilder}. */
export interface BuilderDependencies {
  readonly files: Files;
  readonly clock: Pick<Clock, "now" | "monotonic" | "sleep">;
  readonly host: Pick<Host, "userData" | "pid">;
  readonly isAlive: IsAlive;
}

/** A build of a project. */
export interface BuilderWork<T> {
  /** The project's folder, absolute. */
  readonly root: string;
  readonly kind: "publish" | "build";
  /** Subject of the build, in words. */
  readonly key: string;
  /** @param files Refuse all work once another process builds the project in place of this one. */
  readonly work: (files: Files) => Promise<Result<T, Problem>>;
}

interface Builder {
  readonly pid: number;
  readonly kind: "publish" | "build";
  readonly key: string;
}

/**
 * Does the work unless another process of this user builds the project. Without a folder for the
 * user's data it does not check.
 *
 * @returns 409 `publish-running` or `build-running`; `builder-lost` if this process was suspended
 * for so long that another one has taken over.
 */
export async function asOnlyBuilder<T>(
  dependencies: BuilderDependencies,
  { root, kind, key, work }: BuilderWork<T>,
): Promise<Result<T, Problem>> {
  const { files, clock, host } = dependencies;
  const folder = `${host.userData}/builders`;
  const path = `${folder}/${
    (await sha256Hex(encodeUtf8(await realRoot(files, root)))).slice(0, 32)
  }`;
  const me = { pid: host.pid, kind, key, token: crypto.randomUUID() };
  const write = () => files.writeAtomic(path, encodeUtf8(JSON.stringify(me)));
  const taken = await attempt(async () => {
    await files.makeDirectory(folder);
    return await withLock(dependencies, `${path}.lock`, async () => {
      const other = await builderAt(dependencies, path);
      if (other === null) await write();
      return other;
    });
  });
  if (taken.ok && taken.value !== null) return builtElsewhere(taken.value, { kind, key, path });
  const done = new AbortController();
  // A process that was suspended for long may have been replaced by another one.
  const isMine = async () => {
    const found = parseJson(await files.read(path, MAX_BYTES) ?? new Uint8Array());
    return isRecord(found) && found["token"] === me.token;
  };
  const ifMine = (work: () => Promise<unknown>) =>
    attempt(async () => {
      if (await isMine()) await work();
    });
  let checkedAt = clock.monotonic();
  let isLost = false;
  const check = async () => {
    // Nobody can take over within one heartbeat; checking each time would cost a read.
    if (isLost) throw new LostProjectError();
    if (!taken.ok || clock.monotonic() - checkedAt < HEARTBEAT_MS) return;
    checkedAt = clock.monotonic();
    const mine = await attempt(isMine);
    isLost = !mine.ok || !mine.value;
    if (isLost) throw new LostProjectError();
  };
  const beating = (async () => {
    while (taken.ok && !done.signal.aborted) {
      await clock.sleep(HEARTBEAT_MS, done.signal).catch(() => undefined);
      if (!done.signal.aborted) await ifMine(write);
    }
  })();
  try {
    return await work(heldFiles(files, check));
  } catch (thrown) {
    if (!(thrown instanceof LostProjectError)) throw thrown;
    return refuse(
      409,
      "builder-lost",
      `Cannot ${kind} ${key} any further: this process was silent for more than ` +
        `${SILENT_MS / 1000} s, and another one builds the project in its place`,
      "Wait for that one, then call again",
    );
  } finally {
    done.abort();
    await beating;
    if (taken.ok) await ifMine(() => files.remove(path));
  }
}

async function realRoot(files: Files, root: string): Promise<string> {
  const real = await attempt(() => files.realPath(root));
  return real.ok && real.value !== null ? real.value : root;
}

/** Reads which builder holds the folder; `null` if no running builder does. */
async function builderAt(
  { files, clock, isAlive }: BuilderDependencies,
  path: string,
): Promise<Builder | null> {
  const stat = await files.stat(path);
  const value = parseJson(await files.read(path, MAX_BYTES) ?? new Uint8Array());
  if (stat === null || !isRecord(value)) return null;
  const { pid, kind, key } = value;
  const isBuilder = typeof pid === "number" &&
    (kind === "publish" || kind === "build") && typeof key === "string";
  if (!isBuilder || !isAlive(pid) || clock.now() - stat.mtimeMs > SILENT_MS) return null;
  return { pid, kind, key };
}

function builtElsewhere(
  other: Builder,
  { kind, key, path }: Pick<Builder, "kind" | "key"> & { readonly path: string },
): Result<never, Problem> {
  const theirs = `${other.kind} ${plainText(other.key, MAX_SHOWN)}`;
  return refuse(
    409,
    `${other.kind}-running`,
    `Cannot ${kind} ${key}: another Slipway (process ${other.pid}: ${theirs}) builds the project now`,
    `Wait for it, or stop it there; if there is none, remove ${path}`,
  );
}
