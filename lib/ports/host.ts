/** The operating systems that are known. */
export type Platform = "linux" | "darwin" | "win32";

/** The machine and the user, read once. */
export interface Host {
  /** The operating system. */
  readonly platform: Platform;
  /** The processor. */
  readonly arch: "x64" | "arm64" | "other";
  /** The environment. On Windows names are looked up whatever their case. */
  env(name: string): string | undefined;
  /** All of the environment, as a process would inherit it. */
  environment(): Record<string, string>;
  /** The user's home folder. */
  readonly home: string;
  /** Where this application keeps what belongs to the user (FIND-19). */
  readonly userData: string;
  /** Where temporary files go. */
  readonly temporary: string;
  /** This process's id. */
  readonly pid: number;
  /** The user's name on this machine: what is recorded of a person's decisions. */
  readonly user: string;
  /** The machine's name. */
  readonly hostname: string;
  /**
   * How this person runs Slipway's commands, up to the command: `npx slipway`. Every message that
   * prints a command begins it with this.
   */
  readonly cli: string;
}
