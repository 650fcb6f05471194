import { encodeUtf8 } from "../../core/bytes.ts";
import { err, fail, ok } from "../../core/result.ts";
import type { BodyParts } from "../store/body-parts.ts";
import type { BucketFailure, BucketResult, ObjectBody, PutOutcome } from "../store/bucket.ts";
import { fill, partBytesOf, withParts } from "./body.ts";
import { base64OfHex, callChecked } from "./checksums.ts";
import { malformed } from "./failures.ts";
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
import { call, hashOf } from "./requests.ts";
import type { S3Store } from "./store.ts";
import { nameOf } from "../store/names.ts";
import { resolveRefused } from "../store/requests.ts";
import { escapeXml, firstText } from "./xml.ts";

/** Parts of one object that are held and sent at once. */
const PART_LANES = 2;
/** Uploads in parts that are started for one object, should the store lose one. */
const UPLOADS = 3;
/** Requests that drop one upload. */
const ABORTS = 3;
/** The deadline of clearing up, in milliseconds. */
const CLEAN_UP_MS = 5_000;
/** Codes of S3 that ask for a new upload: another writer was at the object meanwhile. */
const CONFLICTS = ["ConditionalRequestConflict", "OperationAborted"] as const;

/** An upload in parts. */
interface Upload {
  readonly write: Write;
  readonly action: string;
  /** The object's name in the bucket. */
  readonly name: string;
  readonly id: string;
  /** Whether the store takes checksums of parts. */
  readonly isChecked: boolean;
}

/** A part that was sent, as the request that completes the upload names it. */
interface SentPart {
  readonly tag: string;
  /** Its SHA-256, lower-case hex. */
  readonly hash: string;
}

/** One part of an upload. */
interface Part {
  readonly index: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The end of an upload in parts. After `lost-upload` another one may be started. */
type UploadEnd = PutOutcome | "lost-upload";

/** Memory of sending a body in parts, in bytes. */
export function heldInParts(body: ObjectBody): number {
  return partBytesOf(body) * PART_LANES;
}

/** Writes a large object in parts; it appears whole, with the last request, or not at all. */
export async function putInParts(store: S3Store, write: Write): BucketResult<PutOutcome> {
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
    `Cannot ${actionOf(write)} in ${store.label}: the store lost ${UPLOADS} uploads of it`,
    "Try again later",
  );
}

async function beginUpload(store: S3Store, write: Write): BucketResult<Upload> {
  const action = actionOf(write);
  const name = nameOf(store, write.key);
  const answer = await callChecked(store, {
    action,
    method: "POST",
    name,
    query: { uploads: "" },
    headers: headersOf(write),
    expects: "InitiateMultipartUploadResult",
  }, { kind: "parts", headers: { "x-amz-checksum-algorithm": "SHA256" } });
  if (!answer.ok) return answer;
  const id = (answer.value.xml && firstText(answer.value.xml, "UploadId")) ?? "";
  const isChecked = !store.uncheckedWrites.has("parts");
  return id === ""
    ? malformed(store, action, "no upload")
    : ok({ write, action, name, id, isChecked });
}

async function sendUpload(
  store: S3Store,
  upload: Upload,
  parts: BodyParts,
): BucketResult<UploadEnd> {
  const sent = await sendParts(store, upload, parts);
  if (!sent.ok) return sent;
  return sent.value === null ? ok("lost-upload") : await completeUpload(store, upload, sent.value);
}

/** Sends all parts, a few at a time. @returns `null` when the store lost the upload. */
async function sendParts(
  store: S3Store,
  { write, action, name, id, isChecked }: Upload,
  parts: BodyParts,
): BucketResult<readonly SentPart[] | null> {
  const { body } = write;
  const partBytes = partBytesOf(body);
  const count = Math.ceil(body.size / partBytes);
  const sent: SentPart[] = [];
  const failures: BucketFailure[] = [];
  let taken = 0;
  let lost = false;
  let reading: Promise<Part | null> = Promise.resolve(null);

  /** Takes the next part into a buffer; `null` when there is none, or no use for it. */
  async function take(buffer: Uint8Array<ArrayBuffer>): Promise<Part | null> {
    if (taken === count || lost || failures.length > 0) return null;
    const index = taken++;
    const bytes = buffer.subarray(0, Math.min(partBytes, body.size - index * partBytes));
    const filled = await fill(store, write, { parts, bytes });
    if (!filled.ok) failures.push(filled.error);
    return filled.ok ? { index, bytes } : null;
  }

  async function worker(): Promise<void> {
    const buffer = new Uint8Array(partBytes);
    for (;;) {
      // One lane at a time reads the body.
      const part = await (reading = reading.then(() => take(buffer)));
      if (part === null) return;
      const hash = hashOf(store, part.bytes);
      const answer = await call(store, {
        action,
        method: "PUT",
        name,
        query: { partNumber: String(part.index + 1), uploadId: id },
        headers: isChecked ? { [CHECKSUM]: base64OfHex(hash) } : {},
        body: part.bytes,
        bodyHash: hash,
        accept: ["NoSuchUpload"],
      });
      const tag = answer.ok ? answer.value.headers.get("etag") : null;
      if (!answer.ok) failures.push(answer.error);
      else if (answer.value.code !== "") lost = true;
      else if (tag === null) failures.push(malformed(store, action, "no tag of a part").error);
      else sent[part.index] = { tag, hash };
    }
  }

  await Promise.all(Array.from({ length: Math.min(PART_LANES, count) }, worker));
  const [failure] = failures;
  if (failure !== undefined) return err(failure);
  return ok(lost ? null : sent);
}

async function completeUpload(
  store: S3Store,
  { write: { key, options, id: writeId }, action, name, id, isChecked }: Upload,
  parts: readonly SentPart[],
): BucketResult<UploadEnd> {
  const list = parts.map(({ tag, hash }, i) => {
    const checksum = isChecked ? `<ChecksumSHA256>${base64OfHex(hash)}</ChecksumSHA256>` : "";
    return `<Part><PartNumber>${i + 1}</PartNumber><ETag>${
      escapeXml(tag)
    }</ETag>${checksum}</Part>`;
  }).join("");
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
  const settled = await resolveRefused(findObject(store, key), writeId);
  if (!settled.ok || settled.value === "written" || isRefused(answer.value)) return settled;
  // The store lost the upload, or wants it again after a conflict. Is another writer's there already?
  if (options.when.kind === "absent") {
    const there = await findObject(store, key);
    if (!there.ok) return there;
    return ok(there.value === null ? "lost-upload" : "lost");
  }
  return ok("lost-upload");
}

/**
 * Drops the parts that were sent. A part that is on its way may arrive after the first request, and
 * the upload with it (S3 API, AbortMultipartUpload): so it is asked until the store knows none. Best
 * effort: what stays is swept as unfinished later.
 */
async function abortUpload(store: S3Store, { action, name, id }: Upload): Promise<void> {
  const { signal: _signal, ...rest } = store; // who aborts still clears up
  for (let turn = 1; turn <= ABORTS; turn++) {
    const answer = await call({ ...rest, deadlineMs: CLEAN_UP_MS }, {
      action,
      method: "DELETE",
      name,
      query: { uploadId: id },
      accept: ["NoSuchUpload"],
      once: true,
    });
    if (answer.ok && answer.value.code === "NoSuchUpload") return;
  }
}
