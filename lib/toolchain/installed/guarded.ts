import { FileError } from "../../core/file-error.ts";
import type { Result } from "../../core/result.ts";
import { PACKAGE_IDS, type PackageId } from "../tools/ids.ts";
import { cancelled, failInstall, fileFailure, type InstallFailure } from "../work/failure.ts";
import type { InstallProgress } from "../work/progress.ts";
import {
  type HeldLock,
  type LockContext,
  takeLock,
  takeOverLock,
  type ToolchainLockOwner,
} from "./lock.ts";
import { followRun, openRunLog, type RunLog, type RunOutcome, sweepLocks } from "./run-log.ts";

/** Dependencies of a run under locks. */
export interface LockedRun {
  readonly progress: InstallProgress;
  readonly signal: AbortSignal;
}

/** Work under a package's lock. */
export interface GuardedWork<T> {
  readonly progress: InstallProgress;
  readonly signal: AbortSignal;
  /** Behaviour while another process does it: take its outcome, or wait and do the work afterwards. */
  readonly whenTaken:
    | { readonly attach: (outcome: RunOutcome) => Result<T, InstallFailure> }
    | "wait";
  /** Does it; the signal also ends when the lock is lost. */
  work(run: {
    readonly token: string;
    readonly log: RunLog;
    readonly signal: AbortSignal;
  }): Promise<Result<T, InstallFailure>>;
  /** Outcome for callers that attach; absent for work that is not an installation to attach to. */
  outcome?(result: Result<T, InstallFailure>): RunOutcome;
}

/** The end of work that is not an installation: the next caller begins. */
const NO_INSTALLATION = { ok: true, version: "", path: "" } as const;

/**
 * Does work under the lock `id`. While another process holds the lock its log is passed on, and with
 * `attach` its outcome is taken; when it dies, or was cancelled, the work is done here.
 */
export async function underLock<T>(
  id: string,
  work: GuardedWork<T>,
  context: LockContext,
): Promise<Result<T, InstallFailure>> {
  try {
    for (;;) {
      if (work.signal.aborted) return cancelled(`begin with ${id}`);
      const taken = await takeLock(id, context);
      if ("release" in taken) return await perform({ id, work }, taken, context);
      const next = await wait({ id, work }, taken, context);
      if (next === "again") continue;
      if ("release" in next) return await perform({ id, work }, next, context);
      return next;
    }
  } catch (thrown) {
    if (!(thrown instanceof FileError)) throw thrown;
    return fileFailure(thrown, `begin with ${id}`);
  }
}

/** Work on what a lock guards. */
interface Guarded<T> {
  readonly id: string;
  readonly work: GuardedWork<T>;
}

async function wait<T>(
  { id, work }: Guarded<T>,
  owner: ToolchainLockOwner,
  context: LockContext,
): Promise<"again" | HeldLock | Result<T, InstallFailure>> {
  const { progress, signal, whenTaken } = work;
  const ownerText = owner.hostname === ""
    ? "whose lock cannot be read"
    : `${owner.pid} on ${owner.hostname}, since ${owner.since}`;
  progress.log(`Another process (${ownerText}) is at ${id}: waiting`);
  const followed = await followRun({ id, owner, progress, signal }, context);
  switch (followed.kind) {
    case "cancelled":
      return cancelled(`begin with ${id}`);
    case "ended":
      return "again";
    case "dead": {
      progress.log(`That process gives no sign of life any more: taking over`);
      return (await takeOverLock(id, owner, context)) ?? "again";
    }
    case "outcome": {
      const { outcome } = followed;
      const theirs = !outcome.ok && outcome.error.code === "cancelled"; // they ended it, not we
      const other = outcome.ok && outcome.path === NO_INSTALLATION.path;
      if (whenTaken !== "wait" && !theirs && !other) return whenTaken.attach(outcome);
      // The lock is given back right after the outcome is written.
      await context.clock.sleep(AFTER_OUTCOME_MS, signal).catch(() => undefined);
      return "again";
    }
  }
}

const AFTER_OUTCOME_MS = 100;

async function perform<T>(
  { id, work }: Guarded<T>,
  lock: HeldLock,
  context: LockContext,
): Promise<Result<T, InstallFailure>> {
  const { token } = lock;
  const log = openRunLog({ id, token, progress: work.progress }, context);
  try {
    await sweepLocks(id, token, context);
    const signal = AbortSignal.any([work.signal, lock.lost]);
    const done = await work.work({ token, log, signal });
    const result = !done.ok && lock.lost.aborted && !work.signal.aborted ? lostLock(id) : done;
    await log.end(toldOf(work, result));
    return result;
  } catch (thrown) {
    const failed = thrown instanceof FileError
      ? fileFailure(thrown, `work on ${id}`)
      : failInstall("io", `The run at ${id} broke off`, "Try again");
    await log.end(toldOf(work, failed));
    throw thrown;
  } finally {
    await lock.release();
  }
}

function toldOf<T>(
  { whenTaken, outcome }: GuardedWork<T>,
  result: Result<T, InstallFailure>,
): RunOutcome {
  return whenTaken === "wait" ? NO_INSTALLATION : outcome?.(result) ?? NO_INSTALLATION;
}

/**
 * Does work under the locks of several packages. They are acquired in the order of the table, which prevents
 * a deadlock.
 */
export async function underLocks<T>(
  ids: readonly PackageId[],
  { progress, signal, work }: LockedRun & {
    readonly work: (run: LockedRun) => Promise<Result<T, InstallFailure>>;
  },
  context: LockContext,
): Promise<Result<T, InstallFailure>> {
  const [first, ...rest] = PACKAGE_IDS.filter((id) => ids.includes(id));
  if (first === undefined) return await work({ progress, signal });
  return await underLock<T>(first, {
    progress,
    signal,
    whenTaken: "wait",
    work: (run) => underLocks(rest, { progress: run.log, signal: run.signal, work }, context),
  }, context);
}

function lostLock(id: string): Result<never, InstallFailure> {
  return failInstall(
    "busy",
    `Cannot go on with ${id}: this process was silent for so long that another one took over`,
    "Look at the status: the other process may have installed it; else install again",
  );
}
