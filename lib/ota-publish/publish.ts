import { own } from "../core/json.ts";
import { LIMITS } from "../core/limits.ts";
import { isBundleName, isVersion } from "../core/paths.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import { bundleZipPath, manifestPath } from "../ota-format/layout.ts";
import { checkManifest, type Manifest, serializeManifest } from "../ota-format/manifest.ts";
import {
  type ContentRef,
  isPositiveInteger,
  type Release,
  type ReleaseAudience,
  SCHEMA,
} from "../ota-format/release.ts";
import type { KeyPair } from "../ota-format/signing.ts";
import type { Clock } from "../ports/clock.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import type { Bucket, BucketFailure } from "./bucket.ts";
import { packZip } from "./pack.ts";
import {
  listVersions,
  nextFreeVersion,
  planPublish,
  type PublishPlan,
  readPublishedManifest,
} from "./plan.ts";
import {
  type Publisher,
  readCurrentRelease,
  type SwapFailureCode,
  swapRelease,
} from "./release-swap.ts";
import { type ScanFailureCode, scanFolder } from "./scan.ts";
import { fileBody, IMMUTABLE, textObject, uploadContents, type UploadCount } from "./upload.ts";

/** Why a version was not published. */
export type PublishFailureCode =
  | ScanFailureCode
  | SwapFailureCode
  | "bad-request"
  | "unsafe-store"
  | "version-exists"
  | "pack"
  | "zip-differs"
  | "read-back";

/** What publishing works with. */
export interface PublishDependencies {
  /** The file system of the built folder. */
  readonly files: Files;
  /** What every file is hashed with. */
  readonly hashing: Hashing;
  /** Waits between tries. */
  readonly clock: Clock;
  /** Where to publish. */
  readonly bucket: Bucket;
  /** A folder for the zip while it is packed; removed by the caller. */
  readonly workFolder: string;
  /** Checks what players will get, through the public address; `null` when all is well. */
  readonly readBack?: (release: Release, manifest: Manifest) => Promise<Failure | null>;
  /** Told every verified sequence as it is seen, so that it can be remembered (DESIGN §5.12). */
  readonly onSequence?: (sequence: number) => Promise<void>;
  /** Told each step as it begins. */
  readonly onStep?: (step: string) => void;
  /** Told how far the running step is. */
  readonly onProgress?: (done: number, total: number, unit: "bytes" | "files") => void;
  /** Gives the publish up; calling it again resumes. */
  readonly signal?: AbortSignal;
}

/** What to publish. */
export interface PublishRequest {
  /** The built folder, absolute. */
  readonly dist: string;
  /** The bundle's name. */
  readonly name: string;
  /** `v<N>`, never used before, or begun with this very content. */
  readonly version: string;
  /** The engine API level that the bundle needs. */
  readonly engineApi: number;
  /** The lowest level of an app that may take any bundle; absent: keep what the release says. */
  readonly minEngineApi?: number;
  /** Absent: keep what the release says. */
  readonly mandatory?: boolean;
  /** Which app and channel the release is for. */
  readonly audience: ReleaseAudience;
  /** What to sign with. */
  readonly key: KeyPair;
  /** The highest sequence known to have been published; 0 for none. */
  readonly minSequence: number;
}

/** What was published. */
export interface PublishReport {
  /** The release as it stands now. */
  readonly release: Release;
  /** What it says of this version's manifest. */
  readonly manifest: ContentRef;
  /** What was moved. */
  readonly files: UploadCount;
  /** Whether the version had been begun before. */
  readonly resumed: boolean;
}

/** What publishing answers. */
export type PublishResult<T> = Promise<Result<T, Failure<PublishFailureCode>>>;

/**
 * Publishes one version (DESIGN §5.11–13): content first, the manifest as the claim to the version,
 * then the zip, and the pointer last. Stopped anywhere, the same call resumes.
 */
