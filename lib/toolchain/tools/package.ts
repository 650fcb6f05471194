import type { Host, Platform } from "../../ports/host.ts";
import type { PlatformPins } from "../pins/pins.ts";
import type { PackageId, ToolId } from "./ids.ts";
import type { KnownLicence } from "./licences.ts";

/** Layout of a package's archives, if unpacking them is the installation. */
export interface ArchiveLayout {
  /** The folder that they are unpacked into, relative to the toolchain folder. */
  readonly into: string;
  /** Number of an archive's top folders that are removed. */
  readonly strip: number;
  /** The only folder of an archive that is unpacked; all of it when absent. */
  readonly only?: (machine: Pick<Host, "platform" | "arch">) => string;
  /** Files that the package is of no use without, relative to `into`. */
  readonly entries: (platform: Platform) => readonly string[];
  /** Whether the entries are made executable: some archives have no such rights. */
  readonly areExecutable?: boolean;
}

/**
 * A package that can be installed: it may contain several tools, and need other packages first. Recipes
 * that take more than unpacking are elsewhere.
 */
export interface ToolPackage {
  readonly id: PackageId;
  /** For people. */
  readonly title: string;
  readonly version: string;
  /** The tools that it brings; each is looked for in the staging folder before it goes in place. */
  readonly tools: readonly ToolId[];
  /** Licences that installing it accepts (INST-9). */
  readonly licences: readonly KnownLicence[];
  /** Folders of the package in the toolchain folder; its home first. */
  readonly folders: readonly string[];
  /** Paths to remove without a receipt, if users may keep their own files in the folders. */
  readonly owns?: readonly string[];
  /**
   * Files in the home that others write to as well, and the line of each that is the package's own.
   * They go last, once nothing else is left in the home.
   */
  readonly shared?: readonly { readonly path: string; readonly line: string }[];
  /** Commands that make it, for people; none if absent. */
  readonly runs?: readonly string[];
  /** Whether npm is run, which needs Node (INST-2). */
  readonly needsNpm?: boolean;
  /** Packages that are installed first, and without which it does not work. */
  readonly before?: readonly PackageId[];
  /** Whether a failed test leads to one more try from scratch (INST-4). */
  readonly triesTwice?: boolean;
  /** Its downloads by platform. */
  readonly pins: PlatformPins;
  /** Absent where a recipe of its own makes it. */
  readonly unpacking?: ArchiveLayout;
}
