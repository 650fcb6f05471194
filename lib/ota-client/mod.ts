/**
 * Over-the-air updates inside the app: verifies a signed release, has the native plugin stage it,
 * and tells the app shell what to show. Runs in any mobile web view; depends on nothing but
 * `@noble/ed25519`.
 *
 * @module
 */
export * from "./app-updater.ts";
export * from "./check.ts";
export type { ClientFetch, FetchFailureCode } from "./fetch-bytes.ts";
export { fromPlugin } from "./from-plugin.ts";
export { diffManifests, planStage } from "../ota-format/diff.ts";
export type { Download, ManifestDiff, ManifestFiles, StagePlan } from "../ota-format/diff.ts";
export { EMBEDDED, parseEmbeddedManifest, parseManifest } from "../ota-format/manifest.ts";
export type {
  EmbeddedManifest,
  Manifest,
  ManifestFailureCode,
  ManifestIdentity,
} from "../ota-format/manifest.ts";
export type {
  BootState,
  DeviceState,
  Launch,
  NativeUpdater,
  OtaProgress,
  StageFailureCode,
  StageResult,
  StageUpdateDeltaRequest,
  StageUpdateRequest,
} from "../ota-format/native.ts";
export type { ContentRef } from "../ota-format/release.ts";
export type { Err, Failure, Ok, Result } from "../core/result.ts";
