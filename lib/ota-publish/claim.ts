import { encodeUtf8 } from "../core/bytes.ts";
import { LIMITS } from "../core/limits.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import { sha256Hex } from "../core/sha256.ts";
import {
  bundleZipPath,
  type ContentRef,
  type Manifest,
  manifestPath,
  parseManifest,
  serializeManifest,
} from "../ota-format/mod.ts";
import { codeBytes, type Coding, withServed } from "./coding.ts";
import type { Bucket, BucketFailure } from "./store/bucket.ts";
import { bytesBody, IMMUTABLE, immutably, type PackedZip, zipBody } from "./store/objects.ts";
import { freeVersion } from "./plan.ts";

// The manifest is the claim to a version: of all its publishers, one creates the object. A later
// publisher with the same files and engine API continues where the first one stopped; one with
// different files is refused (PUB-2).

/** A claimed version. */
export interface Claim {
  /** The manifest in the bucket, whichever publisher wrote it. */
  readonly manifest: Manifest;
  /** Its bytes, as the release names them. */
  readonly ref: ContentRef;
}

/** Why a version cannot be had. */
export type ClaimFailure = Failure<"bucket" | "version-exists" | "zip-differs" | "over-limit">;

/** The claim to this very content, made before; `null` when the version is free. */
export async function findClaim(
  bucket: Bucket,
  manifest: Manifest,
): Promise<Result<Claim | null, ClaimFailure>> {
  const { name, version } = manifest;
  const object = await bucket.read(manifestPath(name, version), LIMITS.manifestBytes);
  if (!object.ok) return bucketFailure(object.error);
  if (object.value === null) return ok(null);
  const { bytes } = object.value;
  const stored = parseManifest(bytes, { name, version });
  if (!stored.ok || contentOf(stored.value) !== contentOf(manifest)) {
    return await versionExists(bucket, manifest, "that version exists with other content");
  }
  const there = await bucket.stat(manifestPath(name, version));
  if (!there.ok) return bucketFailure(there.error);
  const served = there.value?.served;
  return ok({
    manifest: stored.value,
    ref: {
      hash: await sha256Hex(bytes),
      size: bytes.length,
      ...(served !== undefined && { served }),
    },
  });
}

/**
 * Claims the version, or continues the earlier claim to the same content.
 *
 * @param coding Codes the manifest; `null` stores it uncoded.
 */
export async function claimVersion(
  bucket: Bucket,
  manifest: Manifest,
  coding: Coding | null,
): Promise<Result<Claim, ClaimFailure>> {
  const bytes = encodeUtf8(serializeManifest(manifest));
  const ref: ContentRef = { hash: await sha256Hex(bytes), size: bytes.length };
  if (ref.size > LIMITS.manifestBytes) {
    return fail(
      "over-limit",
      `Cannot publish: manifest.json would have ${ref.size} bytes, expected at most ${LIMITS.manifestBytes}`,
      "Publish fewer files, or shorter names",
    );
  }
  const key = manifestPath(manifest.name, manifest.version);
  const coded = coding && await codeBytes(coding, bytes);
  const body = coded ?? bytesBody(bytes);
  const put = await bucket.put(key, body, immutably(body, "application/json"));
  if (!put.ok) return bucketFailure(put.error);
  if (put.value === "written") {
    return ok({ manifest, ref: { ...ref, ...(coded && { served: coded.size }) } });
  }
  const found = await findClaim(bucket, manifest);
  if (!found.ok) return found;
  return found.value !== null
    ? ok(found.value)
    : fail("bucket", `${bucket.label} says that ${key} exists, and does not have it`, "Try again");
}

/**
 * Returns whether the bucket has the zip that a claim names; true for a claim without a zip. Every
 * publisher that writes the zip writes the claimed bytes.
 */
export async function hasClaimedZip(
  bucket: Bucket,
  { manifest: { name, version, bundleZip } }: Claim,
): Promise<Result<boolean, ClaimFailure>> {
  if (bundleZip === undefined) return ok(true);
  const there = await bucket.stat(bundleZipPath(name, version));
  return there.ok ? ok(there.value?.size === bundleZip.size) : bucketFailure(there.error);
}

/** Stores the claimed zip if the bucket does not have it. */
export async function putClaimedZip(
  bucket: Bucket,
  claim: Claim,
  zip: PackedZip,
): Promise<Result<null, ClaimFailure>> {
  const { name, version, bundleZip } = claim.manifest;
  const key = bundleZipPath(name, version);
  if (bundleZip?.hash === zip.ref.hash) {
    const put = await bucket.put(key, zipBody(zip), {
      ...IMMUTABLE,
      contentType: "application/zip",
    });
    if (!put.ok) return bucketFailure(put.error);
    if (put.value === "written") return ok(null);
  }
  const there = await hasClaimedZip(bucket, claim);
  if (!there.ok) return there;
  return there.value ? ok(null) : fail(
    "zip-differs",
    `Cannot resume ${name} ${version}: its bundle.zip in ${bucket.label} is not the one that its manifest names, and this runtime packs another`,
    "Resume it where it was started, with the same version of the runtime; or publish as a new version",
  );
}

/** Creates the failure for a used version, with the next free one. */
export async function versionExists(
  bucket: Bucket,
  { name, version }: { readonly name: string; readonly version: string },
  found: string,
): Promise<Result<never, ClaimFailure>> {
  const free = await freeVersion(bucket, { name, taken: version });
  return fail(
    "version-exists",
    `Cannot publish ${name} ${version}: ${found}`,
    `A version is never used again; publish as ${free.ok ? free.value : "a higher one"}`,
  );
}

/**
 * Serializes the parts that must be equal in two publishes of one version: all but the zip and the
 * served sizes, since two runtimes deflate differently.
 */
function contentOf({ schema, name, version, engineApi, files }: Manifest): string {
  return serializeManifest(withServed({ schema, name, version, engineApi, files }, new Map()));
}

function bucketFailure(failure: BucketFailure): Result<never, ClaimFailure> {
  return fail("bucket", failure.message, failure.next);
}
