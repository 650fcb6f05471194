import type { Jobs } from "../../core/jobs.ts";
import type { Problem } from "../../core/problem.ts";
import type { Result } from "../../core/result.ts";
import type { Actor, Authored, Editor } from "../../editor/ports/mod.ts";
import type { Devices } from "../../devices/mod.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  Builds,
  Captures,
  Installs,
  Models,
  Phone,
  ProjectContent,
  ProjectSettings,
  Updates,
  Uploads,
} from "../../project/mod.ts";
import type { BuildTarget, Guide, Preflight, ToolId, ToolLicences } from "../../toolchain/mod.ts";
import type { Instance } from "../answer/identity.ts";

/** The part of a toolchain that agents use: its status, probed again at every call (FIND-12). */
export interface ToolchainProducer {
  /** Returns everything about the toolchain as JSON. @param signal Ends this caller's wait. */
  status(signal?: AbortSignal): Promise<object>;
  /** Returns the steps with which a person gets a tool found. */
  guide(id: ToolId): Guide;
  /** Returns the terms that installing the tool accepts (INST-9). */
  licences(id: ToolId): Promise<ToolLicences>;
  /** Returns whether a build can start, and what is missing. */
  preflight(target: BuildTarget, signal?: AbortSignal): Promise<Preflight>;
  /** Saves whether system-installed tools may be used. @returns 422 `settings-unwritable`. */
  allowSystem(on: boolean): Promise<Result<ToolchainToggle, Problem>>;
}

/** The state of the setting "use system-installed tools". */
export interface ToolchainToggle {
  /** Whether they may be used now; an environment variable overrides the saved setting. */
  readonly allowSystemToolchain: boolean;
  /** The saved setting. */
  readonly saved: boolean;
}

/**
 * The jobs that tools and routes use, such as {@linkcode Jobs}; reading never starts a job. Without
 * `overview` and `subscribe`, new jobs cannot be followed.
 */
export type JobRegistry =
  & Pick<Jobs, "get" | "list" | "cancel" | "events">
  & Partial<Pick<Jobs, "overview" | "subscribe">>;

/** The services that the tools work on. */
export interface Services {
  /** The editor with the open project. */
  readonly editor: Editor;
  /** The caller, for journals and the undo list; an agent when absent. */
  readonly caller?: Actor | undefined;
  /** Absent where the host has none; the toolchain tools then answer 503. */
  readonly toolchain?: ToolchainProducer | undefined;
  /** Absent where the host installs nothing; the install tools then answer 503. */
  readonly installs?: Installs | undefined;
  /** Absent where the host runs no model tools; models are then imported as they are. */
  readonly models?: Models | undefined;
  /** Absent where the host builds nothing; the build tool then answers 503. */
  readonly builds?: Builds | undefined;
  /** Absent without a project on disk to store them in; the capture tools then answer 503. */
  readonly captures?: Captures | undefined;
  /** Absent without a project on disk; files are then imported from its folder alone. */
  readonly uploads?: Uploads | undefined;
  /** Absent where the host reaches no phones; the device tools then answer 503. */
  readonly devices?: Devices | undefined;
  /** Absent without a project on disk; the tools of the simulated phone then answer 503. */
  readonly phone?: Phone | undefined;
  /** Absent without a project on disk; a page then has no assets to draw. */
  readonly content?: ProjectContent | undefined;
  /** Absent where the host publishes nothing; the update tools then answer 503. */
  readonly updates?: Updates | undefined;
  /** Absent without a project on disk; the project tools then answer 503. */
  readonly project?: ProjectSettings | undefined;
  /** Absent where the host starts no jobs; the job tools then answer 503. */
  readonly jobs?: JobRegistry | undefined;
  /** Identity of the running program; read for every answer, because its port is known late. */
  readonly instance?: (() => Instance) | undefined;
  /** Lets the job tools wait. */
  readonly clock?: Pick<Clock, "sleep"> | undefined;
}

/** Returns the author under which a call's effects are recorded. */
export function authorOf(services: Pick<Services, "caller">): Authored {
  const caller = callerOf(services);
  return typeof caller === "string" ? { source: caller } : caller;
}

/** Returns the caller; an agent when absent. */
export function callerOf({ caller = "agent" }: Pick<Services, "caller">): Actor {
  return caller;
}
