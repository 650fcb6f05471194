import type { Failure, Result } from "../../core/result.ts";

/** Content of an object; `open` may be called again for another attempt. */
export interface ObjectBody {
  /** Bytes. */
  readonly size: number;
  /** A fresh stream of all of them. */
  readonly open: () => Promise<ReadableStream<Uint8Array>>;
  /** The same, where they are read from a file: each chunk is overwritten when the next is asked for. */
  readonly chunks?: () => AsyncIterable<Uint8Array>;
  /** A file at a {@linkcode LocalBucket.temporary} path that holds them, synced: needs no copy. */
  readonly packed?: string;
  /** Bytes once decoded, of a body that is gzip-coded: then it is stored as such (PUB-28). */
  readonly decodedSize?: number;
}

/** A body whose bytes are known. */
export interface ExpectedBody extends ObjectBody {
  /** SHA-256 of them, coded where they are. */
  readonly hash: string;
}

/** Options for writing an object. Headers travel in the request that writes it (PUB-16). */
export interface PutOptions {
  /** `Cache-Control`. */
  readonly cacheControl: string;
  /** `Content-Type`. */
  readonly contentType: string;
  /**
   * `absent`: only when nothing has that key. `unchanged`: only over the object of that tag, or
   * only when there is none for `null`.
   */
  readonly when: { readonly kind: "absent" } | {
    readonly kind: "unchanged";
    readonly tag: string | null;
  };
  /** Its name may be lost in a power cut until {@linkcode Bucket.settle}; its bytes may not. */
  readonly unsettled?: boolean;
}

/** Options for copying an object. */
export interface CopyOptions extends Omit<PutOptions, "when"> {
  /** Expected content: `other` if the store cannot prove it (PUB-22, PUB-27). */
  readonly expected?: ExpectedBody;
}

/** Whether a conditional write happened, or another writer was first. */
export type PutOutcome = "written" | "lost";

/** Why a bucket could not do something; `not found` is never among them. */
export type BucketFailure = Failure<"denied" | "unreachable" | "full" | "unsupported" | "other">;

/** One stored object. */
export interface StoredObject {
  /** Its key, whole. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  /** The time of its write by the store's clock, in milliseconds since the epoch. */
  readonly modified: number;
}

/** Facts about an object. */
export interface ObjectFacts {
  /** Bytes, decoded. */
  readonly size: number;
  /** Bytes as they are stored and served, where they are coded. */
  readonly served?: number;
}

/** Whether a web view may read from this store (PUB-9). */
export type CrossOrigin =
  /**
   * `ready`: it may, as the store stands. `set`: this call has allowed it. `elsewhere`: a folder has no
   * rules, whoever serves it sets them.
   */
  | { readonly kind: "ready" | "set" | "elsewhere" }
  /** Nobody can tell from here, or rules that others wrote stand in the way; they are left alone. */
  | { readonly kind: "unsure"; readonly message: string; readonly next: string };

/** Result of a bucket. */
export type BucketResult<T> = Promise<Result<T, BucketFailure>>;

/** A bucket that is a folder of this machine. */
export interface LocalBucket {
  /** Returns the path of an object. */
  pathOf(key: string): string;
  /** Returns a fresh path on the same disk, in an existing folder; swept if its writer died. */
  temporary(): string;
}

/**
 * A plain object store. Nothing here assumes one writer, one disk, or a listing that is up to date:
 * what decides is always a conditional write.
 *
 * Every operation may fail with `denied`, `unreachable`, `full`, `unsupported` or `other`; that
 * something is not there, or that another writer was first, is an answer.
 */
export interface Bucket {
  /** The bucket in words, for messages: its URL without secrets. */
  readonly label: string;
  /**
   * Identity of the store: its address, the bucket and the prefix. It is the same in every run, without
   * secrets. For Amazon's and Google's own stores, whose buckets' names
   * are nobody else's, it is the label; so it is for a folder.
   */
  readonly identity: string;
  /** Whether objects are served under the headers that they are written with: a folder keeps none. */
  readonly keepsHeaders: boolean;
  /** A small object, decoded, and its tag, or `null` when there is none. */
  read(
    key: string,
    maxBytes: number,
  ): BucketResult<{ bytes: Uint8Array<ArrayBuffer>; tag: string } | null>;
  /** Facts about an object, or `null` when there is none. */
  stat(key: string): BucketResult<ObjectFacts | null>;
  /** Writes an object whole or not at all; a body whose stream fails writes nothing. */
  put(key: string, body: ObjectBody, options: PutOptions): BucketResult<PutOutcome>;
  /** Copies inside the store, under the given headers; only when `to` is absent. */
  copy(from: string, to: string, options: CopyOptions): BucketResult<PutOutcome>;
  /** The names one level below `prefix/`, folders and objects alike; may lag behind. */
  list(prefix: string): BucketResult<readonly string[]>;
  /** Every object below `prefix/`, page by page; ends with the first failure. May lag behind. */
  objects(prefix: string): AsyncGenerator<Result<StoredObject, BucketFailure>, void, undefined>;
  /** Removes an object; a missing one is fine. */
  remove(key: string): BucketResult<null>;
  /**
   * Removes what writers that died left unfinished, started before `before` (milliseconds since the
   * epoch): parts of uploads, temporary files. Objects are never touched. @returns How many.
   */
  removeUnfinished(before: number): BucketResult<number>;
  /** Makes the names below `prefix/` outlive a power cut, one level deep; absent where they do. */
  settle?(prefix: string): BucketResult<null>;
  /** Proves that both conditions are honoured: a store that ignores one would lose updates. */
  proveConditions(): BucketResult<null>;
  /** Sees to it that any origin may GET and HEAD, where no rules stand yet; else only looks. */
  allowCrossOrigin(): BucketResult<CrossOrigin>;
  /** Access to its objects without it; absent for a store. */
  readonly local?: LocalBucket;
}
