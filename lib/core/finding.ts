/** What an examination says of one place. */
export interface Finding<Code extends string> {
  /** `error`: it does not do what it is for. `warning`: it does, and may not for long. */
  readonly level: "error" | "warning";
  /** Which rule, for programs. */
  readonly code: Code;
  /** The file, folder or address, below what was examined. */
  readonly where: string;
  /** What was found there, and what was expected. */
  readonly message: string;
  /** What to do about it. */
  readonly next: string;
}
