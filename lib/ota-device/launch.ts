import { own } from "../core/json.ts";
import { isBundleName } from "../core/paths.ts";
import { type BootState, EMBEDDED } from "../ota-format/mod.ts";
import { boot, type BootDecision, type BootTarget, confirm, newBinary } from "./boot.ts";
import type { DeviceContext } from "./context.ts";
import { isStaged } from "./held.ts";
import { randomId } from "./random.ts";
import { guardRejected, type LaunchLog, type Records } from "./records.ts";

/** A launch as the boot hook decided it. */
export interface LaunchResult {
  /** What to serve. */
  readonly target: BootTarget;
  /** Confirms this launch, once it is fully booted. */
  readonly token: string;
}

/** The boot hook: decides what this launch serves, and records it first. Never throws (DEV-1). */
export async function launch(
  { options, records, session }: DeviceContext,
  { name, binaryVersion }: { name: string; binaryVersion: string | undefined },
): Promise<LaunchResult> {
  const token = randomId();
  const serve = (target: BootTarget): LaunchResult => {
    const version = target.kind === "version" ? target.version : EMBEDDED;
    session.launch = { name, version, token };
    return { target, token };
  };
  session.unrecorded.add(name);
  if (!isBundleName(name)) return serve({ kind: "embedded" }); // NAT-1: nothing is recorded of it
  try {
    const before = await records.readState();
    const state = binaryVersion === undefined ? before : newBinary(before, binaryVersion);
    const wanted = [own(state?.pending, name), own(state?.active, name)];
    const staged = new Set<string>();
    for (const version of wanted) {
      if (version !== undefined && await isStaged(options, name, version)) staged.add(version);
    }
    const facts = { exists: (version: string) => staged.has(version) };
    const decision = boot(state, name, facts);
    const isNewBinary = before?.lastSeenBinaryVersion !== undefined &&
      before.lastSeenBinaryVersion !== state?.lastSeenBinaryVersion;
    if (await record(records, { name, token, before, decision, isNewBinary })) {
      session.unrecorded.delete(name);
      session.isNewBinary ||= isNewBinary;
      return serve(decision.target);
    }
    await invalidateLaunch(records, name);
    return serve(boot(state, name, { ...facts, recorded: false }).target);
  } catch {
    await invalidateLaunch(records, name);
    return serve({ kind: "embedded" }); // the one bundle that no disk can take away
  }
}

/**
 * Sees to it that a later process cannot confirm a launch that was not recorded. Best effort:
 * where this is refused as well, only a confirmation without a launch before it could count.
 */
async function invalidateLaunch(records: Records, name: string): Promise<void> {
  try {
    const log = await records.readLaunches();
    const launched = own(log.launches, name);
    if (launched === undefined || launched.counted) return;
    const launches = { ...log.launches, [name]: { ...launched, counted: true } };
    await records.writeLaunches({ ...log, launches });
  } catch {
    // said above
  }
}

/** Makes a decision durable before it is acted on (DEV-2). @returns Whether that worked. */
async function record(
  records: Records,
  { name, token, before, decision, isNewBinary }: {
    name: string;
    token: string;
    before: BootState | null;
    decision: BootDecision;
    isNewBinary: boolean;
  },
): Promise<boolean> {
  try {
    const { target, state } = decision;
    const read = await records.readLaunches();
    const log = isNewBinary ? NO_LAUNCHES : read; // nothing of before may be gone back to
    const version = target.kind === "version" ? target.version : EMBEDDED;
    const attempt = own(state?.bootAttempts, name) ?? 0;
    const launches = { ...log.launches, [name]: { version, token, attempt, counted: false } };
    await records.writeLaunches({ ...log, launches });
    const guard = guardRejected(await records.readGuard(), state);
    if (guard !== null) await records.writeGuard(guard);
    if (state !== null && JSON.stringify(state) !== JSON.stringify(before)) {
      await records.writeState(state);
    }
    return true;
  } catch {
    return false; // the disk refused: BOOT-10 says what is booted then
  }
}

const NO_LAUNCHES: LaunchLog = { launches: {}, previous: {} };

/** Counts the launch that the token is of, once. @returns Whether the token is of a launch. */
export async function confirmBoot(
  { records }: DeviceContext,
  { name, token }: { readonly name: string; readonly token: string },
): Promise<boolean> {
  const log = await records.readLaunches();
  const launched = own(log.launches, name);
  if (launched === undefined || launched.token !== token) return false;
  const state = await records.readState();
  const { version, attempt, counted } = launched;
  const booted: BootTarget = version === EMBEDDED
    ? { kind: "embedded" }
    : { kind: "version", version };
  const isRecorded = attempt === (own(state?.bootAttempts, name) ?? 0); // DEV-3
  const next = isRecorded ? confirm(state, name, { booted, counted }) : state;
  if (next === null || next === state) {
    await records.ensureDurable();
    return true;
  }
  const replaced = own(state?.active, name);
  const promoted = own(next.active, name) !== replaced;
  const previous = promoted && replaced !== undefined
    ? { ...log.previous, [name]: replaced }
    : log.previous;
  // Counted before credited: a crash in between loses a confirmation, never grants two (DEV-4).
  const launches = { ...log.launches, [name]: { ...launched, counted: true } };
  await records.writeLaunches({ launches, previous });
  await records.writeState(next);
  return true;
}
