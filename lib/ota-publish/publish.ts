import { isBundleName, isVersion } from "../core/paths.ts";
import { fail, type Failure, ok, type Result } from "../core/result.ts";
import {
  bundleZipPath,
  checkManifest,
  type ContentRef,
  isPositiveInteger,
  type KeyPair,
  type Manifest,
  type Release,
  type ReleaseTarget,
  SCHEMA,
} from "../ota-format/mod.ts";
import type { Clock } from "../ports/clock.ts";
import type { Deflating } from "../ports/deflate.ts";
import type { Files } from "../ports/files.ts";
import type { Hashing } from "../ports/hashing.ts";
import { planServed, provenCoding, withServed } from "./coding.ts";
import { readBucketState } from "./bucket-state.ts";
import { type LastZip, openLastZip, type PackedEntry } from "./last-zip.ts";
import { moveContents, packVersion, type ScannedVersion } from "./move-contents.ts";
import {
  bucketFailure,
  conditionsFailure,
  type PublishFailureCode,
  type PublishResult,
} from "./publish-failure.ts";
import type { Bucket } from "./store/bucket.ts";
import type { PackTarget } from "./store/objects.ts";
import { claimVersion, putClaimedZip } from "./claim.ts";
import { markFirstPublish, unmarkFirstPublish } from "./first-publish.ts";
import {
  distinctContents,
  type PlannedUpdate,
  planPublish,
  planUpdates,
  type PublishPlan,
} from "./plan.ts";
import { createKeySearch, refusePrivateFiles } from "./private-files.ts";
import type { Publisher } from "./release-log.ts";
import { mandatoryFrom, swapRelease } from "./release-swap.ts";
import { remembering } from "./remembering.ts";
import { findFolder, scanFolder } from "./scan.ts";
import type { SeenSequence } from "./seen.ts";
import type { UploadCount } from "./upload.ts";
import {
  type PublishWarning,
  rememberRelease,
  warnOfCrossOrigin,
  warnOfGoingBack,
  warnOfLostEntryPage,
  warnOfSourceMaps,
  warnOfUnfinished,
} from "./warnings.ts";

/** What publishing works with. */
export interface PublishDependencies {
  /** The file system of the built folder. */
  readonly files: Files;
  /** Hashes every file. */
  readonly hashing: Hashing;
  /** Packs the zip. */
  readonly deflating: Deflating;
  /** Waits between tries. */
  readonly clock: Clock;
  /** Where to publish. */
  readonly bucket: Bucket;
  /** A folder for the zip while it is packed; removed by the caller. */
  readonly workFolder: string;
  /** Of this user, for the last zip of each bundle (PUB-26); absent: everything is deflated again. */
  readonly packedFolder?: string;
  /**
   * Checks what players will get, through the public address; `null` when all is well.
   *
   * @param contents Hashes of contents, what was copied first (PUB-27); none after a rollback.
   */
  readonly readBack?: (
    release: Release,
    manifest: Manifest,
    contents?: readonly string[],
  ) => Promise<Failure | null>;
  /** Remembers every verified sequence as it is seen (PUB-5); absent: nobody does. */
  readonly memory?: SeenSequence;
  /** Told what does not stop the publish. */
  readonly onWarning?: (warning: PublishWarning) => void;
  /** Told each step as it begins. */
  readonly onStep?: (step: string) => void;
  /** Told how far the running step is, in bytes. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Cancels the publish; calling it again resumes. */
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
  readonly target: ReleaseTarget;
  /** What to sign with. */
  readonly key: KeyPair;
  /** The highest sequence known to have been published, beside what is remembered; 0 for none. */
  readonly minSequence: number;
  /**
   * The bucket lost its releases, or has older ones back: that refuses nothing, and the release goes
   * above the highest sequence known (PUB-23).
   */
  readonly first?: boolean;
  /** Files and folders, as paths below `dist`, that look private and are meant for everybody. */
  readonly allow?: readonly string[];
}

/** What was published. */
export interface PublishReport {
  /** The release as it stands now. */
  readonly release: Release;
  /** The sequence that it took `mandatory` over from, where it did. */
  readonly mandatoryFrom?: number;
  /** What it says of this version's manifest. */
  readonly manifest: ContentRef;
  /** What was moved. */
  readonly files: UploadCount;
  /** Whether the version had been begun before. */
  readonly resumed: boolean;
  /** What devices on the last versions will do, newest first. */
  readonly updates: readonly PlannedUpdate[];
}

