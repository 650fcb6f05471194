import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";
import type { Console } from "./console.ts";
import type { History } from "./history.ts";

/** The members of the editor that changes of files need. */
export interface FileHost {
  readonly files: Files;
  readonly clock: Pick<Clock, "now">;
  /** The project's folder. */
  readonly root: string;
  /** The open scene's file, relative to the project. */
  readonly scenePath: string;
  readonly console: Pick<Console, "write">;
  readonly history: History;
  /** Looks at files of the project again. @param paths Relative to the project. */
  rescanFiles(paths: readonly string[]): Promise<void>;
}
