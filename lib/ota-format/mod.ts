/**
 * The update records: their shapes, their canonical bytes, their signatures.
 *
 * @module
 */
export {
  canonicalJson,
  type JsonFailureCode,
  parseStrictJson,
  parseStrictJsonBytes,
} from "./canonical-json.ts";
export {
  type BinaryBundle,
  decide,
  type Decision,
  type EngineTooOld,
  type HeldBundle,
  isOlderThanBinary,
  type ReleasedApp,
  resultOfUnusable,
  tooOld,
} from "./decide.ts";
export {
  cheaperWay,
  contentsOf,
  type Copy,
  diffManifests,
  type Download,
  type ManifestDiff,
  type ManifestFiles,
  type OtherBase,
  type PartialBytes,
  planStage,
  REQUEST_BYTES,
  type StagePlan,
  wayBytes,
} from "./diff.ts";
export { type BundleVersion, deadVersions, type HeldVersions } from "./keep.ts";
export {
  bundleZipPath,
  CODED_CACHE_CONTROL,
  contentPath,
  EMBEDDED_MANIFEST_FILE,
  IMMUTABLE_CACHE_CONTROL,
  manifestPath,
  publicUrl,
  RELEASE_CACHE_CONTROL,
  RELEASE_PATH,
  RELEASES_FOLDER,
  signedReleasePath,
  versionPath,
} from "./layout.ts";
export {
  checkManifest,
  EMBEDDED,
  type EmbeddedManifest,
  type Manifest,
  type ManifestFailureCode,
  type ManifestIdentity,
  parseEmbeddedManifest,
  parseManifest,
  serializeManifest,
} from "./manifest.ts";
export type {
  ActivateRequest,
  BootState,
  DeviceState,
  Launch,
  NativeUpdater,
  OtaProgress,
  Pending,
  ReleasedRequest,
  StageFailureCode,
  StageResult,
  StageUpdateDeltaRequest,
  StageUpdateRequest,
} from "./native.ts";
export {
  carriedMembers,
  checkSequence,
  type ContentRef,
  DEFAULT_TARGET,
  isPositiveInteger,
  isSigned,
  lostMembers,
  parseRelease,
  readContentRef,
  readRecord,
  type Release,
  type ReleaseFailureCode,
  type ReleaseTarget,
  SCHEMA,
  serializeRelease,
} from "./release.ts";
export {
  decodeKey,
  generateKeyPair,
  type KeyPair,
  publicKeyOf,
  signedBytes,
  signRecord,
  verifySignature,
} from "./signing.ts";
// Types of other areas that these mention.
export type { JsonObject, JsonValue } from "../core/json.ts";
export type { Err, Failure, Ok, Result } from "../core/result.ts";
