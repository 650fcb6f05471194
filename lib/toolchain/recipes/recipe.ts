import type { Result } from "../../core/result.ts";
import type { ArtifactContext } from "../download/artifacts.ts";
import type { Artifact, Pin } from "../pins/pins.ts";
import type { ToolId } from "../tools/ids.ts";
import type { ToolPackage } from "../tools/package.ts";
import type { FoundTool } from "../tools/types.ts";
import type { InstallFailure } from "../work/failure.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { ToolchainDeps } from "../work/ports.ts";
import type { InstallProgress } from "../work/progress.ts";

/** Dependencies of a recipe. */
export interface BuildContext extends ToolchainDeps {
  readonly folder: ToolchainFolder;
  /** The folder to fill, laid out as the toolchain folder is; empty. */
  readonly staging: ToolchainFolder;
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

/** Dependencies of work in a toolchain folder. */
export type WorkContext = Omit<BuildContext, "staging" | "pin" | "download"> & ArtifactContext;

/** Result of a recipe, as paths relative to the staging folder, written with `/`. */
export interface Built {
  /** The files and folders to put in place, each replaced completely. */
  readonly places: readonly string[];
  /** Files without which the package is useless. */
  readonly entries: readonly string[];
  /** Further downloads in the toolchain folder that are useless after the installation. */
  readonly spent?: readonly string[];
}

/** Fills the staging folder with a package. */
export type Build = (context: BuildContext) => Promise<Result<Built, InstallFailure>>;

/** A package with how it is made. */
export interface Recipe extends ToolPackage {
  readonly build: Build;
}
