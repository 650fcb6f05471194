import { encodeUtf8 } from "../../core/bytes.ts";
import { fail, ok, type Result } from "../../core/result.ts";
import type { BucketFailure, BucketResult, PutOptions, PutOutcome } from "../bucket.ts";
import { bytesBody } from "../objects.ts";
import { call, findObject, type GcsStore, malformed, objectPath } from "./requests.ts";
import { putObject } from "./upload.ts";

/**
 * Proves with an object of its own that the store honours both conditions: it is created once and
 * refused the second time, replaced over its generation and refused over the one before.
 */
export async function proveConditions(store: GcsStore, key: string): BucketResult<null> {
  const proven = await prove(store, key);
  const removed = await call(store, {
    action: `remove ${JSON.stringify(key)}`,
    method: "DELETE",
    path: objectPath(store, key),
    accept: [404],
  });
  return proven.ok && !removed.ok ? removed : proven;
}

async function prove(store: GcsStore, key: string): BucketResult<null> {
  const absent: PutOptions["when"] = { kind: "absent" };
  const created = await write(store, key, absent);
  if (!created.ok) return created;
  if (created.value === "lost") {
    return unsupported(store, "refuses ifGenerationMatch=0 where nothing is");
  }
  const first = await findObject(store, key);
  if (!first.ok) return first;
  if (first.value === null) return malformed(store, "prove its conditions", "no object");
  const again = await write(store, key, absent);
  if (!again.ok) return again;
  if (again.value === "written") return unsupported(store, "ignores ifGenerationMatch=0");
  const unchanged: PutOptions["when"] = { kind: "unchanged", tag: first.value.generation };
  const replaced = await write(store, key, unchanged);
  if (!replaced.ok) return replaced;
  if (replaced.value === "lost") {
    return unsupported(store, "refuses ifGenerationMatch with the generation that is there");
  }
  const stale = await write(store, key, unchanged);
  if (!stale.ok) return stale;
  return stale.value === "lost"
    ? ok(null)
    : unsupported(store, "ignores ifGenerationMatch with an older generation");
}

function write(store: GcsStore, key: string, when: PutOptions["when"]): BucketResult<PutOutcome> {
  return putObject(store, key, {
    body: bytesBody(encodeUtf8("A probe of a publisher; it may be removed.\n")),
    options: { cacheControl: "no-store", contentType: "text/plain", when },
  });
}

function unsupported(store: GcsStore, found: string): Result<never, BucketFailure> {
  return fail(
    "unsupported",
    `Cannot publish to ${store.label}: ${store.endpoint} ${found}, so publishers could overwrite one another`,
    "Publish to a store that honours ifGenerationMatch",
  );
}
