import { own } from "../../core/json.ts";
import { versionNumber } from "../../core/paths.ts";
import type { Failure } from "../../core/result.ts";
import {
  diffManifests,
  EMBEDDED,
  type EmbeddedManifest,
  type Release,
} from "../../ota-format/mod.ts";
import type { ReleasedManifest } from "../../ota-publish/mod.ts";

// An app goes to the store with a bundle in it, and its first check already finds the current
// release. To keep both in step, publish first, then submit to the store (decision 120).

/** How the bundle in a binary relates to the released one. */
type BinaryOrder =
  /** It has no number, so it counts as newer than every release at the time of the build. */
  | "no-number"
  /** A lower number than is released. */
  | "behind"
  /** A higher number than is released. */
  | "ahead"
  /** The number that is released, of other files. */
  | "differs";

/**
 * Returns a warning to show before such a binary goes to a store; `null` if the order is right.
 *
 * @param release `null` if nothing was ever published.
 * @param released Its manifest of that bundle; `null` if it could not be read.
 */
export function binaryOrder(
  manifest: EmbeddedManifest,
  release: Release | null,
  released: ReleasedManifest | null,
): Failure<BinaryOrder> | null {
  const { name, version } = manifest;
  const named = own(release?.bundles, name);
  const first =
    `Publish these files as a version above ${named ?? "none"}, then embed the manifest ` +
    "with --release and build the app again, then submit it to the store";
  if (version === EMBEDDED) {
    if (named === undefined) return null;
    const stated = manifest.released === undefined
      ? `and does not know of ${named}: its players are taken to ${named}, older or not`
      : `so its players stay on it until one above ${manifest.released} is released`;
    const message = `the bundle in the app has no number, ${stated}`;
    return { code: "no-number", message, next: first };
  }
  if (named === undefined || versionNumber(version) > versionNumber(named)) {
    return {
      code: "ahead",
      message: `the app contains ${name} ${version}, and ${named ?? "nothing"} is released`,
      next:
        `Publish ${version} first, then submit the app to the store: players without the new app ` +
        "are left behind until then",
    };
  }
  if (versionNumber(version) < versionNumber(named)) {
    return {
      code: "behind",
      message: `the app contains ${name} ${version}, and ${named} is released: each new install ` +
        `downloads ${named} at its first check`,
      next:
        `Build the app from the files of ${named}, or of a newer version that is published first`,
    };
  }
  if (isReleased(manifest, release, released)) return null;
  return {
    code: "differs",
    message:
      `the app contains ${name} ${version}, and not the files that were released as ${version}`,
    next: `A version is never used twice. ${first}`,
  };
}

/** Returns whether the files in the binary equal the released ones. */
function isReleased(
  manifest: EmbeddedManifest,
  release: Release | null,
  released: ReleasedManifest | null,
): boolean {
  const { name, published, engineApi } = manifest;
  if (published !== undefined && published === own(release?.manifests, name)?.hash) return true;
  if (released === null) return false;
  const { download, remove } = diffManifests(manifest, released.manifest);
  return download.length + remove.length === 0 && engineApi === released.manifest.engineApi;
}
