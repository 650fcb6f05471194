import { decodeUtf8, encodeUtf8 } from "../../core/bytes.ts";
import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import {
  type InstallFailure,
  type InstallFailureCode,
  isInstallFailureCode,
} from "../work/failure.ts";
import { type InstallProgress, isProgressPhase, isProgressUnit } from "../work/progress.ts";
import {
  type LockContext,
  lockFile,
  ownerOf,
  type ToolchainLockOwner,
  watchOwner,
} from "./lock.ts";

// The output of an installation is also written to `locks/<id>.<token>.log`, one JSON object per line, so
// that a second caller, in any process and runtime, sees the run that it waits for.

/** Minimum interval between two records of progress, in milliseconds. */
const PROGRESS_MS = 200;
/** Interval between two looks of a follower, in milliseconds. */
const FOLLOW_MS = 100;
const MAX_CHUNK = 256 * 1024;
/** Largest log of one run, without its outcome, in bytes: endless output must not fill the disk. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;

/** The end of a run. */
export type RunOutcome =
  | { readonly ok: true; readonly version: string; readonly path: string }
  | { readonly ok: false; readonly error: InstallFailure };

type Step = Parameters<InstallProgress["progress"]>[0];

/** The log of a run that this process makes. */
export interface RunLog extends InstallProgress {
  /** Writes the outcome and closes the file. */
  end(outcome: RunOutcome): Promise<void>;
}

/** Opens the log of a run; it forwards everything to `progress`, too. */
export function openRunLog(
  { id, token, progress }: {
    readonly id: string;
    readonly token: string;
    readonly progress: InstallProgress;
  },
  context: LockContext,
): RunLog {
  let sink: ReadableStreamDefaultController<Uint8Array> | null = null;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      sink = controller;
    },
  });
  // A log that cannot be written is not a reason not to install.
  const written = context.folder.files.write(logFile(id, token, context), stream).catch(() => {
    sink = null;
  });
  const write = (value: object) => sink?.enqueue(lineOf(value));
  let left = MAX_LOG_BYTES;
  const note = (value: object) => {
    if (left <= 0) return;
    left -= lineOf(value).length;
    write(left > 0 ? value : { log: "(more was said than is written down)" });
  };
  let progressAt = -Infinity;
  return {
    log(line) {
      progress.log(line);
      note({ log: line });
    },
    progress(step) {
      progress.progress(step);
      const now = context.clock.monotonic();
      if (step.done < step.total && now - progressAt < PROGRESS_MS) return;
      progressAt = now;
      note({ progress: step });
    },
    async end(outcome) {
      write({ outcome });
      sink?.close();
      sink = null;
      await written;
    },
  };
}

function lineOf(value: object): Uint8Array {
  return encodeUtf8(`${JSON.stringify(value)}\n`);
}

/** The end of a run that was followed. */
export type Followed =
  | { readonly kind: "outcome"; readonly outcome: RunOutcome }
  /** The lock is free, or another run's; nothing is known about this run. */
  | { readonly kind: "ended" }
  | { readonly kind: "dead" }
  | { readonly kind: "cancelled" };

/** Follows the run of another process to its end, and passes on what it says. */
export async function followRun(
  { id, owner, progress, signal }: {
    readonly id: string;
    readonly owner: ToolchainLockOwner;
    readonly progress: InstallProgress;
    readonly signal: AbortSignal;
  },
  context: LockContext,
): Promise<Followed> {
  const isDead = watchOwner(id, owner, context);
  const reader = createReader(logFile(id, owner.token, context), context);
  for (let look = 0; !signal.aborted; look++) {
    // Before the log is read: what was written before the lock was given back is in it.
    const state = await stateOf(id, owner, { context, isDead });
    for (const line of await reader.lines()) {
      const outcome = passOn(line, progress);
      // A run that had ended before is not the requested one: its lock is about to be removed.
      if (outcome !== null && look > 0) return { kind: "outcome", outcome };
    }
    if (state !== "running") return { kind: state };
    await context.clock.sleep(FOLLOW_MS, signal).catch(() => undefined);
  }
  return { kind: "cancelled" };
}

/** Removes the files of finished runs next to the lock. @param current The token of this run. */
export async function sweepLocks(
  id: string,
  current: string,
  context: LockContext,
): Promise<void> {
  const { files } = context.folder;
  for (const { name } of (await files.list(context.folder.at("locks"))) ?? []) {
    const ours = name.startsWith(`${id}.`) && name !== `${id}.lock` && !name.includes(current);
    if (ours) await files.remove(lockFile(name, context));
  }
}

async function stateOf(
  id: string,
  owner: ToolchainLockOwner,
  { context, isDead }: {
    readonly context: LockContext;
    readonly isDead: () => Promise<boolean>;
  },
): Promise<"running" | "ended" | "dead"> {
  if ((await ownerOf(id, context))?.token !== owner.token) return "ended";
  return (await isDead()) ? "dead" : "running";
}

function logFile(id: string, token: string, context: LockContext): string {
  return lockFile(`${id}.${token}.log`, context);
}

function createReader(path: string, { folder: { files } }: LockContext) {
  let offset = 0;
  let rest: Uint8Array = new Uint8Array(0);
  return {
    async lines(): Promise<string[]> {
      const found: string[] = [];
      for (;;) {
        const bytes = await files.readRange(path, offset, MAX_CHUNK).catch(() => null);
        if (bytes === null || bytes.length === 0) return found;
        offset += bytes.length;
        const all = new Uint8Array(rest.length + bytes.length);
        all.set(rest);
        all.set(bytes, rest.length);
        const end = all.lastIndexOf(0x0a) + 1;
        rest = all.slice(end);
        const text = decodeUtf8(all.slice(0, end)) ?? "";
        for (const line of text.split("\n")) if (line !== "") found.push(line);
      }
    },
  };
}

function passOn(line: string, progress: InstallProgress): RunOutcome | null {
  const value = parseJson(line); // the last line may be cut off
  if (!isRecord(value)) return null;
  if (typeof value["log"] === "string") progress.log(value["log"]);
  const step = asStep(value["progress"]);
  if (step !== null) progress.progress(step);
  return asOutcome(value["outcome"]);
}

function asStep(value: unknown): Step | null {
  if (!isRecord(value)) return null;
  const { phase, unit, label, done, total } = value;
  if (!isProgressPhase(phase) || !isProgressUnit(unit) || typeof label !== "string") return null;
  if (typeof done !== "number" || typeof total !== "number") return null;
  return { phase, label, done, total, unit };
}

function asOutcome(value: unknown): RunOutcome | null {
  if (!isRecord(value)) return null;
  const { version, path } = value;
  if (value["ok"] === true && typeof version === "string" && typeof path === "string") {
    return { ok: true, version, path };
  }
  const error = value["error"];
  if (!isRecord(error)) return null;
  const { message, next } = error;
  const code: InstallFailureCode | null = isInstallFailureCode(error["code"])
    ? error["code"]
    : null;
  if (code === null || typeof message !== "string" || typeof next !== "string") return null;
  return { ok: false, error: { code, message, next } };
}
