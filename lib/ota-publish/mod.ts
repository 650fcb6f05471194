/**
 * Publishing: a built folder becomes content-addressed files and one signed release on a bucket.
 *
 * @module
 */
export {
  type EmbedFailureCode,
  embedManifest,
  type EmbedRequest,
  type ReleasedManifest,
} from "./embed.ts";
export { createFileBucket, type FileBucketOptions } from "./file/bucket.ts";
export { createGcsBucket, GCS_ENDPOINT, type GcsBucketOptions } from "./gcs/bucket.ts";
export {
  findGcsCredentials,
  type GcsCredentials,
  type GcsCredentialsDependencies,
  type GcsPlace,
} from "./gcs/credentials.ts";
export type { TokenDependencies } from "./gcs/token.ts";
export {
  type HistoryEntry,
  type HistoryRecord,
  historyRecord,
  readHistory,
  type ReleaseHistory,
} from "./history.ts";
export {
  createKey,
  type KeyDependencies,
  type KeyFailureCode,
  keyPath,
  type KeyResult,
  type KeySource,
  loadKey,
} from "./keys.ts";
export {
  describeBucket,
  openBucket,
  type OpenBucketDependencies,
  type OpenBucketFailure,
} from "./open-bucket.ts";
export {
  addOwnBucket,
  isOwnBucket,
  type OwnBucketsDependencies,
  ownBucketsPath,
} from "./own-buckets.ts";
export { checkPublishOrder } from "./bucket-state.ts";
export { bucketLiesIn, realPlace } from "./places.ts";
export { freeVersion, type PlannedUpdate, type PublishPlan } from "./plan.ts";
export { prune, type PruneDependencies, type PruneReport, type PruneRequest } from "./prune.ts";
export type { PruneFailure } from "./prune-release.ts";
export type { PruneVerdict, VersionVerdict } from "./prune-versions.ts";
export type { BundleVersion } from "../ota-format/mod.ts";
export { dryRun } from "./dry-run.ts";
export { publish, type PublishReport } from "./publish.ts";
export type { PublishFailureCode, PublishResult } from "./publish-failure.ts";
export type { PublishDependencies, PublishRequest } from "./publish-request.ts";
export type { Publisher, ReleaseReader, SwapFailureCode } from "./release-log.ts";
export type { OrderedChange, OrderFailureCode, WantedVersion } from "./release-order.ts";
export {
  rollBack,
  type RollBackDependencies,
  type RollBackReport,
  type RollBackRequest,
} from "./roll-back.ts";
export { createS3Bucket, type S3BucketOptions } from "./s3/bucket.ts";
export {
  findS3Settings,
  type S3Credentials,
  type S3CredentialsDependencies,
  type S3Settings,
} from "./s3/credentials.ts";
export { BUILD_MARK, type ScanDependencies, type ScanFailureCode } from "./scan.ts";
export type { KnownFile, ScanMemory } from "./scan-memory.ts";
export {
  openSeenSequence,
  type SeenDependencies,
  type SeenFailureCode,
  type SeenSequence,
} from "./seen.ts";
export type {
  Bucket,
  BucketFailure,
  BucketResult,
  CopyOptions,
  CrossOrigin,
  ExpectedBody,
  LocalBucket,
  ObjectBody,
  ObjectFacts,
  PutOptions,
  PutOutcome,
  StoredObject,
} from "./store/bucket.ts";
export type { NamedBy } from "./store/endpoints.ts";
export type { StoreRequestDependencies } from "./store/requests.ts";
export type { Contents } from "./store/unchanged.ts";
export type { UploadCount } from "./upload.ts";
export type { PublishWarning } from "./warnings.ts";
// Types of other areas that these mention.
export type { Err, Failure, Ok, Result } from "../core/result.ts";
export type { Sha256 } from "../core/sha256.ts";
export type { Clock } from "../ports/clock.ts";
export type { Fetch } from "../ports/fetch.ts";
export type {
  DirectoryEntry,
  FileBody,
  FileKind,
  Files,
  FileStat,
  Links,
  WriteOptions,
} from "../ports/files.ts";
export type { DeflateFraming, DeflateStream, Deflating } from "../ports/deflate.ts";
export type { Hashing, Sha1 } from "../ports/hashing.ts";
export type { Host, Platform } from "../ports/host.ts";
