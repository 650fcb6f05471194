import type { Jobs } from "../core/jobs.ts";
import type { Editor } from "../editor/ports.ts";
import type { Clock } from "../ports/clock.ts";
import type { Updates } from "../project/updates.ts";

/** The part of a toolchain that agents see: its status, probed anew at every call (spec §4.1). */
export interface ToolchainProducer {
  /** Everything about the toolchain, as JSON. */
  status(): Promise<object>;
}

/** The jobs as tools and routes use them: they never start one by looking. */
export type JobDesk = Pick<Jobs, "get" | "list" | "cancel" | "events">;

/** What the tools work on. */
export interface Services {
  /** The editor with the open project. */
  readonly editor: Editor;
  /** Absent where the host has none; the toolchain tools then answer 503. */
  readonly toolchain?: ToolchainProducer | undefined;
  /** Absent where the host publishes nothing; the update tools then answer 503. */
  readonly updates?: Updates | undefined;
  /** Absent where the host starts no jobs; the job tools then answer 503. */
  readonly jobs?: JobDesk | undefined;
  /** Lets the job tools wait. */
  readonly clock?: Pick<Clock, "sleep"> | undefined;
}
