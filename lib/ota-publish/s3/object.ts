import { ok } from "../../core/result.ts";
import type { BucketResult, ObjectBody, PutOptions } from "../store/bucket.ts";
import { malformed } from "./failures.ts";
import { call } from "./requests.ts";
import type { S3Answer, S3Store } from "./store.ts";
import { nameOf } from "../store/names.ts";

/** The header of a hash, in requests and answers. */
export const CHECKSUM = "x-amz-checksum-sha256";
/** A size in a header. */
const SIZE = /^[0-9]{1,15}$/;

/** Facts about an object. */
export interface S3Object {
  /** Bytes as it is stored. */
  readonly size: number;
  /** Bytes once decoded, for an object that is stored gzip-coded. */
  readonly decodedSize?: number;
  /** Its SHA-256 as the store spells it; `null` if it was not requested or is unknown. */
  readonly checksum: string | null;
  /** Its ETag; `null` if the store sent none. */
  readonly tag: string | null;
  /** The id of the write that made it; `null` if another program did. */
  readonly writeId: string | null;
}

/** A write of one object. */
export interface Write {
  readonly key: string;
  readonly body: ObjectBody;
  readonly options: PutOptions;
  /** Written with the object, so that it can be told from another writer's. */
  readonly id: string;
}

/** The metadata with the id of a write. */
const WRITE_ID = "x-amz-meta-slipway-write";
/** The metadata with the decoded size of a coded object. */
const DECODED_SIZE = "x-amz-meta-slipway-size";
/** Answers to a condition that does not hold: there is no such tag where there is no object. */
export const REFUSED: readonly (string | number)[] = [412, "PreconditionFailed", "NoSuchKey"];

/**
 * Facts about an object, or `null` when there is none.
 *
 * @param headers More of the request.
 */
export async function findObject(
  store: S3Store,
  key: string,
  headers: Readonly<Record<string, string>> = {},
): BucketResult<S3Object | null> {
  const action = `look at ${JSON.stringify(key)}`;
  const name = nameOf(store, key);
  const answer = await call(store, { action, method: "HEAD", name, headers, accept: [404] });
  if (!answer.ok) return answer;
  const { status, headers: answered } = answer.value;
  if (status === 404) return ok(null);
  const size = answered.get("content-length") ?? "";
  if (!SIZE.test(size)) return malformed(store, action, "no size");
  const isCoded = answered.get("content-encoding") === "gzip";
  const decoded = answered.get(DECODED_SIZE) ?? "";
  return ok({
    size: Number(size),
    ...(isCoded && SIZE.test(decoded) && { decodedSize: Number(decoded) }),
    checksum: answered.get(CHECKSUM),
    tag: answered.get("etag"),
    writeId: answered.get(WRITE_ID),
  });
}

/** The headers that an object is written with. */
export function headersOf(
  { options, id, body }: {
    readonly options: Omit<PutOptions, "when">;
    readonly id: string;
    readonly body?: Pick<ObjectBody, "decodedSize">;
  },
): Record<string, string> {
  const { cacheControl, contentType } = options;
  const coded: Record<string, string> = body?.decodedSize === undefined
    ? {}
    : { "content-encoding": "gzip", [DECODED_SIZE]: String(body.decodedSize) };
  return { "cache-control": cacheControl, "content-type": contentType, [WRITE_ID]: id, ...coded };
}

/** The condition of a write, as a header. */
export function conditionOf({ when }: PutOptions): Readonly<Record<string, string>> {
  return when.kind === "absent" || when.tag === null
    ? { "if-none-match": "*" }
    : { "if-match": when.tag };
}

/** Whether an answer says that the condition does not hold. */
export function isRefused({ status, code }: S3Answer): boolean {
  return REFUSED.includes(status) || REFUSED.includes(code);
}

/** A write in words, for messages. */
export function actionOf({ key }: Pick<Write, "key">): string {
  return `write ${JSON.stringify(key)}`;
}
