/** One result of an examination. */
export interface FindingOf<Code extends string> {
  /** `error`: it does not work. `warning`: it works, perhaps not for long. */
  readonly level: "error" | "warning";
  /** The rule, for programs. */
  readonly code: Code;
  /** The file, folder or address, below the examined one. */
  readonly where: string;
  /** Finding and expectation. */
  readonly message: string;
  /** Next step for the reader. */
  readonly next: string;
}
