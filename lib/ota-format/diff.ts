import { compareCodeUnits, own } from "../core/json.ts";
import type { Manifest } from "./manifest.ts";
import type { ContentRef } from "./release.ts";

/** A file to fetch. */
export interface Download extends ContentRef {
  /** Where it goes in the bundle. */
  readonly path: string;
}

/** What changed between two manifests, path by path. */
export interface ManifestDiff {
  /** Paths whose content stays the same. */
  readonly copy: readonly string[];
  /** Paths that are new or have new content. */
  readonly download: readonly Download[];
  /** Paths that are gone. */
  readonly remove: readonly string[];
}

/** How to put a version together from what the device has and what it must fetch. */
export interface StagePlan {
  /** Every file that the base holds somewhere: the same path first, else any path of that content. */
  readonly copy: readonly { readonly from: string; readonly path: string }[];
  /** What the base does not hold. */
  readonly download: readonly Download[];
  /** Bytes to fetch. */
  readonly downloadBytes: number;
}

/** What of a manifest is compared. */
export type ManifestFiles = Pick<Manifest, "files">;

/** Compares path and hash: no rename is detected (DIFF-1). Lists are ordered by path. */
export function diffManifests(current: ManifestFiles, target: ManifestFiles): ManifestDiff {
  const copy: string[] = [];
  const download: Download[] = [];
  for (const [path, { hash, size }] of byPath(target)) {
    if (own(current.files, path)?.hash === hash) copy.push(path);
    else download.push({ path, hash, size });
  }
  const remove = byPath(current)
    .map(([path]) => path)
    .filter((path) => own(target.files, path) === undefined);
  return { copy, download, remove };
}

/**
 * Plans the staging of `target` on top of `base`. What `diffManifests` would download is copied
 * where the base holds the content under any name, so renames and swaps cost nothing (DIFF-2).
 */
export function planStage(base: ManifestFiles, target: ManifestFiles): StagePlan {
  const holders = new Map<string, string>();
  for (const [path, { hash }] of byPath(base)) if (!holders.has(hash)) holders.set(hash, path);
  const diff = diffManifests(base, target);
  const copy = diff.copy.map((path) => ({ from: path, path }));
  const download: Download[] = [];
  let downloadBytes = 0;
  for (const file of diff.download) {
    const from = holders.get(file.hash);
    if (from !== undefined) {
      copy.push({ from, path: file.path });
      continue;
    }
    download.push(file);
    downloadBytes += file.size;
  }
  return { copy, download, downloadBytes };
}

function byPath(manifest: ManifestFiles): [string, ContentRef][] {
  return Object.entries(manifest.files).sort(([a], [b]) => compareCodeUnits(a, b));
}
