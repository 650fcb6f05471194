import type { AbsentTool, Detection, FoundTool } from "../tools/types.ts";

/**
 * Error of {@linkcode Toolchain.resolve}: the one documented throw of this library (FIND-17). Its message
 * contains the whole search log, so that a build log is complete.
 */
export class ToolAbsentError extends Error {
  /** Discriminates it from other errors. */
  override readonly name: string = "ToolAbsentError";
  /** Places that were tried, and why each was refused. */
  readonly detection: AbsentTool;
  /** The next step. */
  readonly fix: string;

  /** Builds the error of a detection without a hit. */
  constructor(detection: AbsentTool, fix: string) {
    const searchLog = detection.tried.map(({ path, source, reason }) =>
      `  ${source.padEnd(10)} ${path}: ${reason}`
    );
    super(
      [`Cannot find ${detection.id}: ${detection.reason}`, ...searchLog, `  next: ${fix}`].join(
        "\n",
      ),
    );
    this.detection = detection;
    this.fix = fix;
  }
}

/** The found tool, or {@linkcode ToolAbsentError}. */
export function resolved(detection: Detection, fix: (absent: AbsentTool) => string): FoundTool {
  if (detection.present) return detection;
  throw new ToolAbsentError(detection, fix(detection));
}
