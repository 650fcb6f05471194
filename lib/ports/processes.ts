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
  /** The whole environment: nothing is inherited. On Linux a mark of the run is added to it. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The process and all it started are killed after so many milliseconds, those too that left its
   * process group; on macOS and Windows only while their parents run.
   */
  readonly timeoutMs: number;
  /** Bytes kept of each output stream; the rest is read and dropped. */
  readonly maxOutputBytes: number;
  /** Kills the process and all it started. */
  readonly signal?: AbortSignal;
  /** Called with each decoded piece of output as it comes. */
  readonly onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  /**
   * Written to standard input, which then stays open for as long as this process exists: the program
   * reads its end when this process is gone, however that ended. Absent: standard input is closed.
   */
  readonly heldInput?: string;
  /** Takes standard output as bytes: nothing of it is kept or decoded then. */
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

/** How a process ended. */
export type RunResult =
  | ({ readonly kind: "exited"; readonly code: number } & RunOutput)
  | ({ readonly kind: "killed"; readonly by: "timeout" | "cancel" } & RunOutput)
  | ({ readonly kind: "signalled"; readonly signalName: string } & RunOutput)
  | { readonly kind: "not-started"; readonly reason: string };

/** Runs programs: standard input closed or held, output bounded, the whole tree killed at the deadline. */
export interface Processes {
  /** Runs a program to its end. Never rejects. */
  run(request: RunRequest): Promise<RunResult>;
}

/** Whether a process of this machine still runs. Never throws; `true` where it cannot be told. */
export type IsAlive = (pid: number) => boolean;
