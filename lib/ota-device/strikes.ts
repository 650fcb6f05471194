import { own } from "../core/json.ts";
import { versionNumber } from "../core/paths.ts";
import type { BootState } from "../ota-format/mod.ts";
import type { LaunchLog, LaunchRecord } from "./records.ts";

// Decides when the active version goes back on trial (DEV-50): after three launches in a row that
// were not confirmed before the next one. That narrows the specification, so an app has to ask for it
// (decision 127). Swift and Java count alike; retrial() in boot.ts decides what follows.

/** Launches without a confirmation that put the active version back on trial. */
const STRIKES = 3;

/** Launches in a row that the user may end without a strike. After more, the game is assumed not to start. */
const FORGIVEN = 6;

/** The facts of a launch that strikes depend on. */
interface StrikeFacts {
  /** The state that the launch decides on. */
  readonly state: BootState | null;
  /** The log as the previous launch left it. */
  readonly log: LaunchLog;
  /** Processes of the app that the user ended. */
  readonly endedByUser: readonly number[];
}

/** Counts of the launches before this one. */
export interface Strikes {
  /** Launches in a row that were not confirmed. */
  readonly count: number;
  /** Launches in a row that the user ended, and that are not strikes for that (DEV-55). */
  readonly forgiven: number;
}

const NONE: Strikes = { count: 0, forgiven: 0 };

/** Counts the strikes of a bundle at a launch that is recorded. */
export function countStrikes(name: string, { state, log, endedByUser }: StrikeFacts): Strikes {
  const active = own(state?.active, name);
  const last = own(log.launches, name);
  const isUnconfirmed = own(state?.pending, name) === undefined && active !== undefined &&
    last?.version === active && !last.counted;
  if (!isUnconfirmed) return NONE;
  // It was to be on trial, and the state could not be written: due again (DEV-51).
  if (last.retrial) return { ...NONE, count: STRIKES };
  const { pid, forgiven = 0 } = last;
  const count = own(log.strikes, name) ?? 0;
  const isForgiven = pid !== undefined && endedByUser.includes(pid) && forgiven < FORGIVEN;
  return isForgiven ? { count, forgiven: forgiven + 1 } : { count: count + 1, forgiven };
}

/** Returns whether this many strikes put the version back on trial. */
export function isDue({ count }: Strikes): boolean {
  return count >= STRIKES;
}

/** Returns the part of a launch's record that the next launch counts by. */
export function strikeMarks(
  strikes: Strikes,
  { pid, attempt }: { readonly pid: number | undefined; readonly attempt: number },
): Partial<LaunchRecord> {
  return {
    ...(pid !== undefined && { pid }),
    ...(strikes.forgiven > 0 && { forgiven: strikes.forgiven }),
    // Without an attempt the due version has lost its files: the one before it is served (BOOT-2).
    ...(isDue(strikes) && attempt > 0 && { retrial: true }),
  };
}

/**
 * Returns the version that a trial of the active one may go back to: the one that was active before
 * it. A higher one was replaced by a release that went back, so it is not run again (DEV-56).
 */
export function versionBefore(
  name: string,
  { state, log }: Pick<StrikeFacts, "state" | "log">,
): string | null {
  const active = own(state?.active, name);
  const before = own(log.previous, name);
  if (active === undefined || before === undefined) return null;
  return versionNumber(before) < versionNumber(active) ? before : null;
}

/** Whether a confirmation of the active version is noted: its launch counted strikes (DEV-50). */
export function notesConfirmation(name: string, log: LaunchLog, state: BootState | null): boolean {
  const launched = own(log.launches, name);
  return own(log.strikes, name) !== undefined && launched !== undefined && !launched.counted &&
    launched.version === own(state?.active, name);
}
