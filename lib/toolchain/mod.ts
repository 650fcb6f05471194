/** Finding the command-line tools that a mobile build needs (spec §4.8). */
export type { DetectOptions, Toolchain } from "./toolchain.ts";
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
  Preflight,
  SdkOverrides,
  ToolchainStatus,
  ToolId,
  ToolKind,
  ToolSource,
  ToolStatus,
  TriedCandidate,
} from "./types.ts";
export { BUILD_TARGETS, isBuildTarget, isToolId, TOOL_IDS } from "./types.ts";
export type { Platform, SyncFacts, SyncStat, ToolchainDeps, ToolchainFiles } from "./ports.ts";
export type { SettingsReading, SettingsWritten } from "./settings.ts";
export type { Spawn, SpawnFailureCode, SpawnOptions } from "./spawnable.ts";
export { runnable, spawnable } from "./spawnable.ts";
export type { LookupOptions } from "./which.ts";
export { whichSync } from "./which.ts";
export { ToolAbsentError } from "./resolve.ts";
