import {
  type ArchiveSource,
  type ForwardEntry,
  type ForwardSource,
  zipEntries,
  zipForward,
  type ZipRules,
} from "../archive/mod.ts";
import { LIMITS } from "../core/limits.ts";

/** A broken end is taken: every file has its hash in the manifest (DEV-12). */
const RULES: ZipRules = {
  kinds: ["file"],
  maxEntries: LIMITS.bundleFiles,
  unflaggedNames: "refused",
  brokenEnd: "taken",
};

/** A file of a `bundle.zip`. */
export type BundleFile = Pick<ForwardEntry, "name" | "size" | "open"> & {
  /** Whether its bytes were used by an earlier process, and cannot be opened. */
  readonly isPassed?: boolean;
};

/**
 * Walks the files of a `bundle.zip`. The manifest decides which files belong there, with which
 * content.
 *
 * @throws {ArchiveError} Naming the wrong entry; {@linkcode FileError} if the disk fails.
 */
export function bundleFiles(source: ArchiveSource): AsyncGenerator<BundleFile> {
  return zipEntries(source, RULES);
}

/**
 * Walks the files of a `bundle.zip` that is arriving (DEV-30): once the one after the last was
 * requested, they equal those of `bundleFiles`.
 *
 * @throws {ArchiveError} If it must be read by its directory, whether it is wrong or not.
 */
export function incomingBundleFiles(source: ForwardSource): AsyncGenerator<ForwardEntry> {
  return zipForward(source, RULES);
}
