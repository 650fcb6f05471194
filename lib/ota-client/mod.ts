/**
 * Over-the-air updates inside the app: verifies a signed release, has the native plugin stage it,
 * and reports to the app shell what to show. Runs in any mobile web view; depends only on
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
export type { ClientClock } from "./bounded.ts";
export {
  type CheckDependencies,
  checkForUpdate,
  type ConnectionInfo,
  type OnWillStage,
} from "./check.ts";
export type { ClientFetch, FetchFailureCode } from "./fetch-bytes.ts";
export { fromPlugin } from "./from-plugin.ts";
export { confirmLaunch } from "./page-launch.ts";
export { type Hold, mayHold, mayRead, type Pace } from "./pace.ts";
export type { CheckCode, CheckResult } from "./result.ts";
export { createUpdateCheck, type UpdateCheck } from "./shared-check.ts";
export type { Err, Failure, Ok, Result } from "../core/result.ts";
export {
  type BootState,
  type ContentRef,
  type Copy,
  type DeviceState,
  diffManifests,
  type Download,
  EMBEDDED,
  type EmbeddedManifest,
  type Launch,
  type Manifest,
  type ManifestDiff,
  type ManifestFailureCode,
  type ManifestFiles,
  type ManifestIdentity,
  type NativeUpdater,
  type OtaProgress,
  type OtherBase,
  parseEmbeddedManifest,
  parseManifest,
  planStage,
  type ReleasedRequest,
  type ReleaseFailureCode,
  type StageFailureCode,
  type StagePlan,
  type StageResult,
  type StageUpdateDeltaRequest,
  type StageUpdateRequest,
} from "../ota-format/mod.ts";
