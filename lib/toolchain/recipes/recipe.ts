import type { ArtifactContext } from "../download/artifacts.ts";
import type { Result } from "../../core/result.ts";
import type { Artifact, PackageId, Pin } from "../pins/pins.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import type { FoundTool, ToolId } from "../tools/types.ts";
import type { InstallFailure } from "../work/failure.ts";
import type { InstallProgress } from "../work/progress.ts";

/** What a recipe fills its folder with. */
export interface BuildContext extends ToolchainDeps {
  readonly toolchainDir: string;
  /** The folder to fill, laid out as the toolchain folder is; empty. */
  readonly staging: string;
  readonly pin: Pin;
  readonly progress: InstallProgress;
  readonly signal: AbortSignal;
  /** Downloads an artifact, checked by its hashes. @returns Its path. */
  download(artifact: Artifact): Promise<Result<string, InstallFailure>>;
  /** Finds a tool by the editor's own rules, with the environment that it runs in. */
  tool(id: ToolId): Promise<
    Result<{ readonly tool: FoundTool; readonly env: Record<string, string> }, InstallFailure>
  >;
}

/** What work in a toolchain folder has at hand. */
export type WorkContext = Omit<BuildContext, "staging" | "pin" | "download"> & ArtifactContext;

/** What a recipe made, as paths relative to the staging folder, written with `/`. */
export interface Built {
  /** The files and folders to put in place, each as a whole. */
  readonly places: readonly string[];
  /** Files that the package is of no use without. */
  readonly entries: readonly string[];
  /** Downloads beside the pinned ones that are of no use once it is in place, in the toolchain folder. */
  readonly spent?: readonly string[];
}

/** How a package is made. One file under `recipes/` a method. */
export interface Recipe {
  readonly id: PackageId;
  /** For people. */
  readonly title: string;
  readonly version: string;
  /** The tools that it brings; each is looked for in the staging folder before it goes in place. */
  readonly tools: readonly ToolId[];
  /** Ids of the licences that installing it accepts (CONTRACTS §3). */
  readonly licences: readonly string[];
  /** Folders of the toolchain folder that the package lies in; its home first. */
  readonly folders: readonly string[];
  /** What is removed where no receipt tells, when a user may keep things of his own in the folders. */
  readonly owns?: readonly string[];
  /**
   * Files in the home that others write to as well, and the line of each that is the package's own.
   * They go last, once nothing else is left in the home.
   */
  readonly shared?: readonly { readonly path: string; readonly line: string }[];
  /** What is run to make it, as people read it; nothing when absent. */
  readonly runs?: readonly string[];
  /** Whether npm is run, which needs Node (spec §4.1). */
  readonly needsNpm: boolean;
  /** Packages of earlier versions of ours that it stands in for: they go once it is in place. */
  readonly replaces?: readonly PackageId[];
  /** Packages that are installed first. */
  readonly before: readonly PackageId[];
  /** Whether a failed test leads to one more try from scratch (spec §4.8). */
  readonly triesTwice: boolean;
  build(context: BuildContext): Promise<Result<Built, InstallFailure>>;
}
