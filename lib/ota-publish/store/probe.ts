import { encodeUtf8 } from "../../core/bytes.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { Bucket, BucketFailure, BucketResult, PutOptions, PutOutcome } from "./bucket.ts";
import { bytesBody } from "./objects.ts";
import { PRIVATE } from "./names.ts";

/** What the names of probes begin with; those that were left are removed as unfinished. */
export const PROBE: string = `${PRIVATE}probe-`;

/** A probe, in bytes; the answer to reading one is bounded by it. */
const PROBE_BYTES = 256;

/** How a store spells its conditions, for messages. */
export interface ConditionWords {
  /** The server, such as `https://storage.googleapis.com`. */
  readonly place: string;
  /** Only where nothing is. */
  readonly absent: string;
  /** Only over what is there. */
  readonly unchanged: string;
  /** What that compares. */
  readonly tag: string;
}

/**
 * Proves with an object of its own that a store honours both conditions: it is created once and
 * refused the second time, replaced over its tag and refused over the one before (PUB-14).
 */
export async function proveConditions(
  bucket: Pick<Bucket, "label" | "put" | "read" | "remove">,
  words: ConditionWords,
): BucketResult<null> {
  const key = `${PROBE}${crypto.randomUUID()}`;
  const found = await prove(bucket, key, words);
  const removed = await bucket.remove(key);
  if (!found.ok) return found;
  if (!removed.ok) return removed;
  if (found.value === null) return ok(null);
  return fail(
    "unsupported",
    `Cannot publish to ${bucket.label}: ${words.place} ${found.value}, so publishers could overwrite one another`,
    `Publish to a store with conditional writes (${words.absent} and ${words.unchanged})`,
  );
}

/** @returns What the store does wrong, `null` for nothing. */
async function prove(
  bucket: Pick<Bucket, "put" | "read">,
  key: string,
  { absent, unchanged, tag }: ConditionWords,
): BucketResult<string | null> {
  const whenAbsent: PutOptions["when"] = { kind: "absent" };
  const created = await write(bucket, key, whenAbsent);
  if (!created.ok) return unknown(absent, created.error);
  if (created.value === "lost") return ok(`refuses ${absent} where no object exists`);
  const again = await write(bucket, key, whenAbsent);
  if (!again.ok) return again;
  if (again.value === "written") return ok(`ignores ${absent}`);

  const first = await bucket.read(key, PROBE_BYTES);
  if (!first.ok) return first;
  if (first.value === null) return ok("does not show what was just written");
  const whenUnchanged: PutOptions["when"] = { kind: "unchanged", tag: first.value.tag };
  const replaced = await write(bucket, key, whenUnchanged);
  if (!replaced.ok) return unknown(unchanged, replaced.error);
  if (replaced.value === "lost") return ok(`refuses ${unchanged} with the ${tag} that is there`);
  const stale = await write(bucket, key, whenUnchanged);
  if (!stale.ok) return stale;
  return ok(stale.value === "lost" ? null : `ignores ${unchanged} with an older ${tag}`);
}

/** Writes the probe, with other bytes each time: a store may tell equal ones by equal tags. */
function write(
  bucket: Pick<Bucket, "put">,
  key: string,
  when: PutOptions["when"],
): BucketResult<PutOutcome> {
  const text = `A probe of a publisher; it may be removed. ${crypto.randomUUID()}\n`;
  const options = { cacheControl: "no-store", contentType: "text/plain", when };
  return bucket.put(key, bytesBody(encodeUtf8(text)), options);
}

/** A condition that the store does not know is no failure of the line. */
function unknown(
  condition: string,
  failure: BucketFailure,
): Result<string, BucketFailure> {
  return failure.code === "unsupported"
    ? ok(`does not know ${condition}`)
    : { ok: false, error: failure };
}
