/**
 * A project on disk.
 *
 * @module
 */
export {
  type AndroidBuild,
  type Command,
  CONFIG_FILE,
  type ConfigFailure,
  MAX_CONFIG_BYTES,
  type NativeBuild,
  parseProjectConfig,
  type ProjectConfig,
  type WebBuild,
} from "./config.ts";
export { isModelFile, type ModelProject, openModelProject } from "./model-project.ts";
export {
  createModels,
  type Models,
  type ModelsOptions,
  type OptimizedModel,
  type OptimizeOptions,
} from "./models.ts";
export type { ModelToolDependencies } from "./model-tools.ts";
export {
  type OpenProject,
  openProject,
  type OpenProjectOptions,
  readProjectConfig,
} from "./open.ts";
export { createProject, newSettings } from "./new-project.ts";
export type { OtaConfig, OtaConnection } from "./ota-config.ts";
export type { ProjectPublishDependencies } from "./publish.ts";
export type { ProjectPublishRequest } from "./publish-settings.ts";
export type { MintedKey } from "./keygen.ts";
export type { ReleaseFacts, ReleaseState } from "./release-state.ts";
export type { RunPlan } from "./run-plan.ts";
export type { KeyState, OtaStatus } from "./status.ts";
export { createInstalls, type Installs, type InstallsOptions } from "./installs.ts";
export { neededTools } from "./needed-tools.ts";
export { type Builds, type BuildsOptions, createBuilds } from "./builds.ts";
export type { EmbedDependencies } from "./embedded-manifest.ts";
export { createUpdates, type Updates, type UpdatesOptions } from "./updates.ts";
export {
  type ChangedSettings,
  createProjectSettings,
  type ProjectSettings,
  type ProjectSettingsOptions,
} from "./settings.ts";
export type { TargetDependencies } from "./build-target.ts";
export type { BuildTools, EnvironmentDependencies } from "./build-environment.ts";
export type { BuildDependencies } from "./build.ts";
export type { StepDependencies } from "./run-step.ts";
