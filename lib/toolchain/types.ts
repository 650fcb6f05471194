/** Every tool that the editor knows (spec §2.10). */
export const TOOL_IDS = [
  "toktx",
  "msdf-atlas-gen",
  "npm",
  "xcodebuild",
  "cocoapods",
  "gltf-transform-cli",
  "gltfpack",
  "ffmpeg",
  "ffprobe",
  "android-sdk",
  "java",
] as const;

/** The id of a tool. */
export type ToolId = (typeof TOOL_IDS)[number];

/** A program, or a folder that is recognised by what lies in it. */
export type ToolKind = "binary" | "directory";

/** Where a candidate comes from (CONTRACTS §3). `bundled`: set by the packaged host. */
export type ToolSource = "env" | "own" | "bundled" | "path" | "well-known" | "override";

/** What a build is for. */
export const BUILD_TARGETS = ["android", "ios"] as const;

/** The id of a build target. */
export type BuildTarget = (typeof BUILD_TARGETS)[number];

/** Whether `id` names a tool. */
export function isToolId(id: string): id is ToolId {
  return TOOL_IDS.some((known) => known === id);
}

/** Whether `target` names a build target. */
export function isBuildTarget(target: string): target is BuildTarget {
  return BUILD_TARGETS.some((known) => known === target);
}

/** One place that was looked at, and why it was taken or refused. */
export interface TriedCandidate {
  /** The file or folder; for a search without a hit, what was searched. */
  readonly path: string;
  readonly source: ToolSource;
  readonly reason: string;
}

interface DetectionBase {
  readonly id: ToolId;
  readonly kind: ToolKind;
  /** In the order of the search; the one that was taken is the last. */
  readonly tried: readonly TriedCandidate[];
}

/** A tool that is there and works. */
export interface FoundTool extends DetectionBase {
  readonly present: true;
  readonly source: ToolSource;
  /** The program, or the folder (for `java`: the Java home). */
  readonly path: string;
  /** Absent where the tool does not tell one. */
  readonly version?: string;
}

/** A tool that is not there, or not in a usable form. */
export interface AbsentTool extends DetectionBase {
  readonly present: false;
  /** The most telling reason, in one sentence part. */
  readonly reason: string;
  /** Whether copies of the system are refused, so that installing one there would not help. */
  readonly systemRefused: boolean;
}

/** What {@linkcode Toolchain.detect} finds (spec §3.3). */
export type Detection = FoundTool | AbsentTool;

/** Human steps for a tool. */
export interface Guide {
  readonly id: ToolId;
  readonly title: string;
  readonly steps: readonly string[];
  /** The vendor's own page. */
  readonly url?: string;
}

/** A tool in the status (CONTRACTS §3). */
export interface ToolStatus {
  readonly id: ToolId;
  readonly kind: ToolKind;
  readonly present: boolean;
  readonly source?: ToolSource;
  readonly version?: string;
  readonly path?: string;
  /** Whether the editor can provide the tool on this machine (spec §4.8, provisioning). */
  readonly canAutoInstall: boolean;
  /** The version that the editor provides. */
  readonly pinned?: string;
  readonly tried: readonly TriedCandidate[];
  /** For an absent tool that the editor cannot provide. */
  readonly guide?: Guide;
}

/** The Android debug bridge, derived from the SDK (spec §2.10). */
export interface AdbStatus {
  readonly present: boolean;
  readonly path?: string;
}

/** A tool that a build needs and does not have. */
export interface MissingTool {
  readonly id: ToolId;
  readonly reason: string;
  readonly canAutoInstall: boolean;
  /** The next step. */
  readonly fix: string;
}

/** Whether a build can start (CONTRACTS §3). */
export interface Preflight {
  readonly target: BuildTarget;
  readonly ready: boolean;
  readonly missing: readonly MissingTool[];
  /** Bytes to download for all that is missing and can be provided. */
  readonly bytes: number;
}

/** Everything about the toolchain at once (CONTRACTS §3). */
export interface ToolchainStatus {
  readonly platform: "linux" | "darwin" | "win32";
  readonly toolchainDir: string;
  readonly packaged: boolean;
  readonly allowSystemToolchain: boolean;
  readonly tools: readonly ToolStatus[];
  readonly adb: AdbStatus;
  readonly preflight: Readonly<Record<BuildTarget, Preflight>>;
}

/** Folders that a project names itself (`user.sdk` of its settings): they win over detection. */
export interface SdkOverrides {
  readonly java?: string;
  readonly "android-sdk"?: string;
}
