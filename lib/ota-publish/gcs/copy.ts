import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import { fail, ok } from "../../core/result.ts";
import type { BucketResult, CopyOptions, ExpectedBody, PutOutcome } from "../store/bucket.ts";
import { unproven } from "../store/objects.ts";
import { crc32cOf } from "./crc32c.ts";
import { call, findObject, type GcsStore, malformed, objectPath } from "./requests.ts";
import { metadataOf } from "./upload.ts";

/** Calls of one copy: each moves at least 1 MiB when it does not end it. */
const COPY_CALLS = 4_096;

/**
 * Copies inside the store, when the store's own sum of the source is that of the expected bytes
 * (PUB-27).
 */
export async function copyObject(
  store: GcsStore,
  { from, to }: { readonly from: string; readonly to: string },
  { expected, ...options }: CopyOptions,
): BucketResult<PutOutcome> {
  const action = `copy ${JSON.stringify(from)} to ${JSON.stringify(to)}`;
  const source = expected && await findSource(store, { action, from }, expected);
  if (source?.ok === false) return source;
  const id = crypto.randomUUID();
  const body = metadataOf({ options, id, ...(expected && { body: expected }) });
  const target = `/rewriteTo${objectPath(store, to).slice("/storage/v1".length)}`;
  let rewriteToken: string | undefined;
  for (let calls = 0; calls < COPY_CALLS; calls++) {
    const answer = await call(store, {
      action,
      method: "POST",
      path: `${objectPath(store, from)}${target}`,
      query: {
        ifGenerationMatch: "0",
        ifSourceGenerationMatch: source?.value,
        rewriteToken,
        fields: "done,rewriteToken",
      },
      body,
      accept: [412],
    });
    if (!answer.ok) return answer;
    if (answer.value.status === 412) {
      const there = await findObject(store, to);
      if (!there.ok) return there;
      if (there.value === null) return unproven(store, action); // another source than was looked at
      return ok(there.value.writeId === id ? "written" : "lost");
    }
    const progress = parseJson(answer.value.bytes);
    if (!isRecord(progress)) return malformed(store, action, "no progress");
    if (progress["done"] === true) return ok("written");
    const token = progress["rewriteToken"];
    if (typeof token !== "string" || token === "") return malformed(store, action, "no token");
    rewriteToken = token;
  }
  return fail(
    "other",
    `Cannot ${action} in ${store.label}: the copy does not end`,
    "Try again later",
  );
}

/** Compares the store's sum of the source. @returns Its generation. */
async function findSource(
  store: GcsStore,
  { action, from }: { readonly action: string; readonly from: string },
  expected: ExpectedBody,
): BucketResult<string> {
  const found = await findObject(store, from);
  if (!found.ok) return found;
  if (found.value?.size !== expected.size) return unproven(store, action);
  const { crc32c, generation } = found.value;
  const checksum = await crc32cOf(expected).catch(() => null); // sending it reports the error
  return crc32c !== null && crc32c === checksum ? ok(generation) : unproven(store, action);
}
