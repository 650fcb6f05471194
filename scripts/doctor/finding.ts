/** Something that keeps an app from updating, or may. */
export interface Finding {
  /** `error`: the app does not update. `warning`: it does, and a person will be surprised. */
  readonly level: "error" | "warning";
  /** Which rule, for programs. */
  readonly code: FindingCode;
  /** The file or folder below the app's. */
  readonly where: string;
  /** What was found there, and what was expected. */
  readonly message: string;
  /** What to do about it. */
  readonly next: string;
}

/** What is looked at. */
export type FindingCode =
  | "no-app"
  | "no-platform"
  | "plugin"
  | "sync"
  | "hook"
  | "internet"
  | "embedded"
  | "web-assets"
  | "configuration"
  | "public-key"
  | "client"
  | "live-reload"
  | "splash";
