/** The operating systems that are known. */
export type Platform = "linux" | "darwin" | "win32";

/** The machine and the user, read once. */
export interface Host {
  /** The operating system. */
  readonly platform: Platform;
  /** The processor. */
  readonly arch: "x64" | "arm64" | "other";
  /** Reads an environment variable. Windows ignores the name's case. */
  env(name: string): string | undefined;
  /** The complete environment, as a process would inherit it. */
  environment(): Record<string, string>;
  /** The user's home folder. */
  readonly home: string;
  /** The application's folder for the user's own data (FIND-19). */
  readonly userData: string;
  /** The folder of temporary files. */
  readonly temporary: string;
  /** This process's id. */
  readonly pid: number;
  /** The user's name on this machine, for records of a person's decisions. */
  readonly user: string;
  /** The machine's name. */
  readonly hostname: string;
  /**
   * The user's way to run Slipway's commands, up to the command: `npx slipway`. Every message that
   * prints a command begins it with this.
   */
  readonly cli: string;
}
