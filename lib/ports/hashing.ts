import type { Sha256 } from "../core/sha256.ts";

/** Fast hashing, where the runtime has it in native code. */
export interface Hashing {
  /** A running SHA-256. */
  createSha256(): Sha256;
}
