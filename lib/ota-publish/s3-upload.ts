import { encodeUtf8 } from "../core/bytes.ts";
import { err, fail, messageOf, ok, type Result } from "../core/result.ts";
import { type BodyParts, openParts } from "./body-parts.ts";
import type { BucketFailure, BucketResult, ObjectBody, PutOptions, PutOutcome } from "./bucket.ts";
import { call, malformed, nameOf, type S3Answer, type S3Store } from "./s3-requests.ts";
import { escapeXml, textOf } from "./s3-xml.ts";

// A condition travels with the request that makes the object appear: the one PUT of a small object,
// the completion of a large one. What needs the condition to be safe is always small: a manifest
// has at most 8 MiB, a release 256 KiB (DESIGN §5.4, §5.11). Large objects are named by their hash,
// or by a manifest that is already there: a store that ignores the condition of a completion writes
// the same bytes again, whole.

/** Up to this size an object is sent in one request, in bytes. */
const WHOLE_BYTES = 8 * 1024 * 1024;
/** The smallest part that is sent of a larger one, in bytes; S3 allows 5 MiB. */
const PART_BYTES = 8 * 1024 * 1024;
/** The most parts that S3 takes of one object. */
const MAX_PARTS = 10_000;
/** Parts of one object that are held and sent at once. */
const PART_LANES = 2;
/** Uploads in parts that are begun for one object, should the store lose one. */
const UPLOADS = 3;
/** The deadline of clearing up, in milliseconds. */
const CLEAN_UP_MS = 5_000;
/** Codes of S3 that ask for a new upload: another writer was at the object meanwhile. */
const CONFLICTS = ["ConditionalRequestConflict", "OperationAborted"] as const;
/** The metadata that tells an object of ours from another writer's. */
const WRITE_ID = "x-amz-meta-slipway-write";

/** Facts about an object. */
export interface S3Object {
  readonly size: number;
  /** Who wrote it; `null` when it was not a bucket of this kind. */
  readonly writeId: string | null;
}

/** Writes an object when the condition holds; the condition travels with the request. */
export async function putObject(
  store: S3Store,
  key: string,
  { body, options }: { readonly body: ObjectBody; readonly options: PutOptions },
): BucketResult<PutOutcome> {
  const write: Write = { key, body, options, id: crypto.randomUUID() };
  return body.size <= WHOLE_BYTES
    ? await store.memory.within(body.size, () => putWhole(store, write))
    : await store.memory.within(partBytesOf(body) * PART_LANES, () => putInParts(store, write));
}

/** Facts about an object, or `null` when there is none. */
export async function findObject(store: S3Store, key: string): BucketResult<S3Object | null> {
  const action = `look at ${JSON.stringify(key)}`;
  const name = nameOf(store, key);
  const answer = await call(store, { action, method: "HEAD", name, accept: [404] });
  if (!answer.ok) return answer;
  const { status, headers } = answer.value;
  if (status === 404) return ok(null);
  const size = headers.get("content-length") ?? "";
  return /^[0-9]{1,15}$/.test(size)
    ? ok({ size: Number(size), writeId: headers.get(WRITE_ID) })
    : malformed(store, action, "no size");
}

/**
 * What to make of a refused condition: a try of ours may have been heard and its answer lost, so
 * what stands there may be ours.
 */
export async function settleRefused(
  store: S3Store,
  key: string,
  id: string,
): BucketResult<PutOutcome> {
  const there = await findObject(store, key);
  if (!there.ok) return there;
  return ok(there.value?.writeId === id ? "written" : "lost");
}

/** The headers that an object is written with. */
export function headersOf(
  { cacheControl, contentType }: Omit<PutOptions, "when">,
  id: string,
): Record<string, string> {
  return { "cache-control": cacheControl, "content-type": contentType, [WRITE_ID]: id };
}

interface Write {
  readonly key: string;
  readonly body: ObjectBody;
  readonly options: PutOptions;
  /** Written with the object. */
  readonly id: string;
}

/** An upload in parts. */
interface Upload {
  readonly write: Write;
  readonly action: string;
  /** The object's name in the bucket. */
  readonly name: string;
  readonly id: string;
}

