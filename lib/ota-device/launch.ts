import { own } from "../core/json.ts";
import { isBundleName } from "../core/paths.ts";
import { type BootState, EMBEDDED, type Launch } from "../ota-format/mod.ts";
import { boot, type BootTarget, confirm, mayStage, newBinary, retrial } from "./boot.ts";
import type { DeviceContext } from "./context.ts";
import { isStaged } from "./held.ts";
import { randomId } from "./random.ts";
import { guardRejected, type LaunchLog, type Records, type RecordWriter } from "./records.ts";
import { countStrikes, isDue, notesConfirmation, strikeMarks, versionBefore } from "./strikes.ts";
import { lookAtVersion } from "./whole.ts";

/** A launch as the boot hook decided it. */
export interface LaunchResult {
  /** Version to serve. */
  readonly target: BootTarget;
  /** Confirms this launch, once it is fully booted. */
  readonly token: string;
  /**
   * Script that the served document runs before its own: it sets `globalThis.slipwayLaunch`
   * (NAT-7). Another document has another launch, or none.
   */
  readonly script: string;
}

/** Input of the boot hook. */
export interface LaunchRequest {
  /** The bundle that this app runs. */
  readonly name: string;
  /** The app binary's own version. */
  readonly binaryVersion?: string | undefined;
  /**
   * Whether no person sees this launch (a push, a widget, a prefetch): it decides like one that
   * cannot be recorded, writes nothing, and cannot be confirmed (DEV-34, decision 90).
   */
  readonly background?: boolean;
  /**
   * The processes that the user ended, according to the system: a launch by one of them is not a
   * strike (DEV-55). Default none.
   */
  readonly endedByUser?: readonly number[];
}

/** Decides which version this launch serves, and records it first. Never throws (DEV-1). */
export async function launch(
  context: DeviceContext,
  { name, binaryVersion, background = false, endedByUser = [] }: LaunchRequest,
): Promise<LaunchResult> {
  const { records, session } = context;
  const token = randomId();
  const serve = (target: BootTarget): LaunchResult => {
    const version = target.kind === "version" ? target.version : EMBEDDED;
    const served = session.launch = { name, version, token };
    session.served.add(`${name}@${version}`);
    return { target, token, script: scriptOf(served) };
  };
  session.unrecorded.add(name);
  session.waived.delete(name);
  if (!isBundleName(name)) return serve({ kind: "embedded" }); // NAT-1: not recorded
  const asked = { name, token, binaryVersion, endedByUser };
  if (!background) {
    try {
      const target = await records.change((writer) => record(context, writer, asked), WAIT_MS);
      session.unrecorded.delete(name);
      return serve(target);
    } catch {
      session.waived.add(name);
      await invalidateLaunch(records, name);
    }
  }
  try { // unseen, or not recorded because of the disk or another process: BOOT-10 decides
    const { state } = await readState(context, asked);
    // DEV-62: unrecorded, no later launch would check the files behind folders that this one trusts.
    const log = background ? await records.readLaunches().catch(() => null) : null;
    const { exists } = await look(context, name, { state, log, recorded: false });
    return serve(boot(state, name, { exists, recorded: false }).target);
  } catch {
    return serve({ kind: "embedded" }); // the one bundle that no disk can take away
  }
}

/** Web views from before 2018 have no `globalThis`; in a document it is the window. */
function scriptOf(launch: Launch): string {
  return `window.slipwayLaunch=Object.freeze(${JSON.stringify(launch)});`;
}

/** The longest that a launch waits for another process, which takes milliseconds, in milliseconds. */
const WAIT_MS = 2_000;

/** The request of a launch. */
interface AskedLaunch {
  readonly name: string;
  readonly token: string;
  readonly binaryVersion: string | undefined;
  readonly endedByUser: readonly number[];
}

/** The state on the disk, and the state on which a launch of this binary decides. */
async function readState(
  { records }: DeviceContext,
  { binaryVersion }: AskedLaunch,
): Promise<{ readonly before: BootState | null; readonly state: BootState | null }> {
  const before = await records.readState();
  return {
    before,
    state: binaryVersion === undefined ? before : newBinary(before, binaryVersion),
  };
}

/**
 * Looks up which of the versions that a launch may serve exist on the disk, and how the served one
 * was found.
 */
async function look(
  { options }: DeviceContext,
  name: string,
  { state, log, recorded }: {
    readonly state: BootState | null;
    /** `null`: folders are not trusted. */
    readonly log: LaunchLog | null;
    readonly recorded: boolean;
  },
): Promise<{ readonly exists: (version: string) => boolean; readonly byFolders: boolean }> {
  const staged = new Set<string>();
  for (const version of [own(state?.pending, name), own(state?.active, name)]) {
    if (version !== undefined && await isStaged(options, name, version)) staged.add(version);
  }
  const exists = (version: string) => staged.has(version);
  for (;;) { // DEV-32: only the version to be served is checked
    const { target } = boot(state, name, { exists, recorded });
    if (target.kind === "embedded") return { exists, byFolders: false };
    const { version } = target;
    const trustsFolders = log !== null && !isUnlooked(log, name, version);
    const found = await lookAtVersion(options, { name, version }, {
      trustsFolders,
      notes: recorded,
    });
    if (found !== "damaged") return { exists, byFolders: found === "by-folders" };
    staged.delete(version);
  }
}

/** Whether the last launch of the bundle took the version by its folders, and its files were not looked at since. */
function isUnlooked(log: LaunchLog, name: string, version: string): boolean {
  const last = own(log.launches, name);
  return last?.version === version && last.byFolders === true;
}

