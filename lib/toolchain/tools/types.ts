import type { ToolId } from "./ids.ts";
import type { ShownLicence } from "./licences.ts";

/** A box of the Build Support dialog. */
export type ToolGroup = "Android" | "iOS" | "Model" | "Text" | "Audio" | "Core";

/**
 * Need for a tool on this machine and in this project: `required` by a target of the project that this machine
 * can build; `optional`; `elsewhere`: useful on another platform only.
 */
export type ToolNeed = "required" | "optional" | "elsewhere";

/** A program, or a folder that is recognised by its contents. */
export type ToolKind = "binary" | "directory";

/** Origin of a candidate (FIND-12). `bundled`: set by the packaged host. */
export type ToolSource = "env" | "own" | "bundled" | "path" | "well-known" | "override";

/** Platforms of apps. */
export const PHONE_TARGETS = ["android", "ios"] as const;

/** The id of a phone's target. */
export type PhoneTarget = (typeof PHONE_TARGETS)[number];

/** Targets of builds. The others begin with `web`, which needs no tool. */
export const BUILD_TARGETS = ["web", ...PHONE_TARGETS] as const;

/** The id of a build target. */
export type BuildTarget = (typeof BUILD_TARGETS)[number];

/** Whether `target` names a build target. */
export function isBuildTarget(target: string): target is BuildTarget {
  return BUILD_TARGETS.some((known) => known === target);
}

/** One place that was looked at, and why it was taken or refused. */
export interface TriedCandidate {
  /** The file or folder; for a search without a hit, what was searched. */
  readonly path: string;
  /** Kind of the place. */
  readonly source: ToolSource;
  /** The reason why it was accepted or refused, for people. */
  readonly reason: string;
}

/** Members of every detection. */
export interface DetectionBase {
  /** The tool. */
  readonly id: ToolId;
  /** A program or a folder. */
  readonly kind: ToolKind;
  /** Candidates in the order of the search; the accepted one is the last. */
  readonly tried: readonly TriedCandidate[];
  /** Folders that were searched for a directory tool, in that order, accepted or not. */
  readonly lookedInto?: readonly string[];
  /**
   * Of an Android SDK that cannot build, with the project's platform: the packages that are missing as
   * `sdkmanager` names them, and `licence <id>` for one that was not accepted.
   */
  readonly lacks?: readonly string[];
  /** A fix other than another copy. */
  readonly remedy?: Remedy;
}

/** A fix, other than another copy, for a tool that exists and cannot be used. */
export type Remedy =
  /** The package manager of an Android SDK adds what lacks. */
  | { readonly kind: "sdkmanager"; readonly program: string }
  /** A variable names a folder next to the tool's. */
  | { readonly kind: "variable"; readonly name: string; readonly path: string }
  /** The editor's copy does not start here: the user installs another. */
  | { readonly kind: "guide" }
  /**
   * A setting of the project names the folder. The user corrects or removes the setting; or the package manager
   * of the Android SDK in that folder, if it has one, adds the missing packages.
   */
  | { readonly kind: "override"; readonly by: string; readonly sdkManager?: string };

/** A tool that is there and works. */
export interface FoundTool extends DetectionBase {
  /** Discriminates it from an absent tool. */
  readonly present: true;
  /** Kind of the place where it was found. */
  readonly source: ToolSource;
  /** The program, or the folder (for `java`: the Java home). */
  readonly path: string;
  /** Absent if the tool does not report one. */
  readonly version?: string;
}

/** A tool that is not there, or not in a usable form. */
export interface AbsentTool extends DetectionBase {
  /** Discriminates it from a found tool. */
  readonly present: false;
  /** The most telling reason, in one sentence part. */
  readonly reason: string;
  /** Whether copies of the system are refused, so that installing one there would not help. */
  readonly systemRefused: boolean;
  /** Set where the editor's own copy is there and not as it was installed: repairing it helps. */
  readonly damaged?: boolean;
}

/** Result of {@linkcode Toolchain.detect} (FIND-4). */
export type Detection = FoundTool | AbsentTool;

/** Human steps for a tool. */
export interface Guide {
  /** The tool. */
  readonly id: ToolId;
  /** Goal of the steps. */
  readonly title: string;
  /** Steps, in order. */
  readonly steps: readonly string[];
  /** The vendor's own page. */
  readonly url?: string;
}

