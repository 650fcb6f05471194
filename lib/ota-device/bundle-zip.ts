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
 * Walks the files of a `bundle.zip`. Whether a file belongs there, and is what it should be, is the
 * manifest's say.
 *
 * @throws {ArchiveError} Naming the entry that is wrong; {@linkcode FileError} when the disk fails.
 */
export function bundleFiles(source: ArchiveSource): AsyncGenerator<BundleFile> {
  return zipEntries(source, RULES);
}

/**
 * The same of a `bundle.zip` that comes in (DEV-30): its files are what `bundleFiles` would find, once
 * the last one was asked for.
 *
 * @throws {ArchiveError} When it is to be read by its directory, whether it is wrong or not.
 */
export function incomingBundleFiles(source: ForwardSource): AsyncGenerator<ForwardEntry> {
  return zipForward(source, RULES);
}
