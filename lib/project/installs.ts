import type { JobContext, Jobs, JobSnapshot } from "../core/jobs.ts";
import type { JsonObject } from "../core/json.ts";
import { type Problem, problem, type ProblemStatus } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type {
  InstalledTool,
  InstallFailure,
  InstallProgress,
  Toolchain,
  ToolId,
  Uninstalled,
} from "../toolchain/mod.ts";

/** How often progress is told, in milliseconds. */
const PROGRESS_MS = 200;

/** The installations of a toolchain, as agents and routes reach them (spec §4.1). */
export interface Installs {
  /**
   * Starts installing, or attaches to the running installation of the same tool. Calling it accepts
   * the tool's licences (CONTRACTS §3).
   *
   * @param options `anew` installs even what is there and whole.
   */
  install(id: ToolId, options?: { readonly anew?: boolean | undefined }): JobSnapshot;
  /** Removes what was installed; nothing of the system's. */
  uninstall(id: ToolId): Promise<Result<Uninstalled, Problem>>;
}

/** What {@linkcode createInstalls} is made of. */
export interface InstallsOptions {
  readonly toolchain: Pick<Toolchain, "install" | "uninstall">;
  /** Where installations run. */
  readonly jobs: Pick<Jobs, "start">;
  /** Paces progress. */
  readonly clock: Pick<Clock, "monotonic">;
}

/** The installations of one toolchain. */
export function createInstalls({ toolchain, jobs, clock }: InstallsOptions): Installs {
  return {
    install(id, { anew = false } = {}) {
      return jobs.start("install", id, async (context) => {
        const installed = await toolchain.install(id, {
          anew,
          onLog: context.log,
          onProgress: paced(context, clock),
          signal: context.signal,
        });
        return installed.ok ? ok(installedOf(installed.value)) : err(problemOf(installed.error));
      });
    },
    async uninstall(id) {
      const removed = await toolchain.uninstall(id);
      return removed.ok ? removed : err(problemOf(removed.error));
    },
  };
}

function installedOf({ id, tool }: InstalledTool): JsonObject {
  const { path, version } = tool;
  return { id, path, ...(version !== undefined && { version }) };
}

/** A failed installation as a problem: its own code, message and next step. */
function problemOf({ code, message, next }: InstallFailure): Problem {
  return problem(STATUS[code] ?? 422, code, message, next);
}

const STATUS: Readonly<Partial<Record<InstallFailure["code"], ProblemStatus>>> = {
  busy: 409,
  cancelled: 409,
};

/** Progress a few times a second; each step's beginning and end always. */
function paced(
  context: JobContext,
  clock: Pick<Clock, "monotonic">,
): InstallProgress["progress"] {
  let told = { label: "", at: -Infinity };
  return ({ phase, label, done, total, unit }) => {
    const now = clock.monotonic();
    const step = `${phase} ${label}`;
    if (step === told.label && done !== total && now - told.at < PROGRESS_MS) return;
    told = { label: step, at: now };
    context.progress(done, total, unit, step);
  };
}
