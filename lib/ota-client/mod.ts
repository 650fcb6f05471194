/**
 * Over-the-air updates inside the app: verifies a signed release, has the native plugin stage it,
 * and tells the app shell what to show. Runs in any mobile web view; depends on nothing but
 * `@noble/ed25519`.
 *
 * @module
 */
export {
  type AppUpdater,
  type AppUpdaterDependencies,
  createAppUpdater,
  type OtaGate,
  type OtaGateState,
  type OtaSettings,
} from "./app-updater.ts";
export {
  type CheckDependencies,
  checkForUpdate,
  type CheckResult,
  type ConnectionInfo,
  createUpdateCheck,
  type OnWillStage,
  type UpdateCheck,
} from "./check.ts";
export type { ClientFetch } from "./fetch-bytes.ts";
export { fromPlugin } from "./from-plugin.ts";
export type { Err, Failure, Ok, Result } from "../core/result.ts";
export {
  diffManifests,
  type Download,
  type ManifestDiff,
  type ManifestFiles,
  planStage,
  type StagePlan,
} from "../ota-format/diff.ts";
export {
  EMBEDDED,
  type EmbeddedManifest,
  type Manifest,
  type ManifestFailureCode,
  type ManifestIdentity,
  parseEmbeddedManifest,
  parseManifest,
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
