import { createHash } from "node:crypto";
import type { Manifest } from "../../lib/ota-format/manifest.ts";
import { SCHEMA } from "../../lib/ota-format/release.ts";
import { bytesOf } from "./hostile-zips.ts";
import type { Tree } from "./ota-world.ts";

/**
 * Creates the manifest of a version of `shell` that consists of `files`, with `zip` as its bundle
 * archive.
 */
export function manifestOfZip(version: string, zip: Uint8Array, files: Tree): Manifest {
  return {
    schema: SCHEMA,
    name: "shell",
    version,
    engineApi: 1,
    files: Object.fromEntries(
      Object.entries(files).map(([path, content]) => [path, refOf(bytesOf(content))]),
    ),
    bundleZip: refOf(zip),
  };
}

/** A content as a manifest names it. */
export function refOf(bytes: Uint8Array): { hash: string; size: number } {
  return { hash: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
}
