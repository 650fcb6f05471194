import { isBundleName, isVersion } from "../core/paths.ts";
import { fail, type Failure, messageOf, ok, type Result } from "../core/result.ts";
import { checkManifest, type Manifest } from "../ota-format/manifest.ts";
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
import {
  type Claim,
  claimVersion,
  findClaim,
  hasClaimedZip,
  putClaimedZip,
  versionExists,
} from "./claim.ts";
import type { PackedZip } from "./objects.ts";
import { packZip } from "./pack.ts";
import { type EarlierVersion, earlierVersions, planPublish, type PublishPlan } from "./plan.ts";
import { isPruned } from "./pruned-mark.ts";
import {
  type Publisher,
  readCurrentRelease,
  type SwapFailureCode,
  swapRelease,
} from "./release-swap.ts";
import { type ScanFailureCode, scanFolder } from "./scan.ts";
import { uploadContents, type UploadCount } from "./upload.ts";

/** Why a version was not published. */
export type PublishFailureCode =
  | ScanFailureCode
  | SwapFailureCode
  | "bad-request"
  | "unsafe-store"
  | "version-exists"
  | "pack"
  | "zip-differs"
  | "read-back"
  | "cancelled";

/** Something to know that does not stop a publish. */
export type PublishWarning = Failure<"cross-origin">;

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
  /** Told what does not stop the publish. */
  readonly onWarning?: (warning: PublishWarning) => void;
  /** Told each step as it begins. */
  readonly onStep?: (step: string) => void;
  /** Told how far the running step is, in bytes. */
  readonly onProgress?: (done: number, total: number) => void;
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
  const published = await publishVersion(dependencies, request);
  return published.ok || !dependencies.signal?.aborted ? published : fail(
    "cancelled",
    `The publish of ${request.name} ${request.version} was given up`,
    "Publish the same version again: it resumes where it stopped",
  );
}

