// Observations of an editor.

/** A line of the console. */
export interface ConsoleEntry {
  /** Never reused. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** Its severity. */
  readonly level: "debug" | "log" | "info" | "warn" | "error";
  /** One or more lines of text. */
  readonly text: string;
}

/** A fault, or a possible one. */
export interface SceneFinding {
  /** Stable, for programs: `off-screen`, `missing-asset`, `no-camera`, … */
  readonly code: string;
  /** Only an `error` makes a scene unhealthy. */
  readonly severity: "error" | "warning" | "info";
  /** Number of occurrences. */
  readonly count: number;
  /** All affected entities. */
  readonly ids: readonly number[];
  /** The next step. */
  readonly hint: string;
}

/** The health of the open scene. */
export interface Diagnosis {
  /** Whether there is no finding of severity `error`. */
  readonly ok: boolean;
  /** A sentence. */
  readonly summary: string;
  /** Worst first. */
  readonly findings: readonly SceneFinding[];
}

/**
 * Identity of the answering editor, included in every answer so that an agent never drives the
 * wrong one.
 */
export interface EditorIdentity {
  /** The product, for example `slipway`. */
  readonly editor: string;
  /** Name of the open project. */
  readonly project: string;
  /** Its folder. */
  readonly root: string;
  /** The open scene, relative to the project. */
  readonly scenePath: string;
  /** The scene of a playing or paused game; absent without a game. */
  readonly playing?: string;
}
