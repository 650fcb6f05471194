/** A part of the project's folder that a build needs, and that is missing or wrong. */
export interface ProjectLack {
  /** A file, a folder or packages. */
  readonly name: string;
  /** Finding, and the expectation if it does not follow, as a sentence part. */
  readonly reason: string;
  /** One command of a terminal in the project's folder, or one change. */
  readonly fix: string;
}
