import type { Hashing } from "../../ports/hashing.ts";
import type { Artifact } from "../pins/pins.ts";

/** The hashes of a file, running, against those that are pinned. */
export interface PinnedHashes {
  /** Feeds more bytes. */
  update(bytes: Uint8Array): void;
  /** Ends the hashes. @returns What differs, in words, or `null` when every pinned hash is met. */
  difference(): string | null;
}

/** Starts every hash that is pinned. Where none is, nothing can meet the pin. */
export function createPinnedHashes(
  { sha256, sha1 }: Pick<Artifact, "sha256" | "sha1">,
  hashing: Hashing,
): PinnedHashes {
  const pinned = [
    ...(sha256 === undefined ? [] : [["SHA-256", sha256, hashing.createSha256()] as const]),
    ...(sha1 === undefined ? [] : [["SHA-1", sha1, hashing.createSha1()] as const]),
  ];
  return {
    update(bytes) {
      for (const [, , hash] of pinned) hash.update(bytes);
    },
    difference() {
      if (pinned.length === 0) return "no hash is pinned for it, expected SHA-256 or SHA-1";
      for (const [name, expected, hash] of pinned) {
        const found = hash.hex();
        if (found !== expected) return `found ${name} ${found}, expected ${expected}`;
      }
      return null;
    },
  };
}
