import { ok } from "../core/result.ts";
import { readBucketState } from "./bucket-state.ts";
import { planServed, withServed } from "./coding.ts";
import { findLastZip } from "./last-zip.ts";
import { packVersion, workTarget } from "./move-contents.ts";
import { planPublish, type PublishPlan } from "./plan.ts";
import { bucketFailure, cancelledPublish, type PublishResult } from "./publish-failure.ts";
import type { PublishDependencies, PublishRequest } from "./publish-request.ts";
import { remembering } from "./remembering.ts";
import { decideOrder } from "./release-order.ts";
import { holds } from "./release-swap.ts";
import { scanVersion } from "./scan-version.ts";
import {
  warnOfFirstSequence,
  warnOfGoingBack,
  warnOfLostEntryPage,
  warnOfServiceWorkers,
  warnOfSourceMaps,
  warnOfUnfinished,
} from "./warnings.ts";

/** Plans a publish without a write. */
export async function dryRun(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishPlan & { readonly zipBytes: number; readonly sequence: number }> {
  const planned = await remembering(dependencies.memory, request, {
    recall: (memory) => memory.read(),
    work: (known) => planVersion(dependencies, known),
  });
  // Also for a finished plan: after a cancel it may be incomplete.
  return dependencies.signal?.aborted ? cancelledPublish(request) : planned;
}

async function planVersion(
  dependencies: PublishDependencies,
  request: PublishRequest,
): ReturnType<typeof dryRun> {
  const { bucket } = dependencies;
  const scanned = await scanVersion(dependencies, request);
  if (!scanned.ok) return scanned;
  const { manifest } = scanned.value;
  warnOfSourceMaps(dependencies, manifest);
  warnOfServiceWorkers(dependencies, manifest);
  const bucketState = await readBucketState({ bucket, ...request }, manifest);
  if (!bucketState.ok) return bucketState;
  const { publisher, current, unfinished, next, claimed: begun } = bucketState.value;
  warnOfUnfinished(dependencies, current, unfinished);
  const ordered = decideOrder(unfinished ?? current, request);
  if (!ordered.ok) return ordered;
  warnOfGoingBack(dependencies, ordered.value);
  warnOfFirstSequence(dependencies, request, bucketState.value);
  warnOfLostEntryPage(dependencies, manifest, bucketState.value);
  const lastZip = await findLastZip(dependencies, request);
  const zip = await packVersion({ ...dependencies, lastZip }, {
    ...scanned.value,
    target: workTarget(dependencies),
  });
  if (!zip.ok) return zip;
  const served = bucket.keepsHeaders
    ? await planServed(dependencies, { ...scanned.value, ...bucketState.value })
    : new Map<string, number>();
  const claimed = { ...withServed(manifest, served), bundleZip: zip.value.ref };
  const plan = await planPublish(bucket, claimed, bucketState.value);
  if (!plan.ok) return bucketFailure(plan.error);
  const last = unfinished ?? current;
  const isSigned = last !== null && begun !== null &&
    holds(last, { ...request, ...ordered.value, manifest: begun.ref }, publisher);
  return ok({
    ...plan.value,
    zipBytes: zip.value.ref.size,
    sequence: isSigned ? last.sequence : next,
  });
}
