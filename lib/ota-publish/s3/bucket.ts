import { ok, type Result } from "../../core/result.ts";
import type { Hashing } from "../../ports/hashing.ts";
import type { Bucket, BucketFailure, BucketResult, StoredObject } from "../store/bucket.ts";
import { decodedBytes, toObjectFacts } from "../store/coded.ts";
import { createByteBudget } from "../store/byte-budget.ts";
import { isAmazon } from "../store/endpoints.ts";
import { allowCrossOrigin } from "./cors.ts";
import type { S3Credentials } from "./credentials.ts";
import { malformed, placeOf } from "./failures.ts";
import { copyObject } from "./copy.ts";
import { objectPages, uploadPages } from "./listing.ts";
import { findObject } from "./object.ts";
import { call } from "./requests.ts";
import type { S3Store } from "./store.ts";
import { putObject } from "./upload.ts";
import { isShown, nameOf, prefixBelow, shownNames, storeLabel } from "../store/names.ts";
import { FORMER_PROBES, proveConditions } from "../store/probe.ts";
import type { StoreRequestDependencies } from "../store/requests.ts";

/** Options and dependencies of a bucket of an S3 store. */
export interface S3BucketOptions extends StoreRequestDependencies {
  /** Computes signatures. */
  readonly hashing: Hashing;
  /** The bucket's name. */
  readonly bucket: string;
  /** Stands before every key, such as `games/mine`; absent or empty for none. */
  readonly prefix?: string;
  /**
   * The store's address, such as `http://127.0.0.1:9000`; default: Amazon's own in that region.
   * Buckets are folders of an endpoint, unless its host begins with the bucket's name.
   */
  readonly endpoint?: string;
  /** The region, such as `eu-central-1`; default `us-east-1`. */
  readonly region?: string;
  /** Credentials of the caller. */
  readonly credentials: S3Credentials;
}

/** Memory of all uploads together, in bytes; runtimes hold a copy of what is being sent. */
const UPLOAD_BYTES = 10 * 1024 * 1024;
/** The region if nothing names one. */
const DEFAULT_REGION = "us-east-1";

/**
 * Creates a bucket of Amazon S3, or of a compatible store that honours conditional writes. A tag is
 * an object's ETag; the conditions are `If-None-Match: *` and `If-Match`, in the request that
 * writes. Over plain `http` the secret is safe, since requests are only signed with it, and so are
 * the bytes that are written, since the signature covers them.
 */
export function createS3Bucket(options: S3BucketOptions): Bucket {
  const { bucket, region = DEFAULT_REGION } = options;
  const prefix = (options.prefix ?? "").replace(/^\/+|\/+$/g, "");
  const store: S3Store = {
    ...options,
    region,
    prefix,
    address: addressOf(bucket, region, options.endpoint),
    label: storeLabel("s3", { bucket, prefix }),
    memory: createByteBudget(UPLOAD_BYTES),
    uncheckedWrites: new Set(),
    signingKeys: new Map(),
  };

  const opened: Bucket = {
    label: store.label,
    identity: identityOf(store.label, options.endpoint),
    keepsHeaders: true,
    read: (key, maxBytes) => read(store, key, maxBytes),
    async stat(key) {
      const object = await findObject(store, key);
      if (!object.ok) return object;
      return ok(object.value && toObjectFacts(object.value));
    },
    put: (key, body, putOptions) => putObject(store, key, { body, options: putOptions }),
    copy: (from, to, copyOptions) => copyObject(store, { from, to }, copyOptions),
    list: (below) => list(store, below),
    objects: (below) => objects(store, below),
    async remove(key) {
      const removed = await remove(store, nameOf(store, key));
      return removed.ok ? ok(null) : removed;
    },
    removeUnfinished: (before) => removeUnfinished(store, before),
    proveConditions: () =>
      proveConditions(opened, {
        place: placeOf(store),
        absent: "If-None-Match: *",
        unchanged: "If-Match",
        tag: "tag",
      }),
    allowCrossOrigin: () => allowCrossOrigin(store),
  };
  return opened;
}

