/** Where an installation tells what it does. */
export interface InstallProgress {
  /** One line for people. */
  log(line: string): void;
  /**
   * How far the step is.
   *
   * @param step `total` is 0 where it is not known.
   */
  progress(step: {
    readonly phase: "download" | "verify" | "extract" | "run" | "test" | "record";
    readonly label: string;
    readonly done: number;
    readonly total: number;
    readonly unit: "bytes" | "files" | "packages";
  }): void;
}
