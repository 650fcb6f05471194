import type { JobContext } from "../../core/jobs.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { type Failure, ok, type Result } from "../../core/result.ts";
import {
  type HistoryRecord,
  historyRecord,
  openSeenSequence,
  prune,
  readHistory,
  rollBack,
} from "../../ota-publish/mod.ts";
import type { Runtime } from "../../ports/runtime.ts";
import { audit } from "../audit/mod.ts";
import { createReadBack } from "../served/mod.ts";
import { refuseFor } from "./ota-problems.ts";
import { openProjectBucket, readUpdatePlace, type UpdatePlace } from "./place.ts";
import { checkProjectKey, findSigningKey } from "./signing-key.ts";

// Upkeep of a project's published updates, by its own settings.

/** Deadline of an audit, in milliseconds. */
const AUDIT_MS = 30 * 60_000;
/** Unchecked addresses that the report names. */
const UNCHECKED_SHOWN = 20;
const DAY_MS = 24 * 60 * 60_000;

/** The extent of a history. */
export interface ReleaseHistoryOptions {
  /** The number of newest releases. */
  readonly limit: number;
  /** Cancels the reading. */
  readonly signal?: AbortSignal | undefined;
}

/** The releases that were signed for a project's bucket. */
export interface PublishedHistory {
  /** The bucket in words, without secrets. */
  readonly bucket: string;
  /** The project's own bundle. */
  readonly bundleName: string;
  /** The newest first. */
  readonly releases: readonly HistoryRecord[];
  /** The number of older releases that were not read. */
  readonly older: number;
}

/** A prune of the project's own bundle. */
export interface ProjectPruneRequest {
  /** The number of newest versions to keep, at least 1; 3 when absent. */
  readonly keep?: number | undefined;
  /** Versions younger than this number of days are kept; 7 if absent. */
  readonly graceDays?: number | undefined;
  /** Removes the files; absent: only reports what would be removed. */
  readonly apply?: boolean | undefined;
}

/** The version that players are to get again. */
export interface ProjectRollBackRequest {
  /** `v<N>`, released before. */
  readonly to: string;
  /** Whether players must restart into it; as the release is when absent. */
  readonly mandatory?: boolean | undefined;
  /** Signs and writes the release; absent: only reports what it would do. */
  readonly apply?: boolean | undefined;
}

/** Reads the published releases, and verifies each (PUB-21). */
export async function publishedHistory(
  runtime: Runtime,
  root: string,
  { limit, signal }: ReleaseHistoryOptions,
): Promise<Result<PublishedHistory, Problem>> {
  const place = await readUpdatePlace(runtime, root);
  if (!place.ok) return place;
  const { connection: { bundleName, publicKey }, target } = place.value;
  const bucket = await openProjectBucket({ ...runtime, ...(signal && { signal }) }, place.value);
  if (!bucket.ok) return bucket;
  const reader = { bucket: bucket.value, key: { publicKey }, target };
  const history = await readHistory(reader, { limit });
  if (!history.ok) return refuseFor(history.error, "See that the bucket can be read");
  const { entries, older } = history.value;
  return ok({
    bucket: bucket.value.label,
    bundleName,
    releases: entries.map(historyRecord),
    older,
  });
}

/**
 * Checks everything that players are served: the work of a job. Faults are findings rather than a
 * failure.
 */
export async function verifyUpdates(
  runtime: Runtime,
  { connection: { baseUrl, publicKey }, target }: UpdatePlace,
  { signal, log, progress }: JobContext,
): Promise<Result<JsonObject, Problem>> {
  const workFolder = await runtime.files.makeTemporaryDirectory("slipway-verify-");
  let label = "";
  try {
    const found = await audit({
      ...runtime,
      workFolder,
      signal,
      deadlineMs: AUDIT_MS,
      onStep(step) {
        label = step;
        log(`verify: ${step}`);
      },
      onProgress: (done, total) => progress(done, total, "bytes", label),
    }, { baseUrl, publicKey, target });
    if (signal.aborted) {
      return refuse(409, "cancelled", `The look at ${baseUrl} was cancelled`, "Start it again");
    }
    const { sequence, bundles, findings, unchecked } = found;
    return ok({
      baseUrl,
      sound: !findings.hasErrors,
      ...(sequence !== undefined && { sequence }),
      bundles: bundles.map((bundle) => ({ ...bundle })),
      findings: findings.list().map((finding) => ({ ...finding })),
      counts: { ...findings.counts() },
      ...(unchecked.length > 0 && {
        unchecked: { total: unchecked.length, first: unchecked.slice(0, UNCHECKED_SHOWN) },
      }),
    });
  } finally {
    await runtime.files.remove(workFolder);
  }
}

/** Removes, or lists, unneeded files of the project's bundle: the work of a job. */
export async function pruneProject(
  runtime: Runtime,
  place: UpdatePlace,
  { keep, graceDays, apply, context: { signal, log, progress } }: {
    readonly keep: number;
    readonly graceDays: number;
    readonly apply: boolean;
    readonly context: JobContext;
  },
): Promise<Result<JsonObject, Problem>> {
  const bucket = await openProjectBucket({ ...runtime, signal }, place);
  if (!bucket.ok) return bucket;
  const { bundleName: name, publicKey } = place.connection;
  const pruned = await prune({
    ...runtime,
    bucket: bucket.value,
    signal,
    onStep: (step) => log(`prune: ${step}`),
    onProgress: (done, total) => progress(done, total, "objects", "remove"),
  }, { keep, graceMs: graceDays * DAY_MS, apply, name, publicKey });
  if (!pruned.ok) return refuseFor(pruned.error, "See that the bucket can be written");
  const { versions, ...rest } = pruned.value;
  return ok({
    ...rest,
    keep,
    graceDays,
    bucket: bucket.value.label,
    versions: versions.map((version) => ({ ...version })),
  });
}

/** Releases an earlier version again, or reports what that would do: the work of a job (PUB-24). */
export async function rollBackProject(
  runtime: Runtime,
  root: string,
  { to, mandatory, apply, place, context: { signal, log } }: {
    readonly to: string;
    readonly mandatory?: boolean | undefined;
    readonly apply: boolean;
    readonly place: UpdatePlace;
    readonly context: JobContext;
  },
): Promise<Result<JsonObject, Problem>> {
  const { config, connection: { baseUrl, bundleName: name, publicKey }, target } = place;
  const key = await findSigningKey(runtime, root, config.publish?.keyName);
  if (!key.ok) return key;
  const trusted = checkProjectKey(key.value, publicKey);
  if (!trusted.ok) return trusted;
  const bucket = await openProjectBucket({ ...runtime, signal }, place);
  if (!bucket.ok) return bucket;
  const warnings: string[] = [];
  const onWarning = ({ message, next }: Failure) => {
    const warning = next === undefined ? message : `${message}. ${next}`;
    warnings.push(warning);
    log(`warning: ${warning}`, "stderr");
  };
  const done = await rollBack({
    ...runtime,
    bucket: bucket.value,
    memory: await openSeenSequence(runtime, runtime.host.userData, {
      bucket: bucket.value.identity,
      target,
    }),
    onWarning,
    onStep: (step) => log(`rollback: ${step}`),
    readBack: createReadBack({ ...runtime, signal, onWarning }, { baseUrl, publicKey }),
  }, {
    to,
    name,
    target,
    key: key.value,
    minSequence: 0,
    dryRun: !apply,
    ...(mandatory !== undefined && { mandatory }),
  });
  if (!done.ok) return refuseFor(done.error, "Correct it and call again");
  return ok({ ...done.value, was: { ...done.value.was }, applied: apply, warnings });
}
