import { own } from "../core/json.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import type { BundleVersion, Release } from "../ota-format/mod.ts";
import type { PublishDependencies, PublishRequest } from "./publish-request.ts";
import {
  conditionsFailure,
  type PublishFailureCode,
  type PublishResult,
} from "./publish-failure.ts";
import { nextSequence, type Publisher, readCurrentRelease, readReleaseLog } from "./release-log.ts";
import { holds, mandatoryFrom, type ReleaseChange, swapRelease } from "./release-swap.ts";
import { findReleased, readWhole } from "./released-version.ts";
import { remembering } from "./remembering.ts";
import { rememberRelease, warnOfUnfinished } from "./warnings.ts";

// Going back is a release like any other: a new record with a higher sequence names the earlier
// version, and everything else comes from the bucket (PUB-24).

/** Dependencies of a rollback. */
export type RollBackDependencies = Pick<
  PublishDependencies,
  "bucket" | "clock" | "memory" | "readBack" | "onWarning" | "onStep"
>;

/** The version to go back to. */
export interface RollBackRequest
  extends Pick<PublishRequest, "key" | "target" | "minSequence" | "mandatory" | "minEngineApi"> {
  /** The bundle; absent if the release names only one. */
  readonly name?: string;
  /** The version that players are to get again: `v<N>`, released before. */
  readonly to: string;
  /** Checks everything, and writes nothing. */
  readonly dryRun?: boolean;
}

/** Version that players get now, or would. */
export interface RollBackReport extends BundleVersion {
  /** The version before; `null` if the bundle was not in the current release. */
  readonly from: string | null;
  /** The current release, or in a dry run the one before; the sequence is the new one. */
  readonly sequence: number;
  /** Whether there was anything to do. */
  readonly changed: boolean;
  /** The value in the new release. */
  readonly mandatory: boolean;
  /** The sequence of the release from which `mandatory` was taken, if it was. */
  readonly mandatoryFrom?: number;
  /** The value in the new release. */
  readonly minEngineApi: number;
  /** The newest release that named the version, as it was then. */
  readonly was: Pick<Release, "sequence" | "mandatory" | "minEngineApi">;
}

/**
 * Releases an earlier version again: a new release with a higher sequence names it. Uploads
 * nothing, and first checks that everything is in the bucket. Other bundles stay unchanged. After
 * an interruption at any point, the same call resumes.
 *
 * @returns Before the first write: `bad-request`, `not-released`, `pruned`, `incomplete`,
 * `invalid-release`, `rolled-back`, `unsafe-store`, `memory`, `memory-damaged`, `bucket`. Later:
 * `bucket`, `release-race`, `too-large`, `superseded`. When the release is out: `read-back`.
 */
export async function rollBack(
  dependencies: RollBackDependencies,
  request: RollBackRequest,
): PublishResult<RollBackReport> {
  return await remembering(dependencies.memory, request, {
    recall: (memory) => request.dryRun ? memory.read() : memory.raise(0),
    work: (known) => rollBackTo(dependencies, known),
  });
}

async function rollBackTo(
  dependencies: RollBackDependencies,
  request: RollBackRequest,
): PublishResult<RollBackReport> {
  const { bucket, clock, readBack, onStep = () => undefined } = dependencies;
  const { to, mandatory, minEngineApi } = request;
  const publisher: Publisher = { ...request, bucket };

  onStep("check");
  const current = await readCurrentRelease(publisher);
  if (!current.ok) return current;
  const released = current.value.released;
  const log = await readReleaseLog(publisher, released, 0);
  if (!log.ok) return log;
  const { unfinished } = log.value;
  const next = nextSequence(publisher, released, log.value);
  if (!next.ok) return next;
  const base = (unfinished ?? released)?.release ?? null;
  const name = bundleOf(base, request.name);
  if (!name.ok) return name;
  const version: BundleVersion = { name: name.value, version: to };
  const found = await findReleased(publisher, version, base);
  if (!found.ok) return found;
  const { was, ref } = found.value;
  const manifest = await readWhole(bucket, version, ref);
  if (!manifest.ok) return manifest;
  warnOfUnfinished(dependencies, released?.release ?? null, unfinished?.release ?? null);

  const change: ReleaseChange = {
    ...version,
    from: own(base?.bundles, name.value) ?? null,
    goesBack: true,
    onlyFrom: true,
    manifest: ref,
    engineApi: manifest.value.engineApi,
    ...(mandatory !== undefined && { mandatory }),
    ...(minEngineApi !== undefined && { minEngineApi }),
  };
  const report = (release: Release, of: Partial<RollBackReport>): RollBackReport => ({
    ...version,
    from: own(released?.release.bundles, name.value) ?? null,
    sequence: release.sequence,
    changed: true,
    mandatory: mandatory ?? release.mandatory,
    minEngineApi: minEngineApi ?? release.minEngineApi,
    was: { sequence: was.sequence, mandatory: was.mandatory, minEngineApi: was.minEngineApi },
    ...of,
  });
  if (released !== null && unfinished === null && holds(released.release, change, publisher)) {
    return ok(report(released.release, { changed: false }));
  }
  if (request.dryRun) {
    // A call that was killed after its claim is finished, not repeated.
    if (unfinished !== null && holds(unfinished.release, change, publisher)) {
      const kept = mandatoryFrom(mandatory, released?.release ?? null);
      return ok(report(unfinished.release, kept));
    }
    const kept = mandatoryFrom(mandatory, base);
    return ok(report(base ?? was, { ...kept, sequence: next.value }));
  }

  const proven = await bucket.proveConditions();
  if (!proven.ok) return conditionsFailure(proven.error);
  onStep("release");
  const swapped = await swapRelease(publisher, change, { clock });
  if (!swapped.ok) return swapped;
  const { release } = swapped.value;
  await rememberRelease(dependencies, version, release.sequence);
  if (readBack !== undefined) onStep("read back");
  const wrong = await readBack?.(release, manifest.value) ?? null;
  if (wrong !== null) return fail("read-back", wrong.message, wrong.next);
  return ok(report(release, mandatoryFrom(mandatory, swapped.value.base)));
}

/** Chooses the bundle: the named one, or the only one of the release. */
function bundleOf(
  base: Release | null,
  name: string | undefined,
): Result<string, Failure<PublishFailureCode>> {
  const names = Object.keys(base?.bundles ?? {}).sort();
  if (name !== undefined) return ok(name);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return ok(only);
  return only === undefined
    ? fail(
      "not-released",
      "Cannot roll back: found no signed release in the bucket, expected one",
      "Check the bucket's address; restore its release.json and releases/, or publish a version",
    )
    : fail(
      "bad-request",
      `Cannot roll back: the release names ${names.length} bundles, expected a name`,
      `Name one of ${names.join(", ")}`,
    );
}
