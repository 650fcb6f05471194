import { ok } from "../core/result.ts";
import { type BundleVersion, versionPath } from "../ota-format/mod.ts";
import type { Bucket, BucketResult, PutOutcome } from "./store/bucket.ts";
import { IMMUTABLE, textObject } from "./store/objects.ts";

/** The object that marks a version whose files are removed, or about to be. */
export const PRUNED_MARK = "pruned.json";

/** Returns the path of a version's mark. */
export function prunedMarkPath({ name, version }: BundleVersion): string {
  return `${versionPath(name, version)}/${PRUNED_MARK}`;
}

/** Whether a version was pruned: it can be neither resumed nor released. */
export async function isPruned(bucket: Bucket, version: BundleVersion): BucketResult<boolean> {
  const mark = await bucket.stat(prunedMarkPath(version));
  return mark.ok ? ok(mark.value !== null) : mark;
}

/** Marks a version. @returns Whether this call made the mark. */
export async function markPruned(
  bucket: Bucket,
  version: BundleVersion,
  now: number,
): BucketResult<PutOutcome> {
  const text = `${JSON.stringify({ schema: 1, at: new Date(now).toISOString() })}\n`;
  const { body } = await textObject(text);
  return await bucket.put(prunedMarkPath(version), body, {
    ...IMMUTABLE,
    contentType: "application/json",
  });
}
