import { type Err, ok } from "../../core/result.ts";
import type {
  BucketFailure,
  BucketResult,
  ObjectBody,
  PutOptions,
  PutOutcome,
} from "../store/bucket.ts";
import { fill, withParts } from "./body.ts";
import { base64OfHex, callChecked } from "./checksums.ts";
import {
  actionOf,
  CHECKSUM,
  conditionOf,
  findObject,
  headersOf,
  isRefused,
  REFUSED,
  type Write,
} from "./object.ts";
import { heldInParts, putInParts } from "./parts.ts";
import { hashOf } from "./requests.ts";
import type { S3Store } from "./store.ts";
import { nameOf } from "../store/names.ts";
import { resolveRefused } from "../store/requests.ts";

// A condition travels with the request that makes the object appear: the one PUT of a small object,
// the completion of a large one. What needs the condition to be safe is always small: a manifest
// has at most 8 MiB, a release 256 KiB (LIM-1, PUB-1). Large objects are named by their hash,
// or by a manifest that is already there: a store that ignores the condition of a completion writes
// the same bytes again, whole.

/** Up to this size an object is sent in one request, in bytes. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** From this size on it pays to look first whether it is there, in bytes. */
const CHECK_BYTES = 256 * 1024;

/** Writes an object when the condition holds; the condition travels with the request. */
export async function putObject(
  store: S3Store,
  key: string,
  { body, options }: { readonly body: ObjectBody; readonly options: PutOptions },
): BucketResult<PutOutcome> {
  const write: Write = { key, body, options, id: crypto.randomUUID() };
  return body.size <= WHOLE_BYTES
    ? await store.memory.within(body.size, () => putSingle(store, write))
    : await store.memory.within(heldInParts(body), () => putInParts(store, write));
}

async function putSingle(store: S3Store, write: Write): BucketResult<PutOutcome> {
  const { key, body, options, id } = write;
  if (options.when.kind === "absent" && body.size >= CHECK_BYTES) {
    const there = await findObject(store, key);
    if (!there.ok) return there;
    if (there.value !== null) return ok("lost");
  }
  const bytes = new Uint8Array(body.size);
  const filled = await withParts(store, write, (parts) => fill(store, write, { parts, bytes }));
  if (!filled.ok) return filled;
  const hash = hashOf(store, bytes);
  const answer = await callChecked(store, {
    action: actionOf(write),
    method: "PUT",
    name: nameOf(store, key),
    headers: { ...headersOf(write), ...conditionOf(options) },
    body: bytes,
    bodyHash: hash,
    accept: REFUSED,
  }, { kind: "whole", headers: { [CHECKSUM]: base64OfHex(hash) } });
  if (!answer.ok) return await resolveUnanswered(store, write, answer);
  return isRefused(answer.value) ? await resolveRefused(findObject(store, key), id) : ok("written");
}

/**
 * Judges a write without an answer: a store that refuses a condition may end the connection while
 * the body is still being sent, so that its answer is lost.
 */
async function resolveUnanswered(
  store: S3Store,
  { key, options: { when }, id }: Write,
  unanswered: Err<BucketFailure>,
): BucketResult<PutOutcome> {
  if (unanswered.error.code !== "unreachable") return unanswered;
  const there = await findObject(store, key);
  if (!there.ok) return unanswered;
  if (there.value?.writeId === id) return ok("written");
  const expectedTag = when.kind === "absent" ? null : when.tag;
  return (there.value?.tag ?? null) === expectedTag ? unanswered : ok("lost");
}