async function publishVersion(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishReport> {
  const { bucket, onStep = () => undefined } = dependencies;
  const publisher: Publisher = { bucket, ...request };

  onStep("hash");
  const scanned = await scanVersion(dependencies, request);
  if (!scanned.ok) return scanned;

  onStep("check");
  const proven = await bucket.proveConditions();
  if (!proven.ok) {
    const { code, message, next } = proven.error;
    return fail(code === "unsupported" ? "unsafe-store" : "bucket", message, next);
  }
  const standing = await lookAround(dependencies, publisher, scanned.value);
  if (!standing.ok) return standing;
  const { claimed: begun, zipIsThere } = standing.value;
  await warnOfCrossOrigin(dependencies);

  onStep("upload");
  const moved = await moveContents(dependencies, request, {
    manifest: scanned.value,
    earlier: standing.value.earlier,
    packs: !zipIsThere,
  });
  if (!moved.ok) return moved;
  const { files, zip } = moved.value;

  onStep("claim");
  const claim = begun === null
    ? await claimVersion(bucket, { ...scanned.value, ...(zip && { bundleZip: zip.ref }) })
    : ok(begun);
  if (!claim.ok) return claim;
  const zipped = zip === null ? ok(null) : await putClaimedZip(bucket, claim.value, zip);
  if (!zipped.ok) return zipped;

  onStep("release");
  const { manifest, ref } = claim.value;
  const change = { ...request, manifest: ref };
  const swapped = await swapRelease(publisher, change, dependencies.clock);
  if (!swapped.ok) return swapped;
  await dependencies.onSequence?.(swapped.value.sequence);

  onStep("read back");
  const wrong = await dependencies.readBack?.(swapped.value, manifest) ?? null;
  if (wrong !== null) return fail("read-back", wrong.message, wrong.next);
  return ok({ release: swapped.value, manifest: ref, files, resumed: begun !== null });
}

/** What {@linkcode publish} would do, without a write. */
export async function dryRun(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishPlan & { readonly zipBytes: number; readonly sequence: number }> {
  const { bucket } = dependencies;
  const scanned = await scanVersion(dependencies, request);
  if (!scanned.ok) return scanned;
  const standing = await lookAround(dependencies, { bucket, ...request }, scanned.value);
  if (!standing.ok) return standing;
  const zip = await packVersion(dependencies, request, scanned.value);
  if (!zip.ok) return zip;
  const { current } = standing.value;
  const plan = await planPublish(bucket, scanned.value, current);
  if (!plan.ok) return bucketFailure(plan.error);
  return ok({
    ...plan.value,
    zipBytes: zip.value.ref.size,
    sequence: (current?.sequence ?? 0) + 1,
  });
}

/** The version as its folder says it, without the zip that is still to be packed. */
async function scanVersion(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<Manifest> {
  const { name, version, engineApi, minEngineApi = 1, dist } = request;
  if (!isBundleName(name)) {
    return badRequest(`bundle name ${JSON.stringify(name)}`, "[a-z0-9][a-z0-9._-]*");
  }
  if (!isVersion(version)) return badRequest(`version ${JSON.stringify(version)}`, "v1, v2, v3, …");
  for (const level of [engineApi, minEngineApi]) {
    if (!isPositiveInteger(level)) return badRequest(`engine API ${level}`, "a whole number >= 1");
  }
  const scanned = await scanFolder({
    ...dependencies,
    onProgress: (done, total) => dependencies.onProgress?.(done, total),
  }, dist);
  if (!scanned.ok) return scanned;
  const manifest: Manifest = { schema: SCHEMA, name, version, engineApi, files: scanned.value };
  const checked = checkManifest(manifest);
  if (!checked.ok) return fail("over-limit", checked.error.message, checked.error.next);
  return ok(manifest);
}

/** How the bucket stands before anything is written. */
interface Standing {
  /** The release, verified; `null` when nothing was ever published. */
  readonly current: Release | null;
  /** The claim to this very content, made before. */
  readonly claimed: Claim | null;
  /** Whether that claim's zip is in place. */
  readonly zipIsThere: boolean;
  /** Where contents may be copied from. */
  readonly earlier: readonly EarlierVersion[];
}

async function lookAround(
  { bucket, onSequence }: PublishDependencies,
  publisher: Publisher,
  manifest: Manifest,
): PublishResult<Standing> {
  const current = await readCurrentRelease(publisher);
  if (!current.ok) return current;
  const { release } = current.value;
  await onSequence?.(release?.sequence ?? 0);
  const claimed = await findClaim(bucket, manifest);
  if (!claimed.ok) return claimed;
  const pruned = await isPruned(bucket, manifest);
  if (!pruned.ok) return bucketFailure(pruned.error);
  if (pruned.value) return await versionExists(bucket, manifest, "its files were pruned");
  const zip = claimed.value === null ? ok(false) : await hasClaimedZip(bucket, claimed.value);
  if (!zip.ok) return zip;
  const earlier = await earlierVersions(bucket, manifest, release);
  if (!earlier.ok) return bucketFailure(earlier.error);
  return ok({
    current: release,
    claimed: claimed.value,
    zipIsThere: zip.value,
    earlier: earlier.value,
  });
}

/** A web view that may not read the bucket sees no update; but publishing goes on (spec §4.6). */
async function warnOfCrossOrigin({ bucket, onWarning }: PublishDependencies): Promise<void> {
  const allowed = await bucket.allowCrossOrigin();
  if (!allowed.ok) {
    onWarning?.({ ...allowed.error, code: "cross-origin" });
  } else if (allowed.value.kind === "unsure") {
    const { message, next } = allowed.value;
    onWarning?.({ code: "cross-origin", message, next });
  }
}

/** Uploads the files while the zip is packed; when one of the two fails, the other is given up. */
async function moveContents(
  dependencies: PublishDependencies,
  request: PublishRequest,
  { manifest, earlier, packs }: {
    readonly manifest: Manifest;
    readonly earlier: readonly EarlierVersion[];
    readonly packs: boolean;
  },
): PublishResult<{ files: UploadCount; zip: PackedZip | null }> {
  const { signal: given, onProgress } = dependencies;
  const stop = new AbortController();
  const signal = given === undefined ? stop.signal : AbortSignal.any([given, stop.signal]);
  const failures: Failure<PublishFailureCode>[] = [];
  const orStop = <T>(result: Result<T, Failure<PublishFailureCode>>): T | null => {
    if (result.ok) return result.value;
    failures.push(result.error);
    stop.abort(new Error("another part of the publish failed"));
    return null;
  };
  const packing = async () =>
    packs ? orStop(await packVersion({ ...dependencies, signal }, request, manifest)) : null;
  const uploading = async () => {
    const uploaded = await uploadContents({
      ...dependencies,
      signal,
      folder: request.dist,
      manifest,
      earlier,
      ...(onProgress && { onProgress }),
    });
    return orStop(uploaded.ok ? uploaded : bucketFailure(uploaded.error));
  };
  const [zip, files] = await Promise.all([packing(), uploading()]);
  const [first] = failures; // the others were given up because of it
  if (first !== undefined) return { ok: false, error: first };
  if (files === null) throw new TypeError("an upload without an outcome");
  return ok({ files, zip });
}

/** Packs the zip into the work folder. */
async function packVersion(
  dependencies: PublishDependencies,
  { dist }: PublishRequest,
  manifest: Manifest,
): PublishResult<PackedZip> {
  const { files, hashing, workFolder } = dependencies;
  const path = `${workFolder}/bundle.zip`;
  let ref: ContentRef;
  try {
    ref = await packZip(dependencies, { folder: dist, files: manifest.files, target: path });
  } catch (thrown) {
    return fail("pack", `Cannot pack ${dist}: ${messageOf(thrown)}`);
  }
  const checked = checkManifest({ ...manifest, bundleZip: ref });
  if (!checked.ok) return fail("over-limit", checked.error.message, checked.error.next);
  return ok({ files, hashing, path, ref });
}

function badRequest(what: string, expected: string): Result<never, Failure<PublishFailureCode>> {
  return fail("bad-request", `Cannot publish: ${what} was given, expected ${expected}`);
}

function bucketFailure(failure: BucketFailure): Result<never, Failure<PublishFailureCode>> {
  return fail("bucket", failure.message, failure.next);
}
