import { fail, ok } from "../core/result.ts";
import { bundleZipPath, type ContentRef, type Release } from "../ota-format/mod.ts";
import { readBucketState } from "./bucket-state.ts";
import { claimVersion, putClaimedZip } from "./claim.ts";
import { provenCoding, withServed } from "./coding.ts";
import { markFirstPublish, unmarkFirstPublish } from "./first-publish.ts";
import { findLastZip, type PackedEntry } from "./last-zip.ts";
import { moveContents, workTarget } from "./move-contents.ts";
import { findObjectMemory } from "./object-memory.ts";
import { distinctContents, type PlannedUpdate, planUpdates } from "./plan.ts";
import {
  bucketFailure,
  cancelledPublish,
  conditionsFailure,
  type PublishResult,
} from "./publish-failure.ts";
import type { PublishDependencies, PublishRequest } from "./publish-request.ts";
import { decideOrder } from "./release-order.ts";
import { mandatoryFrom, swapRelease } from "./release-swap.ts";
import { remembering } from "./remembering.ts";
import { scanVersion } from "./scan-version.ts";
import type { PackTarget } from "./store/objects.ts";
import type { UploadCount } from "./upload.ts";
import {
  recheckEntryPage,
  rememberRelease,
  warnOfCrossOrigin,
  warnOfFirstSequence,
  warnOfGoingBack,
  warnOfLostEntryPage,
  warnOfServiceWorkers,
  warnOfSourceMaps,
  warnOfUnfinished,
} from "./warnings.ts";

/** Result of a publish. */
export interface PublishReport {
  /** The new current release. */
  readonly release: Release;
  /** The sequence of the release from which `mandatory` was taken, if it was. */
  readonly mandatoryFrom?: number;
  /** Its reference to this version's manifest. */
  readonly manifest: ContentRef;
  /** Counts of the moved files. */
  readonly files: UploadCount;
  /** Whether an earlier run had started the version. */
  readonly resumed: boolean;
  /** Updates of devices on the last versions, newest first. */
  readonly updates: readonly PlannedUpdate[];
}

/**
 * Publishes one version (PUB-1, PUB-15): content first, the manifest as the claim to the version,
 * then the zip, and the pointer last. Stopped anywhere, the same call resumes.
 *
 * @returns Before the first write: `bad-request`, `missing-folder`, `not-a-file`, `path`,
 * `unreadable`, `over-limit`, `empty`, `private-file`, `version-exists`, `invalid-release`, `rolled-back`,
 * `no-release`, `sequence-jump`, `pruned`, `unsafe-store`, `memory`, `memory-damaged`, `older`. Later:
 * `bucket`, `pack`, `zip-differs`, `too-large`, `release-race`, `cancelled`, `superseded`; then the same call resumes. When the release is out:
 * `read-back`.
 *
 * @example Into a folder that a web server serves.
 * ```ts
 * import { loadKey, openBucket, publish } from "slipway";
 * import { createRuntime } from "slipway/node";
 *
 * export async function release(url: string, dist: string, version: string) {
 *   const runtime = createRuntime();
 *   const bucket = await openBucket(runtime, url, "user"); // file:///srv/game
 *   if (!bucket.ok) return bucket;
 *   const key = await loadKey(runtime, { name: "harbor" });
 *   if (!key.ok) return key;
 *   const workFolder = await runtime.files.makeTemporaryDirectory("publish-");
 *   try {
 *     return await publish({ ...runtime, bucket: bucket.value, workFolder }, {
 *       dist,
 *       name: "shell",
 *       version,
 *       engineApi: 1,
 *       target: { app: "default", channel: "production" },
 *       key: key.value,
 *       minSequence: 0,
 *     });
 *   } finally {
 *     await runtime.files.remove(workFolder);
 *   }
 * }
 * ```
 */
