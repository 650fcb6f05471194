/** Publishing: a built folder becomes content-addressed files and one signed release on a bucket. */
export type * from "./store/bucket.ts";
export * from "./embed.ts";
export { createFileBucket, type FileBucketOptions } from "./file/bucket.ts";
export { createGcsBucket, GCS_ENDPOINT, type GcsBucketOptions } from "./gcs/bucket.ts";
export {
  findGcsCredentials,
  type GcsCredentials,
  type GcsCredentialsDependencies,
  type GcsPlace,
} from "./gcs/credentials.ts";
export type { TokenDependencies } from "./gcs/token.ts";
export * from "./keys.ts";
export type { NamedBy } from "./store/endpoints.ts";
export { openBucket, type OpenBucketDependencies, type OpenBucketFailure } from "./open-bucket.ts";
export {
  dryRun,
  publish,
  type PublishDependencies,
  type PublishFailureCode,
  type PublishReport,
  type PublishRequest,
  type PublishResult,
} from "./publish.ts";
export {
  prune,
  type PruneDependencies,
  type PruneFailure,
  type PruneReport,
  type PruneRequest,
  type Verdict,
  type VersionVerdict,
} from "./prune.ts";
export type { BundleVersion } from "./pruned-mark.ts";
export type { PublishPlan } from "./plan.ts";
export type { SwapFailureCode } from "./release-swap.ts";
export { createS3Bucket, type S3BucketOptions } from "./s3/bucket.ts";
export {
  findS3Settings,
  type S3Credentials,
  type S3CredentialsDependencies,
  type S3Settings,
} from "./s3/credentials.ts";
export type { ScanDependencies, ScanFailureCode } from "./scan.ts";
export type { LockDependencies } from "./file/lock.ts";
export type { Contents } from "./store/unchanged.ts";
export type { UploadCount } from "./upload.ts";
export { openSeenSequence, type SeenFailureCode, type SeenSequence } from "./seen.ts";
export type { StoreRequestDependencies } from "./store/requests.ts";
export type { PublishWarning } from "./warnings.ts";