/**
 * Publishes one version (PUB-1, PUB-15): content first, the manifest as the claim to the version,
 * then the zip, and the pointer last. Stopped anywhere, the same call resumes.
 *
 * @returns Before the first write: `bad-request`, `missing-folder`, `not-a-file`, `path`,
 * `unreadable`, `over-limit`, `empty`, `private-file`, `version-exists`, `invalid-release`, `rolled-back`,
 * `no-release`, `sequence-jump`, `pruned`, `unsafe-store`, `memory`, `memory-damaged`. Later: `bucket`, `pack`, `zip-differs`,
 * `too-large`, `release-race`, `cancelled`; then the same call resumes. When the release is out:
 * `read-back`.
 *
 * @example Into a folder that a web server serves.
 * ```ts
 * import { loadKey, openBucket, publish } from "slipway";
 * import { createRuntime } from "slipway/node";
 *
 * export async function release(dist: string, version: string) {
 *   const runtime = createRuntime();
 *   const bucket = await openBucket(runtime, "file:///srv/game", "user");
 *   if (!bucket.ok) return bucket;
 *   const key = await loadKey(runtime, { name: "harbor" });
 *   if (!key.ok) return key;
 *   const workFolder = await runtime.files.makeTemporaryDirectory("publish-");
 *   try {
 *     return await publish({ ...runtime, bucket: bucket.value, workFolder }, {
 *       dist,
 *       name: "shell",
 *       version,
 *       engineApi: 1,
 *       target: { app: "default", channel: "production" },
 *       key: key.value,
 *       minSequence: 0,
 *     });
 *   } finally {
 *     await runtime.files.remove(workFolder);
 *   }
 * }
 * ```
 */
