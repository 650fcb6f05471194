/** A process to run. No shell is involved. */
export interface RunRequest {
  /** Absolute path of the program. */
  readonly command: string;
  /** Its arguments, each arriving as it is. */
  readonly args: readonly string[];
  /** Windows: the arguments are quoted already and are joined with spaces as they are. */
  readonly verbatimArguments?: boolean;
  /** Working directory, absolute. */
  readonly cwd: string;
  /** The complete environment: nothing is inherited. On Linux a mark of the run is added. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Milliseconds after which the process and everything it started are killed, including processes
   * that left its group; on macOS and Windows those only while their parents run.
   */
  readonly timeoutMs: number;
  /** Bytes kept of each output stream; the rest is read and discarded. */
  readonly maxOutputBytes: number;
  /** Kills the process and all it started. */
  readonly signal?: AbortSignal;
  /** Called with each decoded piece of output as it arrives. */
  readonly onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  /**
   * Written to standard input, which stays open while this process exists: the program reads its
   * end when this process has ended in any way. Absent: standard input is closed.
   */
  readonly heldInput?: string;
  /** Receives standard output as bytes, which are then neither kept nor decoded. */
  readonly onBytes?: (chunk: Uint8Array) => void;
}

/** The kept part of a process's output, decoded as UTF-8. */
export interface RunOutput {
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
  /** Whether either stream had more than `maxOutputBytes`. */
  readonly truncated: boolean;
}

/** The end of a process. */
export type RunResult =
  | ({ readonly kind: "exited"; readonly code: number } & RunOutput)
  | ({ readonly kind: "killed"; readonly by: "timeout" | "cancel" } & RunOutput)
  | ({ readonly kind: "signalled"; readonly signalName: string } & RunOutput)
  | { readonly kind: "not-started"; readonly reason: string };

/**
 * Runs programs: standard input closed or held, output bounded, the complete process tree killed at
 * the deadline.
 */
export interface Processes {
  /** Runs a program to its end. Never rejects. */
  run(request: RunRequest): Promise<RunResult>;
}

/** Returns whether a process of this machine still runs. Never throws; `true` if that is unknown. */
export type IsAlive = (pid: number) => boolean;
