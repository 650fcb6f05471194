/** Finding and installing the command-line tools that a mobile build needs. */
export type { DescribeOptions, DetectOptions, LookOptions, Toolchain } from "./toolchain.ts";
export { createToolchain } from "./toolchain.ts";
export type {
  AbsentTool,
  AdbStatus,
  BuildTarget,
  Detection,
  DetectionBase,
  FoundTool,
  Guide,
  MissingTool,
  PhoneTarget,
  Preflight,
  Remedy,
  SdkOverrides,
  ToolchainStatus,
  ToolGroup,
  ToolKind,
  ToolNeed,
  ToolSource,
  ToolStatus,
  TriedCandidate,
} from "./tools/types.ts";
export { DEFAULT_COMPILE_SDK } from "./find/android-sdk.ts";
export { BUILD_TARGETS, isBuildTarget, PHONE_TARGETS } from "./tools/types.ts";
export type { SyncFacts, SyncStat } from "../ports/files.ts";
export type { IsAlive } from "../ports/processes.ts";
export type { Platform, ToolchainDeps, ToolchainFiles } from "./work/ports.ts";
export type { Artifact, Pin, PlatformKey } from "./pins/pins.ts";
export { PLATFORM_KEYS } from "./pins/pins.ts";
export type { InstallFailure, InstallFailureCode } from "./work/failure.ts";
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
export type { AcceptedLicence, Licence, ShownLicence } from "./tools/licences.ts";
export type { BundleReport, MissingFile } from "./bundle/import.ts";
export type { InstallProgress, ProgressPhase, ProgressUnit } from "./work/progress.ts";
export type { AndroidMethod } from "./recipes/recipes.ts";
export type { Uninstalled } from "./install/uninstall.ts";
export type { Verified } from "./installed/verify.ts";
export type { PinCheck, PinState } from "./install/verify-pins.ts";
export type { SettingsReading, SettingsWritten } from "./installed/settings.ts";
export type { Spawn, SpawnFailureCode, SpawnOptions } from "../programs/spawnable.ts";
export { runnable, spawnable } from "../programs/spawnable.ts";
export type { BehindShim, ShimContext } from "../programs/shim.ts";
export { behindSdkManager, behindShim } from "../programs/shim.ts";
export type { LookupOptions } from "../programs/which.ts";
export { whichSync } from "../programs/which.ts";
export { ToolAbsentError } from "./find/resolve.ts";
export type { PackageId, ToolId } from "./tools/ids.ts";
export { isToolId, PACKAGE_IDS, TOOL_IDS } from "./tools/ids.ts";
export type { Pins } from "./tools/tools.ts";
export { PINS } from "./tools/tools.ts";
