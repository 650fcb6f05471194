import type { Artifact } from "./pins.ts";

// Sizes are the vendors' own where they are known exactly; `roughBytes` is for telling the user how
// much there is to download. A hash that was not seen in two independent sources is marked so; a hash
// that is not known is not here.

/** Facts about a download except its address. */
export type KnownArtifact = Pick<Artifact, "sha256" | "sha1" | "bytes" | "roughBytes"> & {
  /** False where the hash was seen in one source only. */
  readonly confirmed?: boolean;
};

/** A download at its vendor's address, stored under the address's last segment. */
export function artifact(
  name: string,
  url: string,
  { confirmed = true, ...known }: KnownArtifact,
): Artifact {
  return { name, url, file: url.slice(url.lastIndexOf("/") + 1), ...known, confirmed };
}
