import { own } from "../core/json.ts";
import type { BootState } from "../ota-format/mod.ts";
import type { LaunchLog } from "./records.ts";

// When the active version goes back on trial (DEV-50): three launches of it in a row that were not
// confirmed before the next one. Swift and Java count alike; retrial() in boot.ts says what follows.

/** Launches without a confirmation that put the active version back on trial. */
export const STRIKES = 3;

/** A launch, as far as strikes depend on it. */
interface StrikeFacts {
  /** The state that the launch decides on. */
  readonly state: BootState | null;
  /** The log as the launch before left it. */
  readonly log: LaunchLog;
  /** Whether the user ended the process of the launch before. */
  readonly endedByUser: boolean;
}

/** Counts the strikes of a bundle at a launch that is recorded. */
export function countStrikes(name: string, { state, log, endedByUser }: StrikeFacts): number {
  const active = own(state?.active, name);
  const last = own(log.launches, name);
  const isStrike = own(state?.pending, name) === undefined && active !== undefined &&
    last?.version === active && !last.counted;
  if (!isStrike) return 0;
  // It was to be on trial, and the power went before the state was written: due again (DEV-51).
  if (last.attempt > 0) return STRIKES;
  const before = own(log.strikes, name) ?? 0;
  return endedByUser ? before : before + 1;
}

/** Whether a confirmation of the active version is noted: its launch counted strikes (DEV-50). */
export function notesConfirmation(name: string, log: LaunchLog, state: BootState | null): boolean {
  const launched = own(log.launches, name);
  return own(log.strikes, name) !== undefined && launched !== undefined && !launched.counted &&
    launched.version === own(state?.active, name);
}
