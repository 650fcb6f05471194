import { forEachParallel } from "../core/parallel.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import {
  type Release,
  RELEASE_PATH,
  RELEASES_FOLDER,
  signedReleasePath,
} from "../ota-format/mod.ts";
import { readSigned, type ReleaseReader, sequenceOf, type SwapFailureCode } from "./release-log.ts";

/** Releases that are read at the same time. */
const CONCURRENCY = 8;

/** One signed release. */
export interface HistoryEntry {
  /** Its sequence. */
  readonly sequence: number;
  /**
   * The time of its write by the store's clock, in milliseconds since the epoch; absent if the
   * release is not in the log.
   */
  readonly writtenAt?: number;
  /** `ahead`: signed, and no release that players get was built upon it yet. */
  readonly state: "current" | "past" | "ahead";
  /** The release; a failure if it cannot be trusted. */
  readonly release: Result<Release, Failure<SwapFailureCode>>;
}

/** Signed releases of a bucket. */
export interface ReleaseHistory {
  /** The newest first. */
  readonly entries: readonly HistoryEntry[];
  /** The number of older releases that were not read. */
  readonly older: number;
}

/**
 * Reads the signed releases of a bucket, and verifies each (PUB-21).
 *
 * @returns `bucket`, or `invalid-release` if the current one cannot be trusted.
 */
export async function readHistory(
  reader: ReleaseReader,
  { limit }: { readonly limit: number },
): Promise<Result<ReleaseHistory, Failure<SwapFailureCode>>> {
  const current = await readSigned(reader, RELEASE_PATH);
  if (!current.ok) return current;
  const released = current.value?.release ?? null;
  const found = new Map<number, number | undefined>();
  if (released !== null) found.set(released.sequence, undefined);
  for await (const object of reader.bucket.objects(RELEASES_FOLDER)) {
    if (!object.ok) return fail("bucket", object.error.message, object.error.next);
    const sequence = sequenceOf(object.value.key.slice(RELEASES_FOLDER.length + 1));
    if (sequence !== null) found.set(sequence, object.value.modified);
  }
  const newest = [...found.keys()].sort((a, b) => b - a);
  const listed = newest.slice(0, limit);
  const releases = await readReleases(reader, listed);
  if (!releases.ok) return releases;
  const entries = listed.flatMap((sequence): HistoryEntry[] => {
    const isCurrent = sequence === released?.sequence;
    const release = isCurrent ? ok(released) : releases.value.get(sequence);
    if (release === undefined) return [];
    const state = isCurrent ? "current" : sequence < (released?.sequence ?? 0) ? "past" : "ahead";
    const writtenAt = found.get(sequence);
    return [{ sequence, ...(writtenAt !== undefined && { writtenAt }), state, release }];
  });
  return ok({ entries, older: newest.length - listed.length });
}

/** An entry as programs and pages read it. */
export interface HistoryRecord extends Pick<HistoryEntry, "sequence" | "state"> {
  /** ISO 8601. */
  readonly writtenAt?: string;
  /** Bundle to version; only of a trusted release. */
  readonly bundles?: Readonly<Record<string, string>>;
  /** Whether players must restart into it. */
  readonly mandatory?: boolean;
  /** The lowest engine API level of an app that may take any bundle. */
  readonly minEngineApi?: number;
  /** Bundles that the release takes back on purpose, and to which version (REL-9). */
  readonly backTo?: Readonly<Record<string, string>>;
  /** Why a release cannot be trusted. */
  readonly problem?: string;
}

/** An entry as a record. */
export function historyRecord(
  { sequence, writtenAt, state, release }: HistoryEntry,
): HistoryRecord {
  const written = writtenAt !== undefined && { writtenAt: new Date(writtenAt).toISOString() };
  if (!release.ok) return { sequence, state, ...written, problem: release.error.message };
  const { bundles, mandatory, minEngineApi, backTo } = release.value;
  const listed = { bundles, mandatory, minEngineApi, ...(backTo && { backTo }) };
  return { sequence, state, ...written, ...listed };
}

/** Reads the releases of these sequences, each with its own verdict; omits missing ones. */
export async function readReleases(
  reader: ReleaseReader,
  sequences: readonly number[],
): Promise<
  Result<ReadonlyMap<number, Result<Release, Failure<SwapFailureCode>>>, Failure<SwapFailureCode>>
> {
  const releases = new Map<number, Result<Release, Failure<SwapFailureCode>>>();
  let refused: Failure<SwapFailureCode> | null = null;
  await forEachParallel(sequences, CONCURRENCY, async (sequence) => {
    if (refused !== null) return;
    const signed = await readSigned(reader, signedReleasePath(sequence));
    if (!signed.ok && signed.error.code === "bucket") refused = signed.error;
    else if (!signed.ok) releases.set(sequence, signed);
    else if (signed.value !== null) releases.set(sequence, ok(signed.value.release));
  });
  return refused === null ? ok(releases) : { ok: false, error: refused };
}
