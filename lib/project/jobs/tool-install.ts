import type { JobContext } from "../../core/jobs.ts";
import { type Problem, problem, type ProblemStatus } from "../../core/problem.ts";
import { err, type Result } from "../../core/result.ts";
import type { Clock } from "../../ports/clock.ts";
import type {
  InstalledTool,
  InstallFailure,
  InstallProgress,
  Toolchain,
  ToolId,
} from "../../toolchain/mod.ts";

/** Interval of progress reports, in milliseconds. */
const PROGRESS_MS = 200;

/** The dependencies of an installation inside a job. */
export interface ToolInstallDependencies {
  /** Installs. */
  readonly toolchain: Pick<Toolchain, "install">;
  /** Paces progress. */
  readonly clock: Pick<Clock, "monotonic">;
}

/** Installs a tool as work of a job: its log, its progress, stopped as the job is. */
export async function installTool(
  { toolchain, clock }: ToolInstallDependencies,
  id: ToolId,
  { reinstall = false, context }: {
    /** Installs even an installed and intact tool. */
    readonly reinstall?: boolean;
    readonly context: JobContext;
  },
): Promise<Result<InstalledTool, Problem>> {
  const installed = await toolchain.install(id, {
    reinstall,
    onLog: context.log,
    onProgress: paced(context, clock),
    signal: context.signal,
  });
  return installed.ok ? installed : err(installProblem(id, installed.error));
}

/** A failure of the installer as a problem: its own code, message and next step. */
export function installProblem(id: ToolId, { code, message, next }: InstallFailure): Problem {
  const hint = code === "not-installable" ? `get_tool_guide id=${id} has steps by hand` : next;
  return problem(STATUS[code] ?? 422, code, message, hint);
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
  let reported = { label: "", at: -Infinity };
  return ({ phase, label, done, total, unit }) => {
    const now = clock.monotonic();
    const step = `${phase} ${label}`;
    if (step === reported.label && done !== total && now - reported.at < PROGRESS_MS) return;
    reported = { label: step, at: now };
    context.progress(done, total, unit, step);
  };
}
