/** Phase of a step; `record` writes the receipt. */
export type ProgressPhase = "download" | "verify" | "extract" | "run" | "test" | "record";

/** Unit of a step's progress. */
export type ProgressUnit = "bytes" | "files" | "packages" | "programs";

const PHASES: Readonly<Record<ProgressPhase, true>> = {
  download: true,
  verify: true,
  extract: true,
  run: true,
  test: true,
  record: true,
};
const UNITS: Readonly<Record<ProgressUnit, true>> = {
  bytes: true,
  files: true,
  packages: true,
  programs: true,
};

/** Whether a value of a log names a phase. */
export function isProgressPhase(value: unknown): value is ProgressPhase {
  return typeof value === "string" && Object.hasOwn(PHASES, value);
}

/** Whether a value of a log names a unit. */
export function isProgressUnit(value: unknown): value is ProgressUnit {
  return typeof value === "string" && Object.hasOwn(UNITS, value);
}

/** Receives the steps and the output of an installation. */
export interface InstallProgress {
  /** One line for people. */
  log(line: string): void;
  /**
   * How far the step is.
   *
   * @param step `total` is 0 where it is not known.
   */
  progress(step: {
    readonly phase: ProgressPhase;
    readonly label: string;
    readonly done: number;
    readonly total: number;
    readonly unit: ProgressUnit;
  }): void;
}