export async function publish(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishReport> {
  const { bucket, files, onStep = () => undefined } = dependencies;
  const publisher: Publisher = { bucket, ...request };

  onStep("hash");
  const built = await buildManifest(dependencies, request);
  if (!built.ok) return built;

  onStep("check");
  const proven = await bucket.proveConditions();
  if (!proven.ok) return fail("unsafe-store", proven.error.message, proven.error.next);
  const current = await readCurrentRelease(publisher);
  if (!current.ok) return current;
  await dependencies.onSequence?.(current.value.release?.sequence ?? 0);
  const begun = await findBegun(bucket, built.value.manifest);
  if (!begun.ok) return begun;

  onStep("upload");
  const { manifest, zipPath } = built.value;
  const uploaded = await uploadContents({
    bucket,
    files,
    hashing: dependencies.hashing,
    folder: request.dist,
    manifest,
    earlier: await earlierManifest(bucket, current.value.release, request.name),
    onProgress: (done, total) => dependencies.onProgress?.(done, total, "files"),
  });
  if (!uploaded.ok) return bucketFailure(uploaded.error);

  onStep("claim");
  const claimed = await claimVersion(bucket, manifest);
  if (!claimed.ok) return claimed;
  const zip = await putZip(dependencies, manifest, zipPath);
  if (!zip.ok) return zip;

  onStep("release");
  const swapped = await swapRelease(
    publisher,
    { ...request, manifest: claimed.value },
    dependencies.clock,
  );
  if (!swapped.ok) return swapped;
  await dependencies.onSequence?.(swapped.value.sequence);

  onStep("read back");
  const wrong = await dependencies.readBack?.(swapped.value, manifest) ?? null;
  if (wrong !== null) return fail("read-back", wrong.message, wrong.next);
  return ok({
    release: swapped.value,
    manifest: claimed.value,
    files: uploaded.value,
    resumed: begun.value,
  });
}

/** What {@linkcode publish} would do, without a write. */
export async function dryRun(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishPlan & { readonly zipBytes: number; readonly sequence: number }> {
  const built = await buildManifest(dependencies, request);
  if (!built.ok) return built;
  const current = await readCurrentRelease({ bucket: dependencies.bucket, ...request });
  if (!current.ok) return current;
  const begun = await findBegun(dependencies.bucket, built.value.manifest);
  if (!begun.ok) return begun;
  const plan = await planPublish(dependencies.bucket, built.value.manifest);
  if (!plan.ok) return bucketFailure(plan.error);
  return ok({
    ...plan.value,
    zipBytes: built.value.manifest.bundleZip?.size ?? 0,
    sequence: (current.value.release?.sequence ?? 0) + 1,
  });
}

async function buildManifest(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<{ manifest: Manifest; zipPath: string }> {
  const { name, version, engineApi, minEngineApi = 1, dist } = request;
  if (!isBundleName(name)) {
    return badRequest(`bundle name ${JSON.stringify(name)}`, "[a-z0-9][a-z0-9._-]*");
  }
  if (!isVersion(version)) return badRequest(`version ${JSON.stringify(version)}`, "v1, v2, v3, …");
  if (!isPositiveInteger(engineApi) || !isPositiveInteger(minEngineApi)) {
    return badRequest(`engine API ${engineApi}`, "a whole number >= 1");
  }
  const scanned = await scanFolder({
    ...dependencies,
    onProgress: (done, total) => dependencies.onProgress?.(done, total, "bytes"),
  }, dist);
  if (!scanned.ok) return scanned;
  const zipPath = `${dependencies.workFolder}/bundle.zip`;
  let bundleZip: ContentRef;
  try {
    const contents = scanned.value;
    bundleZip = await packZip(dependencies, { folder: dist, contents, target: zipPath });
  } catch (thrown) {
    return fail("pack", `Cannot pack ${dist}: ${messageOf(thrown)}`);
  }
  const manifest: Manifest = {
    schema: SCHEMA,
    name,
    version,
    engineApi,
    files: scanned.value,
    bundleZip,
  };
  const checked = checkManifest(manifest);
  if (!checked.ok) return fail("over-limit", checked.error.message, checked.error.next);
  return ok({ manifest, zipPath });
}

/** Whether this very version was begun before; another one under its name is a refusal. */
async function findBegun(bucket: Bucket, manifest: Manifest): PublishResult<boolean> {
  const key = manifestPath(manifest.name, manifest.version);
  const there = await bucket.stat(key);
  if (!there.ok) return bucketFailure(there.error);
  if (there.value === null) return ok(false);
  const published = await readPublishedManifest(bucket, manifest);
  if (!published.ok) return bucketFailure(published.error);
  return published.value !== null && sameContent(published.value, manifest)
    ? ok(true)
    : await versionExists(bucket, manifest);
}

function sameContent(a: Manifest, b: Manifest): boolean {
  const text = (manifest: Manifest) => {
    const { schema, name, version, engineApi, files } = manifest;
    return serializeManifest({ schema, name, version, engineApi, files });
  };
  return text(a) === text(b);
}

async function versionExists(bucket: Bucket, { name, version }: Manifest): PublishResult<never> {
  const versions = await listVersions(bucket, name);
  const next = nextFreeVersion(versions.ok ? [...versions.value, version] : [version]);
  return fail(
    "version-exists",
    `Cannot publish ${name} ${version}: that version exists with other content`,
    `A version is never used again; publish as ${next}`,
  );
}

/** The released version of a bundle, whose contents can be copied inside the store. */
async function earlierManifest(
  bucket: Bucket,
  release: Release | null,
  name: string,
): Promise<Manifest | null> {
  const version = own(release?.bundles, name);
  if (version === undefined) return null;
  const manifest = await readPublishedManifest(bucket, { name, version });
  return manifest.ok ? manifest.value : null; // only an optimisation
}

/** Writes the manifest, which makes the version this publisher's. @returns What the release names. */
async function claimVersion(bucket: Bucket, manifest: Manifest): PublishResult<ContentRef> {
  const key = manifestPath(manifest.name, manifest.version);
  const { body, ref } = await textObject(serializeManifest(manifest));
  if (ref.size > LIMITS.manifestBytes) {
    return fail(
      "over-limit",
      `Cannot publish: manifest.json would have ${ref.size} bytes, devices take ${LIMITS.manifestBytes}`,
    );
  }
  const put = await bucket.put(key, body, { ...IMMUTABLE, contentType: "application/json" });
  if (!put.ok) return bucketFailure(put.error);
  if (put.value === "written") return ok(ref);
  const begun = await findBegun(bucket, manifest);
  if (!begun.ok) return begun;
  const object = await bucket.read(key, LIMITS.manifestBytes);
  if (!object.ok) return bucketFailure(object.error);
  const text = serializeManifest(manifest);
  const same = object.value !== null && new TextDecoder().decode(object.value.bytes) === text;
  return same ? ok(ref) : fail(
    "zip-differs",
    `Cannot resume ${manifest.name} ${manifest.version}: its bundle.zip was packed differently`,
    "Publish as a new version",
  );
}

async function putZip(
  { bucket, files }: PublishDependencies,
  { name, version, bundleZip }: Manifest,
  zipPath: string,
): PublishResult<null> {
  if (bundleZip === undefined) return ok(null);
  const body = fileBody(files, zipPath, bundleZip.size);
  const put = await bucket.put(bundleZipPath(name, version), body, {
    ...IMMUTABLE,
    contentType: "application/zip",
  });
  if (!put.ok) return bucketFailure(put.error);
  if (put.value === "written") return ok(null);
  const there = await bucket.stat(bundleZipPath(name, version));
  if (!there.ok) return bucketFailure(there.error);
  return there.value?.size === bundleZip.size ? ok(null) : fail(
    "zip-differs",
    `Cannot resume ${name} ${version}: the bundle.zip in ${bucket.label} is another one`,
    "Remove that object, or publish as a new version",
  );
}

function badRequest(what: string, expected: string): Result<never, Failure<PublishFailureCode>> {
  return fail("bad-request", `Cannot publish: ${what} was given, expected ${expected}`);
}

function bucketFailure(failure: BucketFailure): Result<never, Failure<PublishFailureCode>> {
  return fail("bucket", failure.message, failure.next);
}