export async function publish(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishReport> {
  const published = await remembering(dependencies.memory, request, {
    recall: (memory) => memory.raise(0), // refused now, and not when the release is out
    work: (known) => publishVersion(dependencies, known),
  });
  return published.ok || !dependencies.signal?.aborted ? published : fail(
    "cancelled",
    `The publish of ${request.name} ${request.version} was cancelled`,
    "Publish the same version again: it resumes where it stopped",
  );
}

/** Packs where the zip need only be linked, if the bucket has such a place. */
async function publishVersion(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishReport> {
  const { files, bucket: { local } } = dependencies;
  if (local === undefined) {
    return await publishWith(dependencies, request, workTarget(dependencies));
  }
  const path = local.temporary();
  try {
    return await publishWith(dependencies, request, { path, isInBucket: true });
  } finally {
    await files.remove(path).catch(() => undefined); // a sweep removes it, too
  }
}

async function findLastZip(
  dependencies: PublishDependencies,
  { name, key }: PublishRequest,
): Promise<LastZip | undefined> {
  const { packedFolder, bucket } = dependencies;
  return packedFolder === undefined
    ? undefined
    : await openLastZip(dependencies, packedFolder, { bucket: bucket.identity, name, key });
}

function workTarget({ workFolder }: PublishDependencies): PackTarget {
  return { path: `${workFolder}/bundle.zip`, isInBucket: false };
}

async function publishWith(
  dependencies: PublishDependencies,
  request: PublishRequest,
  target: PackTarget,
): PublishResult<PublishReport> {
  const { bucket, memory, onStep = () => undefined } = dependencies;
  const publisher: Publisher = { bucket, ...request };

  onStep("hash");
  const scanned = await scanVersion(dependencies, request);
  if (!scanned.ok) return scanned;
  const { manifest: wanted } = scanned.value;
  warnOfSourceMaps(dependencies, wanted);

  onStep("check");
  const proven = await bucket.proveConditions();
  if (!proven.ok) return conditionsFailure(proven.error);
  const coding = await provenCoding(bucket, dependencies);
  if (!coding.ok) return bucketFailure(coding.error);
  const bucketState = await readBucketState(publisher, wanted);
  if (!bucketState.ok) return bucketState;
  const { current, unfinished, claimed: begun, zipIsThere, sources, beginning } = bucketState.value;
  const noted = await memory?.raise(current?.sequence ?? 0) ?? ok(0);
  if (!noted.ok) return noted;
  warnOfUnfinished(dependencies, current, unfinished);
  warnOfGoingBack(dependencies, current, wanted);
  warnOfLostEntryPage(dependencies, wanted, bucketState.value);
  await warnOfCrossOrigin(dependencies);

  onStep("upload");
  const lastZip = await findLastZip(dependencies, request);
  const packed = new Map<string, PackedEntry>();
  const moved = await moveContents({ ...dependencies, lastZip }, {
    ...scanned.value,
    sources,
    onPacked: (hash, entry) => void packed.set(hash, entry),
    target: zipIsThere ? null : target,
    coding: coding.value,
  });
  if (!moved.ok) return moved;
  const { uploaded: { count: files, served, copied }, zip } = moved.value;
  const contents = [...new Set([...copied, ...distinctContents(wanted).keys()])];

  onStep("claim");
  const marked = beginning === "new" ? await markFirstPublish(bucket) : ok(null);
  if (!marked.ok) return bucketFailure(marked.error);
  const claim = begun === null
    ? await claimVersion(
      bucket,
      { ...withServed(wanted, served), ...(zip && { bundleZip: zip.ref }) },
      coding.value,
    )
    : ok(begun);
  if (!claim.ok) return claim;
  const zipped = zip === null ? ok(null) : await putClaimedZip(bucket, claim.value, zip);
  if (!zipped.ok) return zipped;

  onStep("release");
  const { manifest, ref } = claim.value;
  const change = { ...request, manifest: ref };
  const swapped = await swapRelease(publisher, change, dependencies.clock);
  if (!swapped.ok) return swapped;
  if (beginning !== null) await unmarkFirstPublish(bucket);
  const { release, base } = swapped.value;
  await rememberRelease(dependencies, request, release.sequence);
  if (zip !== null) {
    const kept = bucket.local?.pathOf(bundleZipPath(request.name, request.version));
    await lastZip?.keep({ path: zip.path, ...(kept !== undefined && { kept }) }, packed)
      .catch(() => undefined); // without it the next publish takes longer, and nothing else
  }

  if (dependencies.readBack !== undefined) onStep("read back");
  const wrong = await dependencies.readBack?.(release, manifest, contents) ?? null;
  if (wrong !== null) return fail("read-back", wrong.message, wrong.next);
  const updates = planUpdates(bucketState.value.earlier, manifest);
  const kept = mandatoryFrom(request.mandatory, base);
  return ok({ release, ...kept, manifest: ref, files, resumed: begun !== null, updates });
}

/** What {@linkcode publish} would do, without a write. */
export async function dryRun(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<PublishPlan & { readonly zipBytes: number; readonly sequence: number }> {
  return await remembering(dependencies.memory, request, {
    recall: (memory) => memory.read(),
    work: (known) => planVersion(dependencies, known),
  });
}

async function planVersion(
  dependencies: PublishDependencies,
  request: PublishRequest,
): ReturnType<typeof dryRun> {
  const { bucket } = dependencies;
  const scanned = await scanVersion(dependencies, request);
  if (!scanned.ok) return scanned;
  const { manifest } = scanned.value;
  warnOfSourceMaps(dependencies, manifest);
  const bucketState = await readBucketState({ bucket, ...request }, manifest);
  if (!bucketState.ok) return bucketState;
  const { current, unfinished, next } = bucketState.value;
  warnOfUnfinished(dependencies, current, unfinished);
  warnOfGoingBack(dependencies, current, manifest);
  warnOfLostEntryPage(dependencies, manifest, bucketState.value);
  const lastZip = await findLastZip(dependencies, request);
  const zip = await packVersion({ ...dependencies, lastZip }, {
    ...scanned.value,
    target: workTarget(dependencies),
  });
  if (!zip.ok) return zip;
  const served = bucket.keepsHeaders
    ? await planServed(dependencies, { ...scanned.value, ...bucketState.value })
    : new Map<string, number>();
  const claimed = { ...withServed(manifest, served), bundleZip: zip.value.ref };
  const plan = await planPublish(bucket, claimed, bucketState.value);
  if (!plan.ok) return bucketFailure(plan.error);
  return ok({
    ...plan.value,
    zipBytes: zip.value.ref.size,
    sequence: next,
  });
}

async function scanVersion(
  dependencies: PublishDependencies,
  request: PublishRequest,
): PublishResult<ScannedVersion> {
  const { name, version, engineApi, minEngineApi = 1, dist } = request;
  if (!isBundleName(name)) {
    return badRequest(`bundle name ${JSON.stringify(name)}`, "[a-z0-9][a-z0-9._-]*");
  }
  if (!isVersion(version)) return badRequest(`version ${JSON.stringify(version)}`, "v1, v2, v3, …");
  for (const level of [engineApi, minEngineApi]) {
    if (!isPositiveInteger(level)) return badRequest(`engine API ${level}`, "a whole number >= 1");
  }
  const folder = await findFolder(dependencies.files, dist);
  if (!folder.ok) return folder;
  const crc32s = new Map<string, number>();
  const withKey = createKeySearch(request.key.privateKey);
  const scanned = await scanFolder({
    ...dependencies,
    onSmallFile: withKey.look,
    crc32s: { of: dependencies.deflating.crc32, found: crc32s },
    onProgress: (done, total) => dependencies.onProgress?.(done, total),
  }, folder.value);
  if (!scanned.ok) return scanned;
  const manifest: Manifest = { schema: SCHEMA, name, version, engineApi, files: scanned.value };
  const checked = checkManifest(manifest);
  if (!checked.ok) return fail("over-limit", checked.error.message, checked.error.next);
  const open = refusePrivateFiles(manifest, { allow: request.allow ?? [], withKey: withKey.paths });
  if (!open.ok) return open;
  return ok({ manifest, folder: folder.value, crc32s });
}

function badRequest(what: string, expected: string): Result<never, Failure<PublishFailureCode>> {
  return fail("bad-request", `Cannot publish: ${what} was given, expected ${expected}`);
}
