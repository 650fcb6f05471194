import type { Host, Platform } from "../../ports/host.ts";
import type { PackageId, ToolId } from "./ids.ts";
import type { BuildTarget, ToolGroup } from "./types.ts";

/**
 * Folders to look in. `*` stands for any one segment, or the rest of one (`jdk-21*`); a leading `~`
 * is the home folder, `%NAME%` an environment variable. Written with `/` on every platform.
 */
export type Places = Readonly<Record<Platform, readonly string[]>>;

/** Probe of a program's version. */
export interface ProbeSpec {
  readonly args: readonly string[];
  /** Stream on which the version is printed. */
  readonly stream: "stdout" | "stderr" | "either";
  /** Exit codes of a program that works. */
  readonly accept: readonly number[];
  /** The first group is the version; a second, where there is one, the year of the build. */
  readonly version: RegExp;
  /** The first group is the folder that the program reports as its home. */
  readonly home?: RegExp;
  /** Lines that are not the program's own. */
  readonly noise?: RegExp | undefined;
  readonly timeoutMs: number;
  /** Environment of the probe, above the scrubbed one. */
  readonly env?: Readonly<Record<string, string>>;
  /** Failures with a known cause, by what is printed. */
  readonly knownFailures?: readonly { readonly pattern: RegExp; readonly reason: string }[];
}

/** An environment variable that may point at a tool. */
export interface EnvOverride {
  readonly name: string;
  /**
   * `system`: set for all programs, and refused with the system's tools. `editor`: set for this editor
   * alone.
   */
  readonly scope: "system" | "editor";
}

/** When system copies are refused while the toggle is off (FIND-11). */
export type RefusalRule =
  | "always"
  /** The packaged host brought the tool: its environment variable is set. */
  | "when-bundled"
  /** The editor provides the JavaScript runtime. */
  | "when-node-provisioned"
  /** The editor can install it on this machine. */
  | "when-installable"
  | "never";

/** The package whose recipe provides a tool where it is pinned, or that people are guided instead. */
export type Provision =
  | { readonly kind: "install"; readonly package: PackageId }
  | { readonly kind: "guide" };

/** Environment of an own program, relative to the toolchain folder. */
export interface OwnRuntime {
  /** Folders for the front of PATH. */
  readonly path: Places;
  /** Variables that name a folder. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Facts about the machine for a guide. */
export interface GuideContext {
  readonly platform: Platform;
  /** Architecture of the processor. */
  readonly arch: Host["arch"];
  readonly toolchainDir: string;
}

/** Human steps for a tool, on one machine. */
export interface GuideText {
  readonly title: string;
  readonly url?: string;
  readonly steps: readonly string[];
}

interface DescriptorBase {
  readonly id: ToolId;
  readonly group: ToolGroup;
  readonly env: readonly EnvOverride[];
  /** Places of the editor's own installation, relative to the toolchain folder. */
  readonly own: Places;
  /** Well-known places, searched last. */
  readonly wellKnown: Places;
  readonly refuseSystem: RefusalRule;
  readonly provision: Provision;
  /** `version` as the status shows it; `comparable` when the tool's own probe answers in the same terms. */
  readonly pin?: { readonly version: string; readonly comparable: boolean };
  /** The only platform on which it is useful; every one when absent. */
  readonly onlyOn?: Platform;
  /** Builds that cannot start without it. */
  readonly requiredFor: readonly BuildTarget[];
  /** Tools to get before this one. */
  readonly after?: readonly ToolId[];
  /** Steps by which a person gets it. */
  readonly guide: (machine: GuideContext) => GuideText;
}

/** A tool that is a program. */
export interface BinaryDescriptor extends DescriptorBase {
  readonly kind: "binary";
  /** Names of the program, best first; any of them is the tool. */
  readonly names: readonly [string, ...string[]];
  readonly probe: ProbeSpec;
  /** A further check, once the program has answered. */
  readonly validate?: "xcode";
  readonly ownRuntime?: OwnRuntime;
}

/** A tool that is a folder. */
export interface DirectoryDescriptor extends DescriptorBase {
  readonly kind: "directory";
  /** Entry that the folder must contain (FIND-5). */
  readonly marker: { readonly path: string; readonly kind: "program" | "directory" };
  /** Validator of its version and contents. */
  readonly validate: "java" | "android-sdk";
  /** A program on PATH that is two levels below such a folder. */
  readonly pathHint: string;
  /** A program of the system that only has the tool's name, never to be run or followed. */
  readonly stub?: { readonly platform: Platform; readonly path: string; readonly reason: string };
  /** The folder of programs that {@linkcode Toolchain.withToolOnPath} adds. */
  readonly binFolder: string;
  /** Programs that have to start before a copy of it is put in place; paths relative to the folder. */
  readonly starts: readonly { readonly path: string; readonly probe: ProbeSpec }[];
  /** The variables that builds find the folder by. */
  readonly exports: readonly string[];
}

/** Everything about one tool. */
export type ToolDescriptor = BinaryDescriptor | DirectoryDescriptor;

/** The suffix of programs. */
export function programSuffix(platform: Platform): string {
  return platform === "win32" ? ".exe" : "";
}