/** The state with the active version back on trial (DEV-50). */
async function putOnTrial(
  { options, records }: DeviceContext,
  name: string,
  { state, log }: { readonly state: BootState | null; readonly log: LaunchLog },
): Promise<BootState | null> {
  const previous = versionBefore(name, { state, log });
  const { rejected } = await records.readGuard();
  const canServe = previous !== null && mayStage({ rejected }, name, previous) &&
    await isStaged(options, name, previous) &&
    await lookAtVersion(options, { name, version: previous }, {
        trustsFolders: true,
        notes: false,
      }) !== "damaged";
  return retrial(state, name, { previous, exists: () => canServe });
}

/**
 * Prevents a later process from confirming a launch that was not recorded: removes the token of the
 * recorded one, which otherwise stays for strikes. Best effort: if this is refused as well, only a
 * confirmation without a launch before it could count.
 */
async function invalidateLaunch(records: Records, name: string): Promise<void> {
  try {
    await records.change(async (writer) => {
      const log = await records.readLaunches();
      const launched = own(log.launches, name);
      if (launched === undefined || launched.counted || launched.token === NO_TOKEN) return;
      const launches = { ...log.launches, [name]: { ...launched, token: NO_TOKEN } };
      await writer.writeLaunches({ ...log, launches });
    }, 0);
  } catch {
    // Both records are refused: only a confirmation without a launch before it could count.
  }
}

/** Token of a launch that cannot be confirmed. */
const NO_TOKEN = "";

/**
 * Decides, and makes the decision durable before it takes effect (DEV-2). Throws refusals of the
 * disk.
 */
async function record(
  context: DeviceContext,
  writer: RecordWriter,
  asked: AskedLaunch,
): Promise<BootTarget> {
  const { options, records, session } = context;
  const { name, token, endedByUser } = asked;
  const { before, state } = await readState(context, asked);
  const isNewBinary = before?.lastSeenBinaryVersion !== undefined &&
    before.lastSeenBinaryVersion !== state?.lastSeenBinaryVersion;
  const read = await records.readLaunches();
  const log = isNewBinary ? NO_LAUNCHES : read; // a new binary must not go back to earlier versions
  const strikes = options.backOnTrial ? countStrikes(name, { state, log, endedByUser }) : null;
  const goesBack = strikes !== null && isDue(strikes);
  const decided = goesBack ? await putOnTrial(context, name, { state, log }) : state;
  const { exists, byFolders } = await look(context, name, { state: decided, log, recorded: true });
  const { target, state: next } = boot(decided, name, { exists });
  const version = target.kind === "version" ? target.version : EMBEDDED;
  const attempt = own(next?.bootAttempts, name) ?? 0;
  const last = own(log.launches, name);
  const since = last?.version === version ? last.sinceVerified : undefined;
  const sinceVerified = since !== undefined && { sinceVerified: since + 1 };
  const marks = strikes !== null && strikeMarks(strikes, { pid: options.host?.pid, attempt });
  const looked = byFolders && { byFolders };
  const launched = {
    version,
    token,
    attempt,
    counted: false,
    ...looked,
    ...sinceVerified,
    ...marks,
  };
  const launches = { ...log.launches, [name]: launched };
  const { [name]: _before, ...others } = log.strikes;
  await writer.writeLaunches({
    ...log,
    launches,
    strikes: strikes === null ? others : { ...others, [name]: goesBack ? 0 : strikes.count },
  });
  const guard = guardRejected(await records.readGuard(), next);
  if (guard !== null) await writer.writeGuard(guard);
  if (next !== null && JSON.stringify(next) !== JSON.stringify(before)) {
    await writer.writeState(next);
  }
  session.isNewBinary ||= isNewBinary;
  return target;
}

const NO_LAUNCHES: LaunchLog = { launches: {}, previous: {}, strikes: {}, mandatory: {} };

/** Counts the launch that the token is of, once. @returns Whether the token is of a launch. */
export async function confirmBoot(
  { records }: DeviceContext,
  writer: RecordWriter,
  { name, token }: { readonly name: string; readonly token: string },
): Promise<boolean> {
  const log = await records.readLaunches();
  const launched = own(log.launches, name);
  if (launched === undefined || token === NO_TOKEN || launched.token !== token) return false;
  const state = await records.readState();
  const { version, attempt, counted } = launched;
  const booted: BootTarget = version === EMBEDDED
    ? { kind: "embedded" }
    : { kind: "version", version };
  const isRecorded = attempt === (own(state?.bootAttempts, name) ?? 0); // DEV-3
  const next = isRecorded ? confirm(state, name, { booted, counted }) : state;
  // Counted before credited: a crash in between loses a confirmation, never grants two (DEV-4).
  const launches = { ...log.launches, [name]: { ...launched, counted: true } };
  if (next === null || next === state) {
    if (isRecorded && notesConfirmation(name, log, state)) {
      await writer.writeLaunches({ ...log, launches });
    } else {
      await records.ensureDurable();
    }
    return true;
  }
  const replaced = own(state?.active, name);
  const promoted = own(next.active, name) !== replaced;
  const { [name]: _left, ...others } = log.previous;
  const previous = !promoted
    ? log.previous
    : { ...others, ...(replaced !== undefined && { [name]: replaced }) };
  await writer.writeLaunches({ ...log, launches, previous });
  await writer.writeState(next);
  return true;
}
