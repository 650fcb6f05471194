import type { Failure, Result } from "../core/result.ts";

/** What an object is written from; `open` may be called again for another try. */
export interface ObjectBody {
  /** Bytes. */
  readonly size: number;
  /** A fresh stream of all of them. */
  readonly open: () => Promise<ReadableStream<Uint8Array>>;
}

/** How an object is written. Headers travel in the request that writes it (CONTRACTS §4). */
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
}

/** Whether a conditional write happened, or another writer was first. */
export type PutOutcome = "written" | "lost";

/** Why a bucket could not do something; `not found` is never among them. */
export type BucketFailure = Failure<"denied" | "unreachable" | "full" | "unsupported" | "other">;

/** What a bucket answers. */
export type BucketResult<T> = Promise<Result<T, BucketFailure>>;

/**
 * A plain object store. Nothing here assumes one writer, one disk, or a listing that is up to date:
 * what decides is always a conditional write.
 */
export interface Bucket {
  /** The bucket in words, for messages: its URL without secrets. */
  readonly label: string;
  /** A small object and its tag, or `null` when there is none. */
  read(key: string, maxBytes: number): BucketResult<{ bytes: Uint8Array; tag: string } | null>;
  /** Facts about an object, or `null` when there is none. */
  stat(key: string): BucketResult<{ readonly size: number } | null>;
  /** Writes an object whole or not at all. */
  put(key: string, body: ObjectBody, options: PutOptions): BucketResult<PutOutcome>;
  /** Copies inside the store, under the same headers; only when `to` is absent. */
  copy(from: string, to: string, options: Omit<PutOptions, "when">): BucketResult<PutOutcome>;
  /** The names one level below `prefix/`, folders and objects alike; may lag behind. */
  list(prefix: string): BucketResult<readonly string[]>;
  /** Proves that both conditions are honoured: a store that ignores one would lose updates. */
  proveConditions(): BucketResult<null>;
}
