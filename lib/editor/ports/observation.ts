// What an editor tells about itself.

/** One line of the console. */
export interface ConsoleEntry {
  /** Never reused. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** How serious it is. */
  readonly level: "debug" | "log" | "info" | "warn" | "error";
  /** One line, or several. */
  readonly text: string;
}

/** One thing that is wrong, or may be. */
export interface Finding {
  /** Stable, for programs: `off-screen`, `missing-asset`, `no-camera`, … */
  readonly code: string;
  /** Only an `error` makes a scene unhealthy. */
  readonly severity: "error" | "warning" | "info";
  /** How many times it was found. */
  readonly count: number;
  /** All entities concerned. */
  readonly ids: readonly number[];
  /** The next step. */
  readonly hint: string;
}

/** The health of the open scene. */
export interface Diagnosis {
  /** Whether nothing of severity `error` was found. */
  readonly ok: boolean;
  /** One sentence. */
  readonly summary: string;
  /** Worst first. */
  readonly findings: readonly Finding[];
}

/** Which editor answers: told with every answer, so that an agent never drives the wrong one. */
export interface EditorIdentity {
  /** The product, for example `slipway`. */
  readonly editor: string;
  /** Name of the open project. */
  readonly project: string;
  /** Its folder. */
  readonly root: string;
  /** The open scene, relative to the project. */
  readonly scenePath: string;
  /** The scene that a game shows which plays or is paused; absent when none does. */
  readonly playing?: string;
}
