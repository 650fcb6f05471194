import { ok } from "../../core/result.ts";
import type { BucketResult, ObjectBody, PutOptions } from "../store/bucket.ts";
import { malformed } from "./failures.ts";
import { call } from "./requests.ts";
import type { S3Answer, S3Store } from "./store.ts";
import { nameOf } from "../store/names.ts";

/** Facts about an object. */
export interface S3Object {
  readonly size: number;
  /** Its ETag; `null` when the store told none. */
  readonly tag: string | null;
  /** Who wrote it; `null` when it was not a bucket of this kind. */
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

/** The metadata that holds who wrote an object. */
const WRITE_ID = "x-amz-meta-slipway-write";
/** Answers to a condition that does not hold: there is no such tag where there is no object. */
export const REFUSED: readonly (string | number)[] = [412, "PreconditionFailed", "NoSuchKey"];

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
    ? ok({ size: Number(size), tag: headers.get("etag"), writeId: headers.get(WRITE_ID) })
    : malformed(store, action, "no size");
}

/** The headers that an object is written with. */
export function headersOf(
  { cacheControl, contentType }: Omit<PutOptions, "when">,
  id: string,
): Record<string, string> {
  return { "cache-control": cacheControl, "content-type": contentType, [WRITE_ID]: id };
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
