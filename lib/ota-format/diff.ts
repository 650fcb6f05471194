import { compareCodeUnits, own } from "../core/json.ts";
import type { Manifest } from "./manifest.ts";
import type { ContentRef } from "./release.ts";

/** A file to fetch. */
export interface Download extends Omit<ContentRef, "served"> {
  /** Its path in the bundle. */
  readonly path: string;
}

/** Changes between two manifests, path by path. */
export interface ManifestDiff {
  /** Paths whose content stays the same. */
  readonly copy: readonly string[];
  /** Paths that are new or have new content. */
  readonly download: readonly Download[];
  /** Paths that the new version does not have. */
  readonly remove: readonly string[];
}

/** A file that the device holds already. */
export interface Copy {
  /** The path that holds the content. */
  readonly from: string;
  /** Its path in the bundle. */
  readonly path: string;
  /** The bundle that holds it, by the device's name; absent: the plan's own base. */
  readonly base?: string;
}

/** A plan to assemble a version from the device's files and downloads. */
export interface StagePlan {
  /** Every file that a base holds somewhere: the same path first, else any path of that content. */
  readonly copy: readonly Copy[];
  /** Contents that no base has. */
  readonly download: readonly Download[];
  /** Bytes to fetch, decoded, each content counted once: the total of the progress. */
  readonly downloadBytes: number;
}

/** The compared part of a manifest. */
export type ManifestFiles = Pick<Manifest, "files">;

/** A bundle on the device in addition to a plan's base. */
export interface OtherBase extends ManifestFiles {
  /** The device's name for it: a version, or `embedded`. */
  readonly at: string;
}

/** Cost of a request besides the bytes of its response, in bytes (DIFF-4). */
export const REQUEST_BYTES = 16 * 1024;

/**
 * Bytes on the device of unfinished contents, by hash; a value that is not a number counts as 0.
 */
export type PartialBytes = Readonly<Record<string, unknown>>;

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
 * Plans the staging of `target` on top of `base`. The downloads of `diffManifests` are copied if
 * the base holds the content under any name, so renames and swaps cost nothing (DIFF-2), or else if
 * one of `others` does, in their order (DIFF-3).
 */
export function planStage(
  base: ManifestFiles,
  target: ManifestFiles,
  others: readonly OtherBase[] = [],
): StagePlan {
  const holders = new Map<string, Omit<Copy, "path">>();
  for (const [from, { hash }] of byPath(base)) {
    if (!holders.has(hash)) holders.set(hash, { from });
  }
  for (const other of others) {
    for (const [from, { hash }] of byPath(other)) {
      if (!holders.has(hash)) holders.set(hash, { from, base: other.at });
    }
  }
  const diff = diffManifests(base, target);
  const copy: Copy[] = diff.copy.map((path) => ({ from: path, path }));
  const download: Download[] = [];
  for (const file of diff.download) {
    const holder = holders.get(file.hash);
    if (holder !== undefined) {
      copy.push({ ...holder, path: file.path });
      continue;
    }
    download.push(file);
  }
  const downloadBytes = contentsOf({ download }).reduce((sum, { size }) => sum + size, 0);
  return { copy, download, downloadBytes };
}

/**
 * Chooses the cheaper way to a version: its single files by `plan`, or its bundle archive (DIFF-4).
 * A way costs the bytes as served and {@linkcode REQUEST_BYTES} a request, one for each content; of
 * two equal ones the delta is chosen, which needs less room. Bytes on the device are not fetched
 * again (DIFF-5).
 */
export function cheaperWay(
  plan: Pick<StagePlan, "download">,
  { files, bundleZip }: Pick<Manifest, "files" | "bundleZip">,
  partial: PartialBytes = {},
): "delta" | "zip" {
  const costOf = ({ hash, size, served }: ContentRef) => {
    const there = Number(own(partial, hash)) || 0;
    // A coded content cannot be resumed.
    return there > 0 && there >= size ? 0 : REQUEST_BYTES + (served ?? size - there);
  };
  let delta = 0;
  for (const file of contentsOf(plan)) delta += costOf(own(files, file.path) ?? file);
  return bundleZip && costOf(bundleZip) < delta ? "zip" : "delta";
}

/** Downloads of a plan: each content once, however many paths have it. */
export function contentsOf({ download }: Pick<StagePlan, "download">): readonly Download[] {
  return [...new Map(download.map((file) => [file.hash, file])).values()];
}

/** Returns the bytes as served of each way to a version; no `zip` without an archive. */
export function wayBytes(
  plan: Pick<StagePlan, "download">,
  { files, bundleZip }: Pick<Manifest, "files" | "bundleZip">,
): { readonly delta: number; readonly zip?: number } {
  let delta = 0;
  for (const { path, size } of contentsOf(plan)) delta += own(files, path)?.served ?? size;
  return bundleZip === undefined ? { delta } : { delta, zip: bundleZip.served ?? bundleZip.size };
}

function byPath(manifest: ManifestFiles): [string, ContentRef][] {
  return Object.entries(manifest.files).sort(([a], [b]) => compareCodeUnits(a, b));
}
