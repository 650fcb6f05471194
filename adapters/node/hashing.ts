import { createHash } from "node:crypto";
import type { Sha256 } from "../../lib/core/sha256.ts";
import type { Hashing, Sha1 } from "../../lib/ports/hashing.ts";

/** SHA-256 and SHA-1 in native code. */
export function createHashing(): Hashing {
  return { createSha256: () => running("sha256"), createSha1: () => running("sha1") };
}

function running(algorithm: "sha256" | "sha1"): Sha256 & Sha1 {
  const hash = createHash(algorithm);
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest("hex") };
}
