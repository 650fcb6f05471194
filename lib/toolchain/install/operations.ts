import type { Failure, Result } from "../../core/result.ts";
import type { BundleReport } from "../bundle/import.ts";
import type { Verified } from "../installed/verify.ts";
import type { PlatformKey } from "../pins/pins.ts";
import type { AndroidMethod } from "../recipes/recipes.ts";
import type { PackageId, ToolId } from "../tools/ids.ts";
import type { ShownLicence } from "../tools/licences.ts";
import type { FoundTool } from "../tools/types.ts";
import type { InstallFailure } from "../work/failure.ts";
import type { InstallProgress } from "../work/progress.ts";
import type { Cleaned } from "./clean.ts";
import type { Installed } from "./install.ts";
import type { Uninstalled } from "./uninstall.ts";
import type { PinCheck } from "./verify-pins.ts";

// Operations of the installer, and their results.

/** Options of every operation. */
export interface OperationOptions {
  /** One line for people. */
  readonly onLog?: (line: string) => void;
  /** Progress of the step. */
  readonly onProgress?: InstallProgress["progress"];
  /** Ends it; what was there before stays. */
  readonly signal?: AbortSignal;
  /** Another toolchain folder than this toolchain's own; absolute. */
  readonly toolchainDir?: string;
}

/** Options of an installation. */
export interface InstallOptions extends OperationOptions {
  /** False refuses with `licence` when terms are not accepted yet; installing accepts them else. */
  readonly acceptLicences?: boolean;
  /** Installs even what is installed and intact. */
  readonly reinstall?: boolean;
  /** Source of the Android SDK; pinned archives when absent. */
  readonly android?: AndroidMethod;
}

/** Options of a removal. */
export interface UninstallOptions extends OperationOptions {
  /** Also removes files in the tool's places without a receipt, which may be the user's own. */
  readonly force?: boolean;
}

/** Options of a list of licences. */
export interface LicenceOptions extends OperationOptions {
  /** Gets the texts themselves: the Android SDK's from its vendor, others from what is installed. */
  readonly fetchText?: boolean;
  /** Source of the Android SDK: its package manager needs the JDK as well. */
  readonly android?: AndroidMethod;
}

/** Options of cleaning. */
export interface CleanOptions extends OperationOptions {
  /** Reports what would be removed, and removes nothing. */
  readonly dryRun?: boolean;
}

/** Options of an export. */
export interface ExportOptions extends OperationOptions {
  /** For which machine; for this one when absent. */
  readonly platform?: PlatformKey;
  /** Only these tools and what they need; everything that is pinned when absent. */
  readonly tools?: readonly ToolId[];
}

/** A tool that was installed and is found. */
export interface InstalledTool {
  /** The tool. */
  readonly id: ToolId;
  /** The tool that detection finds now. */
  readonly tool: FoundTool;
  /** Packages in place now, in the order of installation. */
  readonly packages: readonly Installed[];
}

/** Plan of an installation. */
export interface InstallPlan {
  /** Nothing was run or downloaded. */
  readonly dryRun: true;
  /** The tool. */
  readonly id: ToolId;
  /** The toolchain folder, in which everything goes. */
  readonly folder: string;
  /** The packages in the order of their installation, those that are there already among them. */
  readonly packages: readonly { readonly package: PackageId; readonly version: string }[];
  /** Bytes to download where none of them is there. */
  readonly bytes: number;
  /** Commands that make and test them. */
  readonly runs: readonly string[];
  /** Ids of the licences that it accepts. */
  readonly licences: readonly string[];
}

/** The terms of a tool, and whether they were accepted. */
export interface ToolLicences {
  /** The tool. */
  readonly id: ToolId;
  /** None for a tool that the editor never provides. */
  readonly licences: readonly ShownLicence[];
}

/**
 * Provides the tools that the editor can. What fails says by {@linkcode InstallFailure} why:
 * the network (`dns`, `connect`, `proxy`, `tls`, `http-status`, `stalled`), the bytes (`short`,
 * `too-large`, `hash`, `archive`), the disk (`disk-full`, `not-writable`, `rename`, `occupied`,
 * `no-receipt`), a program (`process`, `smoke-test`), or `licence`, `busy`, `cancelled`; and `next` how
 * to fix it. What worked before still works.
 */
export interface Installer {
  /** Provides a tool and what it needs, and accepts their licences by it (INST-9). */
  install(id: ToolId, options?: InstallOptions): Promise<Result<InstalledTool, InstallFailure>>;
  /** Plans an installation. Runs only npm, for its version. */
  planInstall(id: ToolId, options?: InstallOptions): Promise<Result<InstallPlan, InstallFailure>>;
  /** Removes what was installed, by its receipt; what a user keeps there stays. */
  uninstall(id: ToolId, options?: UninstallOptions): Promise<Result<Uninstalled, InstallFailure>>;
  /** Compares what is installed with its receipt. */
  verify(
    id: ToolId,
    options?: { readonly deep?: boolean },
  ): Promise<Result<Verified, InstallFailure>>;
  /** Verifies every byte, and reinstalls what is not as it was installed. */
  repair(id: ToolId, options?: OperationOptions): Promise<Result<InstalledTool, InstallFailure>>;
  /**
   * The terms of a tool and of what would be installed with it, each with its whole text where that
   * is asked for and can be had.
   */
  licences(id: ToolId, options?: LicenceOptions): Promise<ToolLicences>;
  /** Gets pinned downloads into a folder, or a `.tar.gz`, for machines without a network. */
  exportBundle(
    to: string,
    options?: ExportOptions,
  ): Promise<Result<BundleReport, InstallFailure>>;
  /** Takes pinned downloads from a folder, an archive of one, or a single file of any name. */
  importBundle(
    from: string,
    options?: OperationOptions,
  ): Promise<Result<BundleReport, InstallFailure>>;
  /**
   * Removes what nothing installed needs: downloads (imported ones too), caches, leftovers and logs of
   * runs that are over. What another process works with stays.
   */
  clean(options?: CleanOptions): Promise<Result<Cleaned, InstallFailure>>;
  /** Compares every pin with what its vendor publishes now. */
  verifyPins(options?: OperationOptions): Promise<Result<readonly PinCheck[], Failure>>;
}