export async function publish(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishReport> {
  const published = await remembering(dependencies.memory, request, {
    recall: (memory) => memory.raise(0), // refused now, and not when the release is out
    work: (known) => publishVersion(dependencies, known),
  });
  return published.ok || !dependencies.signal?.aborted ? published : cancelledPublish(request);
}

/**
 * Publishes a version. Packs the zip where it only needs to be linked, if the bucket has such a
 * place.
 */
async function publishVersion(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishReport> {
  const { files, bucket: { local } } = dependencies;
  if (local === undefined) {
    return await publishWith(dependencies, request, workTarget(dependencies));
  }
  const path = local.temporary();
  try {
    return await publishWith(dependencies, request, { path, isInBucket: true });
  } finally {
    await files.remove(path).catch(() => undefined); // a sweep removes it, too
  }
}

async function publishWith(
  dependencies: PublishDependencies,
  request: PublishRequest,
  target: PackTarget,
): PublishResult<PublishReport> {
  const { bucket, memory, onStep = () => undefined } = dependencies;

  onStep("hash");
  const scanned = await scanVersion(dependencies, request);
  if (!scanned.ok) return scanned;
  const { manifest: built, known } = scanned.value;
  await known?.keep().catch(() => undefined); // without it the next publish reads all again
  warnOfSourceMaps(dependencies, built);
  warnOfServiceWorkers(dependencies, built);

  onStep("check");
  const proven = await bucket.proveConditions();
  if (!proven.ok) return conditionsFailure(proven.error);
  const coding = await provenCoding(bucket, dependencies);
  if (!coding.ok) return bucketFailure(coding.error);
  const bucketState = await readBucketState({ bucket, ...request }, built);
  if (!bucketState.ok) return bucketState;
  const { publisher } = bucketState.value;
  const { current, unfinished, claimed: begun, zipIsThere, sources, beginning } = bucketState.value;
  const noted = await memory?.raise(current?.sequence ?? 0) ?? ok(0);
  if (!noted.ok) return noted;
  warnOfUnfinished(dependencies, current, unfinished);
  const ordered = decideOrder(unfinished ?? current, request);
  if (!ordered.ok) return ordered;
  warnOfGoingBack(dependencies, ordered.value);
  warnOfFirstSequence(dependencies, request, bucketState.value);
  warnOfLostEntryPage(dependencies, built, bucketState.value);
  await warnOfCrossOrigin(dependencies);

  onStep("upload");
  const lastZip = await findLastZip(dependencies, request);
  const objects = await findObjectMemory(dependencies, request);
  const packed = new Map<string, PackedEntry>();
  const moved = await moveContents({ ...dependencies, lastZip, objects }, {
    ...scanned.value,
    sources,
    onPacked: (hash, entry) => void packed.set(hash, entry),
    target: zipIsThere ? null : target,
    coding: coding.value,
  });
  if (!moved.ok) return moved;
  const { uploaded: { count: files, served, copied }, zip } = moved.value;
  const contents = [...new Set([...copied, ...distinctContents(built).keys()])];

  onStep("claim");
  const marked = beginning === "new" ? await markFirstPublish(bucket) : ok(null);
  if (!marked.ok) return bucketFailure(marked.error);
  const claim = begun === null
    ? await claimVersion(
      bucket,
      { ...withServed(built, served), ...(zip && { bundleZip: zip.ref }) },
      coding.value,
    )
    : ok(begun);
  if (!claim.ok) return claim;
  const zipped = zip === null ? ok(null) : await putClaimedZip(bucket, claim.value, zip);
  if (!zipped.ok) return zipped;

  onStep("release");
  const { manifest, ref } = claim.value;
  const change = { ...request, ...ordered.value, manifest: ref };
  const swapped = await swapRelease(publisher, change, {
    clock: dependencies.clock,
    onBase: recheckEntryPage(dependencies, built, ordered.value.from),
  });
  if (!swapped.ok) return swapped;
  if (beginning !== null) await unmarkFirstPublish(bucket);
  const { release } = swapped.value;
  await rememberRelease(dependencies, request, release.sequence);
  if (zip !== null) {
    const kept = bucket.local?.pathOf(bundleZipPath(request.name, request.version));
    await lastZip?.keep({ path: zip.path, ...(kept !== undefined && { kept }) }, packed)
      .catch(() => undefined); // its absence only makes the next publish slower
  }
  await objects?.keep().catch(() => undefined); // as above

  if (dependencies.readBack !== undefined) onStep("read back");
  const wrong = await dependencies.readBack?.(release, manifest, contents) ?? null;
  if (wrong !== null) return fail("read-back", wrong.message, wrong.next);
  const updates = planUpdates(bucketState.value.earlier, manifest);
  const kept = mandatoryFrom(request.mandatory, swapped.value.base);
  return ok({ release, ...kept, manifest: ref, files, resumed: begun !== null, updates });
}
