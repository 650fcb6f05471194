/**
 * Finding and installing the command-line tools that a mobile build needs.
 *
 * @module
 */
export type { BundleReport, MissingFile } from "./bundle/import.ts";
export { BROWSER_VARIABLE, type BrowserFinding, findBrowser } from "./find/browser.ts";
export { DEFAULT_COMPILE_SDK } from "./find/android-sdk.ts";
export { toolchainDirectory } from "./find/places.ts";
export { bringsNode, isPackaged } from "./find/policy.ts";
export { ToolAbsentError } from "./find/resolve.ts";
export type { Cleaned, Leftover, LeftoverKind } from "./install/clean.ts";
export type { Installed } from "./install/install.ts";
export type {
  CleanOptions,
  ExportOptions,
  InstalledTool,
  Installer,
  InstallOptions,
  InstallPlan,
  LicenceOptions,
  OperationOptions,
  ToolLicences,
  UninstallOptions,
} from "./install/operations.ts";
export type { Uninstalled } from "./install/uninstall.ts";
export type { PinCheck, PinState } from "./install/verify-pins.ts";
export type { SettingsReading, SettingsWritten } from "./installed/settings.ts";
export type { Verified } from "./installed/verify.ts";
export {
  type Artifact,
  type Pin,
  PLATFORM_KEYS,
  type PlatformKey,
  type PlatformPins,
} from "./pins/pins.ts";
export type { AndroidMethod } from "./recipes/recipes.ts";
export {
  createToolchain,
  type DescribeOptions,
  type DetectOptions,
  type LookOptions,
  type Toolchain,
} from "./toolchain.ts";
export { isToolId, PACKAGE_IDS, type PackageId, TOOL_IDS, type ToolId } from "./tools/ids.ts";
export { REQUIRED_JAVA_MAJOR } from "./tools/java.ts";
export { openToolchain } from "./open-toolchain.ts";
export type { AcceptedLicence, Licence, ShownLicence } from "./tools/licences.ts";
export { PINS, type Pins } from "./tools/tools.ts";
export {
  type AbsentTool,
  type AdbStatus,
  BUILD_TARGETS,
  type BuildTarget,
  type Detection,
  type DetectionBase,
  type FoundTool,
  type Guide,
  type Installable,
  isBuildTarget,
  type MissingTool,
  type NamedFolder,
  PHONE_TARGETS,
  type PhoneTarget,
  type Preflight,
  type Remedy,
  type SdkOverrides,
  type ToolchainStatus,
  type ToolGroup,
  type ToolKind,
  type ToolNeed,
  type ToolSource,
  type ToolStatus,
  type TriedCandidate,
} from "./tools/types.ts";
export type { SdkManager } from "./find/sdk-manager.ts";
export { TOOLCHAIN_VARIABLES, toolVariables, type Variable } from "./tools/variables.ts";
export type { InstallFailure, InstallFailureCode } from "./work/failure.ts";
export type { ToolchainDeps } from "./work/ports.ts";
export type { InstallProgress, ProgressPhase, ProgressUnit } from "./work/progress.ts";
// Types of other areas that these mention.
export type { Problem, ProblemStatus } from "../core/problem.ts";
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
  SyncFacts,
  SyncStat,
  WriteOptions,
} from "../ports/files.ts";
export type { Hashing, Sha1 } from "../ports/hashing.ts";
export type { Host, Platform } from "../ports/host.ts";
export type { IsAlive, Processes, RunOutput, RunRequest, RunResult } from "../ports/processes.ts";
export {
  type BehindShim,
  type LookupOptions,
  runnable,
  type Spawn,
  spawnable,
  type SpawnFailureCode,
  type SpawnOptions,
  whichSync,
} from "../programs/mod.ts";
