import { parseJson } from "../../core/json-text.ts";
import { isRecord } from "../../core/json.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Bucket, BucketFailure, BucketResult, StoredObject } from "../store/bucket.ts";
import { decodedBytes, toObjectFacts } from "../store/coded.ts";
import { createByteBudget } from "../store/byte-budget.ts";
import { isGoogle } from "../store/endpoints.ts";
import { copyObject } from "./copy.ts";
import { allowCrossOrigin } from "./cors.ts";
import type { GcsCredentials } from "./credentials.ts";
import {
  call,
  findObject,
  type GcsObject,
  type GcsStore,
  isGeneration,
  malformed,
  objectPath,
  objectsPath,
  parseObject,
} from "./requests.ts";
import { putObject } from "./upload.ts";
import { isShown, prefixBelow, shownNames, storeLabel } from "../store/names.ts";
import { FORMER_PROBES, proveConditions } from "../store/probe.ts";
import type { StoreRequestDependencies } from "../store/requests.ts";

/** Dependencies of a bucket on Google Cloud Storage. */
export interface GcsBucketOptions extends StoreRequestDependencies {
  /** The bucket's name. */
  readonly bucket: string;
  /** Precedes every key, such as `games/mine`; absent or empty for none. */
  readonly prefix?: string;
  /** The store's address; default Google's own. */
  readonly endpoint?: string;
  /** Credentials of the caller. */
  readonly credentials: GcsCredentials;
}

/** The address of Google Cloud Storage. */
export const GCS_ENDPOINT = "https://storage.googleapis.com";

/**
 * Memory of all uploads together, in bytes: several small ones, or one large one. Runtimes copy it
 * several times over; eight large ones at once took 450 MB, this takes less than 200.
 */
const UPLOAD_BYTES = 8 * 1024 * 1024;

/**
 * A bucket on Google Cloud Storage, over its JSON API. A tag is an object's generation; both
 * conditions are `ifGenerationMatch`, in the request that writes.
 */
export function createGcsBucket(options: GcsBucketOptions): Bucket {
  const prefix = (options.prefix ?? "").replace(/^\/+|\/+$/g, "");
  const store: GcsStore = {
    ...options,
    prefix,
    endpoint: (options.endpoint ?? GCS_ENDPOINT).replace(/\/+$/, ""),
    label: storeLabel("gs", { bucket: options.bucket, prefix }),
    memory: createByteBudget(UPLOAD_BYTES),
  };

  const opened: Bucket = {
    label: store.label,
    identity: isGoogle(store.endpoint) ? store.label : `${store.endpoint} ${store.label}`,
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
      const removed = await call(store, {
        action: `remove ${JSON.stringify(key)}`,
        method: "DELETE",
        path: objectPath(store, key),
        accept: [404],
      });
      return removed.ok ? ok(null) : removed;
    },
    removeUnfinished: (before) => removeOldProbes(store, before),
    proveConditions: () =>
      proveConditions(opened, {
        place: store.endpoint,
        absent: "ifGenerationMatch=0",
        unchanged: "ifGenerationMatch",
        tag: "generation",
      }),
    allowCrossOrigin: () => allowCrossOrigin(store),
  };
  return opened;
}

async function read(
  store: GcsStore,
  key: string,
  maxBytes: number,
): BucketResult<{ bytes: Uint8Array<ArrayBuffer>; tag: string } | null> {
  const action = `read ${JSON.stringify(key)}`;
  const answer = await call(store, {
    action,
    method: "GET",
    path: objectPath(store, key),
    query: { alt: "media" },
    accept: [404],
    maxAnswerBytes: maxBytes,
  });
  if (!answer.ok) return answer;
  const { status, headers } = answer.value;
  if (status === 404) return ok(null);
  const tag = headers.get("x-goog-generation");
  if (!isGeneration(tag)) return malformed(store, action, "no generation");
  const bytes = await decodedBytes(answer.value, maxBytes);
  return bytes === null ? malformed(store, action, "no gzip") : ok({ bytes, tag });
}

async function list(store: GcsStore, below: string): BucketResult<readonly string[]> {
  const names = new Set<string>(); // a folder may come with more than one page
  const start = prefixBelow(store, below).length;
  for await (const page of pages(store, below, { delimiter: "/" })) {
    if (!page.ok) return page;
    const { folders, items } = page.value;
    for (const folder of folders) names.add(folder.slice(start, -1));
    for (const { name } of items) names.add(name.slice(start));
  }
  return ok(shownNames(names));
}

async function* objects(
  store: GcsStore,
  below: string,
): AsyncGenerator<Result<StoredObject, BucketFailure>, void, undefined> {
  const start = prefixBelow(store, "").length;
  for await (const page of pages(store, below, {})) {
    if (!page.ok) return yield page;
    for (const { name, size, updated } of page.value.items) {
      const key = name.slice(start);
      if (isShown(key)) yield ok({ key, size, modified: updated });
    }
  }
}

async function removeOldProbes(store: GcsStore, before: number): BucketResult<number> {
  let removed = 0;
  // The store itself drops unfinished uploads after a week.
  for await (const page of pages(store, "", { namesLike: FORMER_PROBES })) {
    if (!page.ok) return page;
    for (const { name, updated, generation } of page.value.items) {
      if (updated >= before) continue;
      const gone = await call(store, {
        action: `remove ${JSON.stringify(name)}`,
        method: "DELETE",
        path: `${objectsPath(store)}/${encodeURIComponent(name)}`,
        query: { generation },
        accept: [404],
      });
      if (!gone.ok) return gone;
      if (gone.value.status !== 404) removed++;
    }
  }
  return ok(removed);
}

/** One page of a listing. */
interface Page {
  readonly folders: readonly string[];
  readonly items: readonly GcsObject[];
}

async function* pages(
  store: GcsStore,
  below: string,
  { delimiter, namesLike = "" }: { readonly delimiter?: string; readonly namesLike?: string },
): AsyncGenerator<Result<Page, BucketFailure>, void, undefined> {
  const action = `list ${JSON.stringify(below)}`;
  const prefix = `${prefixBelow(store, below)}${namesLike}`;
  let pageToken: string | undefined;
  do {
    const answer = await call(store, {
      action,
      method: "GET",
      path: objectsPath(store),
      query: {
        prefix: prefix === "" ? undefined : prefix,
        delimiter,
        pageToken,
        maxResults: "1000",
        fields: "nextPageToken,prefixes,items(name,size,updated,generation)",
      },
    });
    if (!answer.ok) return yield answer;
    const page = parsePage(parseJson(answer.value.bytes), prefix);
    if (page === null) return yield malformed(store, action, "no listing");
    yield ok(page);
    if (page.next !== undefined && page.next === pageToken) {
      return yield malformed(store, action, "the same page again");
    }
    pageToken = page.next;
  } while (pageToken !== undefined);
}

function parsePage(value: unknown, prefix: string): Page & { readonly next?: string } | null {
  if (!isRecord(value)) return null;
  const { nextPageToken, prefixes = [], items = [] } = value;
  if (!Array.isArray(prefixes) || !Array.isArray(items)) return null;
  const folders: string[] = [];
  for (const folder of prefixes) {
    if (typeof folder !== "string" || !folder.startsWith(prefix)) return null;
    folders.push(folder);
  }
  const found: GcsObject[] = [];
  for (const item of items) {
    const object = parseObject(item);
    if (object === null || !object.name.startsWith(prefix)) return null;
    found.push(object);
  }
  if (nextPageToken === undefined || nextPageToken === "") return { folders, items: found };
  return typeof nextPageToken === "string" ? { folders, items: found, next: nextPageToken } : null;
}
