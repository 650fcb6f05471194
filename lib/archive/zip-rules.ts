import type { EntryKind } from "./entry.ts";

/** The rules in which callers of {@linkcode zipEntries} differ. All others are the same. */
export interface ZipRules {
  /** The kinds of files that entries may become. A zip has no hard links. */
  readonly kinds: readonly EntryKind[];
  /** Entries, inclusive; a number is kept of each. */
  readonly maxEntries: number;
  /**
   * A name beyond ASCII that is not flagged as UTF-8: refused, since readers differ in what they take
   * it for; or read, as UTF-8 where it is that, else as code page 437.
   */
  readonly unflaggedNames: "refused" | "read";
  /**
   * An end record whose comment is cut short, and a zip64 locator that points beyond the file: they
   * say nothing about a file, so that a reader who checks every file by its hash can take them.
   */
  readonly brokenEnd: "refused" | "taken";
}
