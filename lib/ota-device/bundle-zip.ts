import {
  type ArchiveEntry,
  type ArchiveSource,
  zipEntries,
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

/**
 * Walks the files of a `bundle.zip`. Whether a file belongs there, and is what it should be, is the
 * manifest's say.
 *
 * @throws {ArchiveError} Naming the entry that is wrong; {@linkcode FileError} when the disk fails.
 */
export function bundleFiles(source: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  return zipEntries(source, RULES);
}
