import { encodeUtf8 } from "../../core/bytes.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { BucketFailure, BucketResult, PutOptions, PutOutcome } from "../bucket.ts";
import { bytesBody } from "../objects.ts";
import { malformed, placeOf } from "./failures.ts";
import { call } from "./requests.ts";
import type { S3Store } from "./store.ts";
import { nameOf } from "../store-names.ts";
import { putObject } from "./upload.ts";

/**
 * Proves with an object of its own that the store honours both conditions: it is created once and
 * refused the second time, replaced over its tag and refused over the one before.
 */
export async function proveConditions(store: S3Store, key: string): BucketResult<null> {
  const proven = await prove(store, key);
  const removed = await call(store, {
    action: `remove ${JSON.stringify(key)}`,
    method: "DELETE",
    name: nameOf(store, key),
    accept: ["NoSuchKey"],
  });
  return proven.ok && !removed.ok ? removed : proven;
}

async function prove(store: S3Store, key: string): BucketResult<null> {
  const absent: PutOptions["when"] = { kind: "absent" };
  const created = await write(store, key, absent);
  if (!created.ok) return withoutSupport(store, "does not know If-None-Match", created.error);
  if (created.value === "lost") {
    return unsupported(store, "refuses If-None-Match: * where nothing is");
  }
  const again = await write(store, key, absent);
  if (!again.ok) return again;
  if (again.value === "written") return unsupported(store, "ignores If-None-Match: *");

  const tag = await readTag(store, key);
  if (!tag.ok) return tag;
  const unchanged: PutOptions["when"] = { kind: "unchanged", tag: tag.value };
  const replaced = await write(store, key, unchanged);
  if (!replaced.ok) return withoutSupport(store, "does not know If-Match", replaced.error);
  if (replaced.value === "lost") {
    return unsupported(store, "refuses If-Match with the tag that is there");
  }
  const stale = await write(store, key, unchanged);
  if (!stale.ok) return stale;
  return stale.value === "lost"
    ? ok(null)
    : unsupported(store, "ignores If-Match with an older tag");
}

/** Writes the probe, with other bytes each time: equal ones have equal tags. */
function write(store: S3Store, key: string, when: PutOptions["when"]): BucketResult<PutOutcome> {
  const words = `A probe of a publisher; it may be removed. ${crypto.randomUUID()}\n`;
  return putObject(store, key, {
    body: bytesBody(encodeUtf8(words)),
    options: { cacheControl: "no-store", contentType: "text/plain", when },
  });
}

async function readTag(store: S3Store, key: string): BucketResult<string> {
  const action = "prove its conditions";
  const answer = await call(store, { action, method: "HEAD", name: nameOf(store, key) });
  if (!answer.ok) return answer;
  const tag = answer.value.headers.get("etag");
  return tag === null ? malformed(store, action, "no tag") : ok(tag);
}

/** A header that the store does not know is no failure of the line. */
function withoutSupport(
  store: S3Store,
  found: string,
  failure: BucketFailure,
): Result<never, BucketFailure> {
  return failure.code === "unsupported" ? unsupported(store, found) : { ok: false, error: failure };
}

function unsupported(
  store: S3Store,
  found: string,
): Result<never, BucketFailure> {
  return fail(
    "unsupported",
    `Cannot publish to ${store.label}: ${
      placeOf(store)
    } ${found}, so publishers could overwrite one another`,
    "Publish to a store with conditional writes (If-None-Match and If-Match)",
  );
}
