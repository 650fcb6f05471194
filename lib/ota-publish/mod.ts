/** Publishing: a built folder becomes content-addressed files and one signed release on a bucket. */
export type * from "./bucket.ts";
export * from "./embed.ts";
export { createFileBucket, type FileBucketOptions } from "./file-bucket.ts";
export * from "./keys.ts";
export {
  dryRun,
  publish,
  type PublishDependencies,
  type PublishFailureCode,
  type PublishReport,
  type PublishRequest,
  type PublishResult,
  type PublishWarning,
} from "./publish.ts";
export type { PublishPlan } from "./plan.ts";
export type { SwapFailureCode } from "./release-swap.ts";
export type { ScanDependencies, ScanFailureCode } from "./scan.ts";
export type { UploadCount } from "./upload.ts";
export { openSeenSequence, type SeenSequence } from "./seen.ts";
