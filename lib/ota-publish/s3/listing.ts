import { ok, type Result } from "../../core/result.ts";
import type { BucketFailure } from "../store/bucket.ts";
import { malformed } from "./failures.ts";
import { call } from "./requests.ts";
import type { S3Store } from "./store.ts";
import { childrenNamed, firstText, type XmlElement } from "./xml.ts";

/** One page of a listing. */
export interface S3Page<Item> {
  /** Beginnings of names, up to and including the next slash. */
  readonly folders: readonly string[];
  readonly items: readonly Item[];
}

/** Pages of a listing; they end with the first failure. */
export type S3Pages<Item> = AsyncGenerator<Result<S3Page<Item>, BucketFailure>, void, undefined>;

/** An object as listings show it. */
export interface ListedObject {
  readonly name: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

/** An upload in parts that is not completed. */
export interface ListedUpload {
  readonly name: string;
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly initiated: number;
}

/** One kind of listing as S3 spells it. */
interface Listing<Item> {
  readonly query: Readonly<Record<string, string>>;
  /** The root of an answer. */
  readonly root: string;
  /** The elements that are items. */
  readonly item: string;
  /** Position of the next page: query parameters, each with the element of its value. */
  readonly next: Readonly<Record<string, string>>;
  readonly parse: (element: XmlElement, decode: Decode) => Item | null;
}

/** Names are percent-encoded where they are asked to be, and the store knows how. */
type Decode = (text: string | null) => string | null;

/** Bytes of a page: 1,000 names of 1,024 bytes, each written as three. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

const OBJECTS: Listing<ListedObject> = {
  query: { "list-type": "2", "max-keys": "1000" },
  root: "ListBucketResult",
  item: "Contents",
  next: { "continuation-token": "NextContinuationToken" },
  parse(element, decode) {
    const name = decode(firstText(element, "Key"));
    const size = firstText(element, "Size") ?? "";
    const modified = Date.parse(firstText(element, "LastModified") ?? "");
    return name === null || !/^[0-9]{1,15}$/.test(size) || Number.isNaN(modified)
      ? null
      : { name, size: Number(size), modified };
  },
};

const UPLOADS: Listing<ListedUpload> = {
  query: { "uploads": "", "max-uploads": "1000" },
  root: "ListMultipartUploadsResult",
  item: "Upload",
  next: { "key-marker": "NextKeyMarker", "upload-id-marker": "NextUploadIdMarker" },
  parse(element, decode) {
    const name = decode(firstText(element, "Key"));
    const id = firstText(element, "UploadId");
    const initiated = Date.parse(firstText(element, "Initiated") ?? "");
    return name === null || id === null || Number.isNaN(initiated) ? null : { name, id, initiated };
  },
};

/** Every object whose name begins with `prefix`; with a delimiter only those one level below. */
export function objectPages(
  store: S3Store,
  prefix: string,
  { delimiter }: { readonly delimiter?: "/" } = {},
): S3Pages<ListedObject> {
  return pages(store, OBJECTS, { prefix, delimiter });
}

/** Every upload in parts, of names that begin with `prefix`, that is not completed. */
export function uploadPages(store: S3Store, prefix: string): S3Pages<ListedUpload> {
  return pages(store, UPLOADS, { prefix });
}

async function* pages<Item extends { readonly name: string }>(
  store: S3Store,
  listing: Listing<Item>,
  { prefix, delimiter }: { readonly prefix: string; readonly delimiter?: string | undefined },
): S3Pages<Item> {
  const action = `list ${JSON.stringify(prefix)}`;
  let next: Readonly<Record<string, string>> | null = {};
  while (next !== null) {
    const answer = await call(store, {
      action,
      method: "GET",
      query: { ...listing.query, prefix, delimiter, "encoding-type": "url", ...next },
      expects: listing.root,
      maxAnswerBytes: MAX_PAGE_BYTES,
    });
    if (!answer.ok) return yield answer;
    const { xml } = answer.value;
    const page = xml === null ? null : parsePage(xml, listing, prefix);
    if (page === null) return yield malformed(store, action, "no listing");
    yield ok(page);
    if (page.next !== null && JSON.stringify(page.next) === JSON.stringify(next)) {
      return yield malformed(store, action, "the same page again");
    }
    next = page.next;
  }
}

function parsePage<Item extends { readonly name: string }>(
  xml: XmlElement,
  listing: Listing<Item>,
  prefix: string,
): S3Page<Item> & { readonly next: Readonly<Record<string, string>> | null } | null {
  const decode: Decode = firstText(xml, "EncodingType") === "url" ? decodeName : (text) => text;
  const folders: string[] = [];
  for (const element of childrenNamed(xml, "CommonPrefixes")) {
    const folder = decode(firstText(element, "Prefix"));
    if (folder === null || !folder.startsWith(prefix)) return null;
    folders.push(folder);
  }
  const items: Item[] = [];
  for (const element of childrenNamed(xml, listing.item)) {
    const item = listing.parse(element, decode);
    if (item === null || !item.name.startsWith(prefix)) return null;
    items.push(item);
  }
  if (firstText(xml, "IsTruncated") !== "true") return { folders, items, next: null };
  const next: Record<string, string> = {};
  for (const [parameter, element] of Object.entries(listing.next)) {
    const text = firstText(xml, element);
    // A token is given back as it came; a marker is a name like any other.
    const value = parameter === "key-marker" ? decode(text) : text;
    if (value === null) return null;
    next[parameter] = value;
  }
  return { folders, items, next };
}

function decodeName(text: string | null): string | null {
  if (text === null) return null;
  try {
    return decodeURIComponent(text.replaceAll("+", "%20"));
  } catch {
    return null; // a percent sign that encodes nothing
  }
}