/** A tool in the status (FIND-12). */
export interface ToolStatus {
  /** The tool. */
  readonly id: ToolId;
  /** A program or a folder. */
  readonly kind: ToolKind;
  /** The box of the Build Support dialog that shows it. */
  readonly group: ToolGroup;
  /** Need of the project's targets; without a project, of all that this machine can build. */
  readonly need: ToolNeed;
  /** Whether it is there and works. */
  readonly present: boolean;
  /** Kind of the place where it was found. */
  readonly source?: ToolSource;
  /** Version that the tool reports. */
  readonly version?: string;
  /** Path of the tool. */
  readonly path?: string;
  /** Whether the editor can provide the tool on this machine (FIND-11). */
  readonly canAutoInstall: boolean;
  /** The version that the editor provides; there where it can. */
  readonly pinned?: string;
  /** Set where the editor's own copy is there and not as it was installed. */
  readonly damaged?: boolean;
  /** The reason why an absent tool does not count, as a sentence part. */
  readonly reason?: string;
  /** The next step for an absent tool: one command, as this person would type it. */
  readonly fix?: string;
  /** Missing packages of an Android SDK that cannot build, as `sdkmanager` names them. */
  readonly lacks?: readonly string[];
  /** Every place that was looked at, in order. */
  readonly tried: readonly TriedCandidate[];
  /** Places that were meant and cannot be used, such as a variable with a wrong path; a sentence each. */
  readonly warnings?: readonly string[];
  /** Licences that installing it accepts (INST-9); present if the editor can provide the tool. */
  readonly licences?: readonly ShownLicence[];
  /** For an absent tool that the editor cannot provide. */
  readonly guide?: Guide;
}

/** The Android debug bridge, derived from the SDK (FIND-12). */
export interface AdbStatus {
  /** Whether the SDK that was found has it. */
  readonly present: boolean;
  /** Path of the tool. */
  readonly path?: string;
}

/** A tool that a build needs and does not have. */
export interface MissingTool {
  /** The tool. */
  readonly id: ToolId;
  /** The reason why it does not count. */
  readonly reason: string;
  /** Whether the editor can provide what is missing on this machine. */
  readonly canAutoInstall: boolean;
  /** The next step: one command, as this person would type it; for `user.sdk` a sentence. */
  readonly fix: string;
  /** Missing packages of an Android SDK that cannot build, as `sdkmanager` names them. */
  readonly lacks?: readonly string[];
}

/** Whether a build can start (FIND-14). */
export interface Preflight {
  /** Target of the build. */
  readonly target: BuildTarget;
  /** Whether nothing is missing. */
  readonly ready: boolean;
  /** Missing tools, in the order in which to get them. */
  readonly missing: readonly MissingTool[];
  /** Bytes to download for all that is missing and can be provided. */
  readonly bytes: number;
  /** Bytes of disk that installing all that takes while it runs; absent when there is nothing to install. */
  readonly disk?: number;
}

/** Missing tools that the editor can install. */
export interface Installable {
  /** Tools in the order in which to install them. */
  readonly ids: readonly ToolId[];
  /** Bytes to download for all of them. */
  readonly bytes: number;
  /** Bytes of disk that it takes while it runs. */
  readonly disk: number;
}

/** Everything about the toolchain at once (FIND-12). */
export interface ToolchainStatus {
  /** The operating system. */
  readonly platform: "linux" | "darwin" | "win32";
  /** Folder of the editor's own tools. */
  readonly toolchainDir: string;
  /** Whether the editor is packaged. */
  readonly packaged: boolean;
  /** Whether the system's tools are allowed. */
  readonly allowSystemToolchain: boolean;
  /** All eleven, in the order of their ids. */
  readonly tools: readonly ToolStatus[];
  /** Variables that begin like this program's and are unknown; a sentence each. */
  readonly warnings?: readonly string[];
  /** The debug bridge of the SDK that was found. */
  readonly adb: AdbStatus;
  /** Whether each build can start. */
  readonly preflight: Readonly<Record<PhoneTarget, Preflight>>;
  /** Missing tools that the editor can install, whether a build needs them or not. */
  readonly installable: Installable;
}

/** Folders that a project names itself (`user.sdk` of its settings): they win over detection. */
export interface SdkOverrides {
  /** A Java home. */
  readonly java?: string;
  /** An Android SDK. */
  readonly "android-sdk"?: string;
}

/** A folder that a project names by another setting than `user.sdk`. */
export interface NamedFolder {
  /** Absolute. */
  readonly path: string;
  /** The setting, with its file. */
  readonly by: string;
}
