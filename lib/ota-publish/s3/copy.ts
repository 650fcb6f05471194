import { ok } from "../../core/result.ts";
import type { BucketResult, CopyOptions, ExpectedBody, PutOutcome } from "../store/bucket.ts";
import { unproven } from "../store/objects.ts";
import { nameOf } from "../store/names.ts";
import { isProven } from "./checksums.ts";
import { findObject, headersOf } from "./object.ts";
import { call, encodeStrictly } from "./requests.ts";
import type { S3Store } from "./store.ts";

/**
 * Copies inside the store. Stores learned late to make a copy only where nothing is: so this looks
 * first, and sends the condition for those that know it. Another writer who comes between is
 * overwritten by those that do not, which is harmless: only contents are copied, to keys that are
 * their hashes. What the store's own checksum does not prove is not copied.
 */
export async function copyObject(
  store: S3Store,
  { from, to }: { readonly from: string; readonly to: string },
  { expected, ...options }: CopyOptions,
): BucketResult<PutOutcome> {
  const there = await findObject(store, to);
  if (!there.ok) return there;
  if (there.value !== null) return ok("lost");
  const action = `copy ${JSON.stringify(from)} to ${JSON.stringify(to)}`;
  const proven = expected === undefined
    ? ok({})
    : await proveSource(store, { action, from }, expected);
  if (!proven.ok) return proven;
  const id = crypto.randomUUID();
  const source = nameOf(store, from).split("/").map(encodeStrictly).join("/");
  const answer = await call(store, {
    action,
    method: "PUT",
    name: nameOf(store, to),
    headers: {
      ...headersOf({ options, id, ...(expected && { body: expected }) }),
      ...proven.value,
      "x-amz-copy-source": `/${store.bucket}/${source}`,
      "x-amz-metadata-directive": "REPLACE",
      "if-none-match": "*",
    },
    expects: "CopyObjectResult",
    accept: [412],
    slow: true,
  });
  if (!answer.ok) return answer;
  if (answer.value.status !== 412) return ok("written");
  const refused = await findObject(store, to);
  if (!refused.ok) return refused;
  if (refused.value === null) return unproven(store, action); // another source than was looked at
  return ok(refused.value.writeId === id ? "written" : "lost");
}

/** Asks the store for the checksum of what is to be copied. @returns Headers that keep to it. */
async function proveSource(
  store: S3Store,
  { action, from }: { readonly action: string; readonly from: string },
  expected: ExpectedBody,
): BucketResult<Record<string, string>> {
  const found = await findObject(store, from, { "x-amz-checksum-mode": "ENABLED" });
  if (!found.ok) return found;
  const proven = found.value === null ? ok(false) : await isProven(store, found.value, expected);
  if (!proven.ok) return proven;
  if (found.value === null || !proven.value) return unproven(store, action);
  const { tag } = found.value;
  return ok({
    "x-amz-checksum-algorithm": "SHA256",
    ...(tag !== null && { "x-amz-copy-source-if-match": tag }),
  });
}
