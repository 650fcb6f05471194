import type { Hashing } from "../../ports/hashing.ts";
import type { ByteBudget } from "../store/byte-budget.ts";
import type { StoreAnswer, StoreRequestDependencies } from "../store/requests.ts";
import type { S3Credentials } from "./credentials.ts";
import type { XmlElement } from "./xml.ts";

/** A bucket of an S3 store, as its requests see it. */
export interface S3Store extends StoreRequestDependencies {
  /** Computes signatures. */
  readonly hashing: Hashing;
  readonly bucket: string;
  /** Stands before every key; no slash at its end; empty for none. */
  readonly prefix: string;
  /** The bucket's own address, without a slash at its end. */
  readonly address: string;
  readonly region: string;
  readonly credentials: S3Credentials;
  /** The bucket in words. */
  readonly label: string;
  /** Memory budget of all uploads together. */
  readonly memory: ByteBudget;
  /** Writes whose checksums the store refused. */
  readonly uncheckedWrites: Set<"whole" | "parts">;
  /** Keys that signatures are made with, by day; they are costly to make. */
  readonly signingKeys: Map<string, ArrayBuffer>;
}

/** Response of a store. */
export interface S3Answer extends StoreAnswer {
  /** S3's own code for a failure, such as `NoSuchKey`; empty when it said none. */
  readonly code: string;
  /** The root of its document; `null` when it sent none. */
  readonly xml: XmlElement | null;
}
