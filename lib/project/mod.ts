/**
 * A project on disk.
 *
 * @module
 */
export type { BuildTools, EnvironmentDependencies } from "./building/build-environment.ts";
export type { TargetDependencies } from "./building/build-target.ts";
export type { BuildDependencies } from "./building/build.ts";
export {
  type BuildPlan,
  type Builds,
  type BuildsOptions,
  createBuilds,
} from "./building/builds.ts";
export {
  type Fact,
  FACT_NAMES,
  type FactName,
  type Facts,
  type UnknownFact,
} from "./building/plan/fact.ts";
export type { ProgramsRun, TargetPreflight } from "./building/target-preflight.ts";
export type { ProjectLack } from "./building/project-lack.ts";
export type { DrawnPicture } from "./captures/answer.ts";
export type { Capture, KeptPicture } from "./captures/capture-files.ts";
export {
  type Captured,
  type CaptureHost,
  type CaptureOptions,
  type Captures,
  type CapturesOptions,
  createCaptures,
  type InlinePicture,
} from "./captures/captures.ts";
export type { PageFile, RenderPage, TakeAnswer } from "./captures/render-page.ts";
export type { QueuedTask } from "./captures/queue.ts";
export type { CameraView, SceneSnapshot } from "./captures/snapshot.ts";
export { CONFIG_FILE } from "./config/config-file.ts";
export {
  type AndroidBuild,
  type Command,
  type ConfigFailure,
  MAX_CONFIG_BYTES,
  type NativeBuild,
  parseProjectConfig,
  type ProjectConfig,
  type WebBuild,
} from "./config/config.ts";
export {
  type ContentBody,
  type ContentFile,
  createContent,
  type ProjectContent,
} from "./content/mod.ts";
export type { EmbedDependencies } from "./building/embedded-manifest.ts";
export { createEditorPage, type EditorPage, type EditorPageParts } from "./editor-page.ts";
export { createInstalls, type Installs, type InstallsOptions } from "./jobs/installs.ts";
export type { MintedKey } from "./updates/keygen.ts";
export { isModelFile, type ModelProject, openModelProject } from "./model-project.ts";
export type { ModelToolDependencies } from "./models/model-tools.ts";
export {
  createModels,
  type Models,
  type ModelsOptions,
  type OptimizedModel,
  type OptimizeOptions,
} from "./models/models.ts";
export { neededTools } from "./building/needed-tools.ts";
export { createProject } from "./new-project.ts";
export { newSettings } from "./config/new-settings.ts";
export { readProjectConfig } from "./config/read-config.ts";
export { type OpenProject, openProject, type OpenProjectOptions } from "./open.ts";
export type { OtaConfig, OtaConnection } from "./config/ota-config.ts";
export { createPhone, type OwnPhone, type Phone, type PhoneOptions } from "./phone/phone.ts";
export type {
  PhoneAction,
  PhoneBoot,
  PhoneCheck,
  PhoneEvent,
  PhonePhase,
  PhoneRequest,
  PhoneSource,
  PhoneState,
  PhoneSwitches,
  PhoneVersions,
  PublishedVersion,
} from "./phone/state.ts";
export type { ProjectPublishRequest } from "./updates/publish-settings.ts";
export type { ProjectPublishDependencies } from "./updates/publish.ts";
export type { ReleaseFacts, ReleaseState } from "./updates/release-state.ts";
export type { RunPlan } from "./building/run-plan.ts";
export type { StepDependencies } from "./building/run-step.ts";
export {
  type ChangedSettings,
  createProjectSettings,
  type ProjectSettings,
  type ProjectSettingsOptions,
} from "./settings.ts";
export type { KeyState, OtaStatus } from "./updates/status.ts";
export {
  createUploads,
  type UploadedFile,
  type UploadRequest,
  type Uploads,
  type UploadsOptions,
} from "./uploads.ts";
export { createUpdates, type Updates, type UpdatesOptions } from "./updates/updates.ts";
export type {
  ProjectPruneRequest,
  ProjectRollBackRequest,
  PublishedHistory,
  ReleaseHistoryOptions,
} from "./updates/upkeep.ts";
export type { PublicPlace, ReadBack } from "./served/read-back.ts";
// Types of other areas that these mention.
export type { JobEvent } from "../core/job-log.ts";
export {
  type JobAuthor,
  type JobContext,
  type JobOverview,
  type JobProgress,
  Jobs,
  type JobSnapshot,
  type JobsOptions,
  type JobStart,
  type JobWork,
} from "../core/jobs.ts";
export type { JsonObject, JsonValue } from "../core/json.ts";
export type {
  CompareTask,
  Comparison,
  DrawTask,
  LiveValues,
  RenderReport,
  RenderTask,
  StripTask,
} from "../game/types/mod.ts";
export type { Problem, ProblemStatus } from "../core/problem.ts";
export type { Err, Failure, Ok, Result } from "../core/result.ts";
export type { Sequenced } from "../core/ring.ts";
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
  SyncFacts,
  SyncStat,
  WriteOptions,
} from "../ports/files.ts";
export type { DeflateFraming, DeflateStream, Deflating } from "../ports/deflate.ts";
export type { Hashing, Sha1 } from "../ports/hashing.ts";
export type { Host, Platform } from "../ports/host.ts";
export type { Answering, Listen, Listening } from "../ports/listen.ts";
export type { IsAlive, Processes, RunOutput, RunRequest, RunResult } from "../ports/processes.ts";
export type { GameRuntime } from "../ports/game-runtime.ts";
export type { Runtime } from "../ports/runtime.ts";
