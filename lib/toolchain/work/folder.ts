import type { Files } from "../../ports/files.ts";
import type { Platform } from "../../ports/host.ts";
import { type HostPaths, hostPaths } from "../../programs/mod.ts";

/**
 * A folder that is laid out as the toolchain folder is: that folder itself, or one in which a package
 * is made. It knows its disk and how paths are spelled there.
 */
export class ToolchainFolder {
  /** Where it is, absolute. */
  readonly root: string;
  /** The disk that it lies on. */
  readonly files: Files;
  /** How paths are spelled there. */
  readonly paths: HostPaths;

  /** The folder at `root`, which need not exist yet. */
  constructor(root: string, files: Files, platform: Platform) {
    this.root = root;
    this.files = files;
    this.paths = hostPaths(platform);
  }

  /** The folder at `place` in it. */
  of(place: string): ToolchainFolder {
    return new ToolchainFolder(this.at(place), this.files, this.paths.platform);
  }

  /** The path of what lies in it at `place`, which is written with `/`. */
  at(place: string): string {
    return this.paths.join(this.root, place);
  }
}
