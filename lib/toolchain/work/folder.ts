import type { Files } from "../../ports/files.ts";
import type { Platform } from "../../ports/host.ts";
import { type HostPaths, hostPaths } from "../../programs/mod.ts";

/**
 * A folder that is laid out as the toolchain folder is: that folder itself, or one in which a package
 * is made. It knows its disk and how paths are spelled there.
 */
export class ToolchainFolder {
  /** Absolute path of the folder. */
  readonly root: string;
  /** The file system of the folder. */
  readonly files: Files;
  /** The spelling of paths there. */
  readonly paths: HostPaths;

  /** The folder at `root`, which need not exist yet. */
  constructor(root: string, files: Files, platform: Platform) {
    this.root = root;
    this.files = files;
    this.paths = hostPaths(platform);
  }

  /** Returns the folder at a place in this one. */
  of(place: string): ToolchainFolder {
    return new ToolchainFolder(this.at(place), this.files, this.paths.platform);
  }

  /** Returns the path of a place in the folder, which is written with `/`. */
  at(place: string): string {
    return this.paths.join(this.root, place);
  }
}
