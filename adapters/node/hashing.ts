import { createHash } from "node:crypto";
import type { Hashing } from "../../lib/ports/hashing.ts";

/** SHA-256 in native code. */
export function createHashing(): Hashing {
  return {
    createSha256() {
      const hash = createHash("sha256");
      return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest("hex") };
    },
  };
}
