// Decides when a transfer is too slow to wait for. Pure functions of the time that the device was
// awake (CHECK-12), so that every shell decides alike; vectors/pace tests them.

/** A transfer so far. */
export interface Pace {
  /** Since it began, in milliseconds that the device was awake. */
  readonly awakeMs: number;
  /** Since its last piece, also awake time. */
  readonly idleMs: number;
  /** Received bytes. */
  readonly bytes: number;
}

/** The time after which the mean counts, in milliseconds: a new connection's mean says little. */
const MEAN_FROM_MS = 60_000;

/** The slowest accepted mean of a record, in bytes a second: 8 MiB take 4.6 hours at most. */
const READ_BYTES_PER_SECOND = 512;

/** The slowest mean at which a game waits for an update, in bytes a second. */
const HOLD_BYTES_PER_SECOND = 4096;

/** Whether a record is read on: it pauses for less than `deadlineMs`, and does not trickle (CHECK-10). */
export function mayRead(pace: Pace, deadlineMs: number): boolean {
  return pace.idleMs < deadlineMs && !isBelow(READ_BYTES_PER_SECOND, pace);
}

/** An update that a game waits for. */
export interface Hold extends Pace {
  /**
   * Whether bytes are still to be loaded; work of the device without any does not count as slow.
   */
  readonly isLoading: boolean;
}

/**
 * Whether a game that could start waits on for a mandatory update: for less than `holdMs` in all, and
 * while bytes are to come only as long as they come at a pace (CHECK-11).
 */
export function mayHold(hold: Hold, holdMs: number): boolean {
  return hold.awakeMs < holdMs && !(hold.isLoading && isBelow(HOLD_BYTES_PER_SECOND, hold));
}

function isBelow(bytesPerSecond: number, { awakeMs, bytes }: Pace): boolean {
  return awakeMs >= MEAN_FROM_MS && bytes * 1000 < bytesPerSecond * awakeMs;
}

/** Follows a transfer. */
export function followPace(): { add(bytes: number): void; at(awakeMs: number): Pace } {
  let bytes = 0;
  let lastMs = 0;
  let isNew = false;
  return {
    add(more) {
      bytes += more;
      isNew = true;
    },
    at(awakeMs) {
      if (isNew) lastMs = awakeMs;
      isNew = false;
      return { awakeMs, idleMs: awakeMs - lastMs, bytes };
    },
  };
}
