import type { EntryKind } from "./entry.ts";

/** The rules in which callers of {@linkcode zipEntries} differ. */
export interface ZipRules {
  /** The allowed kinds of entries. A zip has no hard links. */
  readonly kinds: readonly EntryKind[];
  /** Entries, inclusive; one number is kept of each. */
  readonly maxEntries: number;
  /**
   * A name beyond ASCII without the UTF-8 flag: refused, since readers decode it differently; or
   * read, as UTF-8 if it is valid, otherwise as code page 437.
   */
  readonly unflaggedNames: "refused" | "read";
  /**
   * An end record with a truncated comment, or a zip64 locator that points beyond the file: neither
   * concerns a file, so a reader that checks every file by its hash can accept them.
   */
  readonly brokenEnd: "refused" | "taken";
}