/** The bucket's own address, without a slash at its end. */
function addressOf(bucket: string, region: string, endpoint: string | undefined): string {
  if (endpoint !== undefined) {
    const address = endpoint.replace(/\/+$/, "");
    return new URL(address).hostname.startsWith(`${bucket}.`) ? address : `${address}/${bucket}`;
  }
  const host = `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  // A certificate covers one level below the host: a bucket with dots is asked for as a folder.
  return /^[a-z0-9-]+$/.test(bucket) ? `https://${bucket}.${host}` : `https://${host}/${bucket}`;
}

/** The bucket's {@linkcode Bucket.identity}: Amazon's endpoints all know the same buckets. */
function identityOf(label: string, endpoint: string | undefined): string {
  if (endpoint === undefined) return label;
  return isAmazon(endpoint) ? label : `${new URL(endpoint).href.replace(/\/+$/, "")} ${label}`;
}

async function read(
  store: S3Store,
  key: string,
  maxBytes: number,
): BucketResult<{ bytes: Uint8Array<ArrayBuffer>; tag: string } | null> {
  const action = `read ${JSON.stringify(key)}`;
  const answer = await call(store, {
    action,
    method: "GET",
    name: nameOf(store, key),
    accept: ["NoSuchKey"],
    maxAnswerBytes: maxBytes,
  });
  if (!answer.ok) return answer;
  const { code, headers } = answer.value;
  if (code !== "") return ok(null);
  const tag = headers.get("etag");
  if (tag === null) return malformed(store, action, "no tag");
  const bytes = await decodedBytes(answer.value, maxBytes);
  return bytes === null ? malformed(store, action, "no gzip") : ok({ bytes, tag });
}

async function list(store: S3Store, below: string): BucketResult<readonly string[]> {
  const folder = prefixBelow(store, below);
  const names = new Set<string>(); // a folder may come with more than one page
  for await (const page of objectPages(store, folder, { delimiter: "/" })) {
    if (!page.ok) return page;
    for (const name of page.value.folders) names.add(name.slice(folder.length, -1));
    for (const { name } of page.value.items) names.add(name.slice(folder.length));
  }
  return ok(shownNames(names));
}

async function* objects(
  store: S3Store,
  below: string,
): AsyncGenerator<Result<StoredObject, BucketFailure>, void, undefined> {
  const start = prefixBelow(store, "").length;
  for await (const page of objectPages(store, prefixBelow(store, below))) {
    if (!page.ok) return yield page;
    for (const { name, size, modified } of page.value.items) {
      const key = name.slice(start);
      if (isShown(key)) yield ok({ key, size, modified });
    }
  }
}

/** Removes an object. @returns Whether the store had it, as far as it says. */
async function remove(store: S3Store, name: string): BucketResult<boolean> {
  const answer = await call(store, {
    action: `remove ${JSON.stringify(name)}`,
    method: "DELETE",
    name,
    accept: ["NoSuchKey"],
  });
  return answer.ok ? ok(answer.value.code === "") : answer;
}

/** Aborts uploads in parts that were never completed, and removes probes that were left. */
async function removeUnfinished(store: S3Store, before: number): BucketResult<number> {
  let removed = 0;
  const folder = prefixBelow(store, "");
  for await (const page of uploadPages(store, folder)) {
    if (!page.ok) return page;
    for (const { name, id, initiated } of page.value.items) {
      if (initiated >= before) continue;
      const aborted = await call(store, {
        action: `end an upload of ${JSON.stringify(name)}`,
        method: "DELETE",
        name,
        query: { uploadId: id },
        accept: ["NoSuchUpload"],
      });
      if (!aborted.ok) return aborted;
      if (aborted.value.code === "") removed++;
    }
  }
  for await (const page of objectPages(store, `${folder}${FORMER_PROBES}`)) {
    if (!page.ok) return page;
    for (const { name, modified } of page.value.items) {
      if (modified >= before || name.includes("/", folder.length)) continue;
      const gone = await remove(store, name);
      if (!gone.ok) return gone;
      if (gone.value) removed++;
    }
  }
  return ok(removed);
}
