import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, ok } from "../core/result.ts";
import { sha256Hex } from "../core/sha256.ts";
import {
  type BundleVersion,
  bundleZipPath,
  contentPath,
  type ContentRef,
  type Manifest,
  manifestPath,
  parseManifest,
  type Release,
  versionPath,
} from "../ota-format/mod.ts";
import { readReleases } from "./history.ts";
import { bucketFailure, type PublishResult } from "./publish-failure.ts";
import { isPruned } from "./pruned-mark.ts";
import { listSequences, type ReleaseReader } from "./release-log.ts";
import type { Bucket } from "./store/bucket.ts";

// Decides whether a version can be released again: a signed release vouches for its manifest, and
// the bucket has everything that the manifest names.

/** Releases that are read between two checks whether the version was among them. */
const PAGE = 64;
/** Versions that a refusal names. */
const SHOWN = 5;

/** The newest release that names a version, which has its files still. */
export async function findReleased(
  reader: ReleaseReader,
  version: BundleVersion,
  base: Release | null,
): PublishResult<{ readonly was: Release; readonly ref: ContentRef }> {
  const { bucket } = reader;
  const listed = await listSequences(bucket);
  if (!listed.ok) return bucketFailure(listed.error);
  const others = new Set<string>();
  const look = (release: Release) => {
    const released = own(release.bundles, version.name);
    const ref = own(release.manifests, version.name);
    if (released === version.version && ref !== undefined) return { was: release, ref };
    if (released !== undefined) others.add(released);
    return null;
  };
  let found = base === null ? null : look(base);
  for (let at = 0; found === null && at < listed.value.length; at += PAGE) {
    const page = listed.value.slice(at, at + PAGE);
    const releases = await readReleases(reader, page);
    if (!releases.ok) return releases;
    for (const sequence of page) {
      const release = releases.value.get(sequence);
      if (release?.ok) found ??= look(release.value);
    }
  }
  const pruned = found === null ? ok(false) : await isPruned(bucket, version);
  if (!pruned.ok) return bucketFailure(pruned.error);
  if (found !== null && !pruned.value) return ok(found);
  const there = await notPrunedOf(bucket, version.name, others);
  return fail(
    found === null ? "not-released" : "pruned",
    `Cannot roll back ${version.name} to ${version.version}: ${
      found === null
        ? "no signed release in the bucket names it"
        : `its files were pruned from ${bucket.label}`
    }`,
    there.length > 0
      ? `Roll back to ${there.join(", ")}; or publish the files that are meant as a new version`
      : "Publish the files that are meant as a new version",
  );
}

/** The first of these versions that have their files still. */
async function notPrunedOf(
  bucket: Bucket,
  name: string,
  versions: Iterable<string>,
): Promise<string[]> {
  const there: string[] = [];
  for (const version of versions) {
    if (there.length === SHOWN) break;
    const pruned = await isPruned(bucket, { name, version });
    if (pruned.ok && !pruned.value) there.push(version);
  }
  return there;
}

/** Returns the manifest of a release if everything that it names is in the bucket. */
export async function readWhole(
  bucket: Bucket,
  version: BundleVersion,
  ref: ContentRef,
): PublishResult<Manifest> {
  const { name, version: to } = version;
  const incomplete = (found: string): Awaited<PublishResult<never>> =>
    fail(
      "incomplete",
      `Cannot roll back ${name} to ${to}: ${found}`,
      "Roll back to another version, or publish the files that are meant as a new one",
    );
  const path = manifestPath(name, to);
  const object = await bucket.read(path, LIMITS.manifestBytes);
  if (!object.ok) return bucketFailure(object.error);
  if (object.value === null) return incomplete(`${bucket.label} lacks its ${path}`);
  const { bytes } = object.value;
  const manifest = await sha256Hex(bytes) === ref.hash ? parseManifest(bytes, version) : null;
  if (!manifest?.ok) return incomplete(`its ${path} is not the one that was released`);
  const { files, bundleZip } = manifest.value;
  const sizes = new Map<string, number>();
  for await (const found of bucket.objects(versionPath(name, to))) {
    if (!found.ok) return bucketFailure(found.error);
    sizes.set(found.value.key, found.value.size);
  }
  const expectedObjects = Object.values(files).map((file) =>
    [contentPath(name, to, file.hash), file] as const
  );
  if (bundleZip !== undefined) expectedObjects.push([bundleZipPath(name, to), bundleZip]);
  for (const [key, { size, served }] of expectedObjects) {
    let found = sizes.get(key);
    if (found !== undefined && found !== size && found !== served) {
      // Coded by another publisher's deflate: the listing has the coded size, the facts the decoded one.
      const facts = await bucket.stat(key);
      if (!facts.ok) return bucketFailure(facts.error);
      found = facts.value?.size;
    }
    if (found !== undefined && (found === size || found === served)) continue;
    const has = found === undefined ? "is not there" : `has ${found} bytes, expected ${size}`;
    return incomplete(`${key} ${has}`);
  }
  return manifest;
}
