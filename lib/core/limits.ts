const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/**
 * Every bound of the update records, in one table (LIM-1). All are inclusive: the value itself is
 * allowed, one more is not. The publisher refuses whatever a device would refuse.
 */
export const LIMITS = {
  /** `release.json`, in bytes. */
  releaseBytes: 256 * KIB,
  /** `manifest.json`, in bytes. */
  manifestBytes: 8 * MIB,
  /** Files in one bundle. */
  bundleFiles: 20_000,
  /** One file, in bytes. */
  fileBytes: 512 * MIB,
  /** All files of a bundle together, and its zip, in bytes. */
  bundleBytes: 2 * GIB,
  /** A file path, in UTF-8 bytes. */
  pathBytes: 512,
  /** One segment of a path, in UTF-8 bytes. */
  segmentBytes: 200,
  /** Nesting of a JSON record; the outermost object is depth 1. */
  jsonDepth: 32,
  /** How far a record may be ahead of the accepted sequence. */
  sequenceJump: 1_000_000,
  /** Launches that a pending version gets (BOOT-3). */
  bootAttempts: 3,
  /** Launches that must confirm a pending version (BOOT-9). */
  bootConfirms: 2,
  /** Quarantined versions remembered per bundle (BOOT-16). */
  rejectedVersions: 10,
} as const;

/** The name of a bound in {@linkcode LIMITS}. */
export type LimitName = keyof typeof LIMITS;

/** Returns whether `value` is a whole number from 0 to the named bound, both included. */
export function withinLimit(name: LimitName, value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= LIMITS[name];
}
