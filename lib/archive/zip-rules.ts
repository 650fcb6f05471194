import type { EntryKind } from "./entry.ts";

/** What one caller of {@linkcode zipEntries} takes and another refuses. All else is the same. */
export interface ZipRules {
  /** What entries may become. A zip has no hard links. */
  readonly kinds: readonly EntryKind[];
  /** Entries, inclusive; a number is held of each. */
  readonly maxEntries: number;
  /**
   * A name beyond ASCII that is not flagged as UTF-8: refused, since readers differ in what they take
   * it for; or read, as UTF-8 where it is that, else as code page 437.
   */
  readonly unflaggedNames: "refused" | "read";
  /**
   * An end record whose comment is cut short, and a zip64 locator that leads beyond the file: they
   * tell of no file, so that a reader who checks every file by its hash can take them.
   */
  readonly brokenEnd: "refused" | "taken";
}
