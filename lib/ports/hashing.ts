import type { Sha256 } from "../core/sha256.ts";

/** Fast hashing, if the runtime has it in native code. */
export interface Hashing {
  /** A running SHA-256. */
  createSha256(): Sha256;
  /**
   * A running SHA-1 (FIPS 180-4): only to check downloads for which the vendor publishes nothing
   * better.
   */
  createSha1(): Sha1;
}

/** A running SHA-1. */
export interface Sha1 {
  /** Feeds more bytes. */
  update(bytes: Uint8Array): void;
  /** Ends the hash. @returns 40 lower-case hexadecimal digits. */
  hex(): string;
}