/** One part of an upload. */
interface Part {
  readonly index: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** How an upload in parts ended. After `lost-upload` another one may be begun. */
type UploadEnd = PutOutcome | "lost-upload";

async function putWhole(store: S3Store, write: Write): BucketResult<PutOutcome> {
  const { key, body, options, id } = write;
  const bytes = new Uint8Array(body.size);
  const filled = await withParts(store, write, (parts) => fill(store, write, { parts, bytes }));
  if (!filled.ok) return filled;
  const answer = await call(store, {
    action: actionOf(key),
    method: "PUT",
    name: nameOf(store, key),
    headers: { ...headersOf(options, id), ...conditionOf(options) },
    body: bytes,
    accept: REFUSED,
  });
  if (!answer.ok) return answer;
  return isRefused(answer.value) ? await settleRefused(store, key, id) : ok("written");
}

async function putInParts(store: S3Store, write: Write): BucketResult<PutOutcome> {
  const { key, options } = write;
  if (conditionOf(options)["if-none-match"] !== undefined) {
    const there = await findObject(store, key); // saves sending it all for nothing
    if (!there.ok) return there;
    if (there.value !== null) return ok("lost");
  }
  for (let attempt = 1; attempt <= UPLOADS; attempt++) {
    const begun = await beginUpload(store, write);
    if (!begun.ok) return begun;
    const ended = await withParts(store, write, (parts) => sendUpload(store, begun.value, parts));
    if (ended.ok && ended.value === "written") return ok("written");
    await abortUpload(store, begun.value);
    if (!ended.ok) return ended;
    if (ended.value === "lost") return ok("lost");
  }
  return fail(
    "unreachable",
    `Cannot ${actionOf(key)} in ${store.label}: the store lost ${UPLOADS} uploads of it`,
    "Try again later",
  );
}

async function beginUpload(store: S3Store, write: Write): BucketResult<Upload> {
  const action = actionOf(write.key);
  const name = nameOf(store, write.key);
  const answer = await call(store, {
    action,
    method: "POST",
    name,
    query: { uploads: "" },
    headers: headersOf(write.options, write.id),
    expects: "InitiateMultipartUploadResult",
  });
  if (!answer.ok) return answer;
  const id = (answer.value.xml && textOf(answer.value.xml, "UploadId")) ?? "";
  return id === "" ? malformed(store, action, "no upload") : ok({ write, action, name, id });
}

async function sendUpload(
  store: S3Store,
  upload: Upload,
  parts: BodyParts,
): BucketResult<UploadEnd> {
  const tags = await sendParts(store, upload, parts);
  if (!tags.ok) return tags;
  return tags.value === null ? ok("lost-upload") : await completeUpload(store, upload, tags.value);
}

/** Sends all parts, a few at a time. @returns Their tags, `null` when the store lost the upload. */
async function sendParts(
  store: S3Store,
  { write, action, name, id }: Upload,
  parts: BodyParts,
): BucketResult<readonly string[] | null> {
  const { body } = write;
  const partBytes = partBytesOf(body);
  const count = Math.ceil(body.size / partBytes);
  const tags: string[] = [];
  const failures: BucketFailure[] = [];
  let taken = 0;
  let lost = false;
  let reading: Promise<Part | null> = Promise.resolve(null);

  /** The next part; `null` when there is none, or no use for it. */
  async function take(): Promise<Part | null> {
    if (taken === count || lost || failures.length > 0) return null;
    const index = taken++;
    const bytes = new Uint8Array(Math.min(partBytes, body.size - index * partBytes));
    const filled = await fill(store, write, { parts, bytes });
    if (!filled.ok) failures.push(filled.error);
    return filled.ok ? { index, bytes } : null;
  }

  async function lane(): Promise<void> {
    for (;;) {
      const part = await (reading = reading.then(take)); // one lane at a time reads the body
      if (part === null) return;
      const answer = await call(store, {
        action,
        method: "PUT",
        name,
        query: { partNumber: String(part.index + 1), uploadId: id },
        body: part.bytes,
        accept: ["NoSuchUpload"],
      });
      const tag = answer.ok ? answer.value.headers.get("etag") : null;
      if (!answer.ok) failures.push(answer.error);
      else if (answer.value.code !== "") lost = true;
      else if (tag === null) failures.push(malformed(store, action, "no tag of a part").error);
      else tags[part.index] = tag;
    }
  }

  await Promise.all(Array.from({ length: Math.min(PART_LANES, count) }, lane));
  const [failure] = failures;
  if (failure !== undefined) return err(failure);
  return ok(lost ? null : tags);
}

async function completeUpload(
  store: S3Store,
  { write: { key, options, id: writeId }, action, name, id }: Upload,
  tags: readonly string[],
): BucketResult<UploadEnd> {
  const list = tags.map((tag, i) =>
    `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`
  ).join("");
  const answer = await call(store, {
    action,
    method: "POST",
    name,
    query: { uploadId: id },
    headers: { "content-type": "application/xml", ...conditionOf(options) },
    body: encodeUtf8(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list}</CompleteMultipartUpload>`,
    ),
    expects: "CompleteMultipartUploadResult",
    accept: [...REFUSED, "NoSuchUpload", ...CONFLICTS],
    slow: true,
  });
  if (!answer.ok) return answer;
  const { code, status } = answer.value;
  if (code === "" && status === 200) return ok("written");
  const settled = await settleRefused(store, key, writeId);
  if (!settled.ok || settled.value === "written" || isRefused(answer.value)) return settled;
  // The store lost the upload, or wants it anew after a conflict. Is another writer's there already?
  if (options.when.kind === "absent") {
    const there = await findObject(store, key);
    if (!there.ok) return there;
    return ok(there.value === null ? "lost-upload" : "lost");
  }
  return ok("lost-upload");
}

/** Drops the parts that were sent. Best effort: what stays is swept as unfinished later. */
async function abortUpload(store: S3Store, { action, name, id }: Upload): Promise<void> {
  const { signal: _givenUp, ...rest } = store; // who gives up still clears up
  await call({ ...rest, deadlineMs: CLEAN_UP_MS }, {
    action,
    method: "DELETE",
    name,
    query: { uploadId: id },
    accept: ["NoSuchUpload"],
    tries: 1,
  });
}

/** Opens a body, works with it, and lets go of it. */
async function withParts<T>(
  store: S3Store,
  write: Write,
  work: (parts: BodyParts) => BucketResult<T>,
): BucketResult<T> {
  let parts: BodyParts;
  try {
    parts = await openParts(write.body);
  } catch (thrown) {
    return bodyFailure(store, write, thrown);
  }
  try {
    return await work(parts);
  } finally {
    await parts.close();
  }
}

/** Takes the next bytes of a body. */
async function fill(
  store: S3Store,
  write: Write,
  { parts, bytes }: { readonly parts: BodyParts; readonly bytes: Uint8Array },
): BucketResult<null> {
  try {
    await parts.fill(bytes);
    return ok(null);
  } catch (thrown) {
    return bodyFailure(store, write, thrown);
  }
}

/** A body that fails is a failure like any other. */
function bodyFailure(
  store: S3Store,
  { key }: Write,
  thrown: unknown,
): Result<never, BucketFailure> {
  return fail("other", `Cannot ${actionOf(key)} in ${store.label}: ${messageOf(thrown)}`);
}

function partBytesOf({ size }: ObjectBody): number {
  return Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS));
}

/** The condition of a write, as a header. */
function conditionOf({ when }: PutOptions): Readonly<Record<string, string>> {
  return when.kind === "absent" || when.tag === null
    ? { "if-none-match": "*" }
    : { "if-match": when.tag };
}

/** Answers to a condition that does not hold: there is no such tag where there is no object. */
const REFUSED: readonly (string | number)[] = [412, "PreconditionFailed", "NoSuchKey"];

function isRefused({ status, code }: S3Answer): boolean {
  return REFUSED.includes(status) || REFUSED.includes(code);
}

function actionOf(key: string): string {
  return `write ${JSON.stringify(key)}`;
}
