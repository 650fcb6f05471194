import type { JobContext, Jobs, JobSnapshot, JobStart } from "../../core/jobs.ts";
import type { JsonObject } from "../../core/json.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { TimeoutError, withTimeout } from "../../core/timeout.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Files } from "../../ports/files.ts";
import { asOnlyBuilder, type BuilderDependencies } from "./only-builder.ts";

/**
 * Time within which a refusal is the answer itself, in milliseconds; the job reports a later one.
 */
const HANDLE_MS = 800;

/**
 * Returns the outcome of a step if it arrives while an answer can wait for it; otherwise `null`.
 */
export async function orNullAfterTimeout<T>(
  step: Promise<T>,
  clock: Pick<Clock, "sleep">,
): Promise<T | null> {
  try {
    return await withTimeout(() => step, { clock, timeoutMs: HANDLE_MS });
  } catch (thrown) {
    if (thrown instanceof TimeoutError) return null;
    throw thrown;
  }
}

/** Jobs that run a project's build. Each empties its out folder, so only one runs at a time. */
const KINDS = ["publish", "build"] as const;

/** The surroundings of a project's jobs. */
export interface ProjectJobDependencies extends BuilderDependencies {
  /** Only one project at a time may use it. */
  readonly jobs: Pick<Jobs, "start" | "list">;
  /** The project's folder, absolute. */
  readonly root: string;
}

/** A job that builds the project. */
export interface ProjectJob<T> extends JobStart {
  readonly kind: (typeof KINDS)[number];
  /** Key of the request: equal requests have equal keys. */
  readonly key: string;
  /** Checks for reasons to refuse the work, before anything is changed. */
  readonly check: (context: JobContext) => Promise<Result<T, Problem>>;
  /** @param files The file system for its reads and writes: {@linkcode BuilderWork}. */
  readonly work: (
    checked: T,
    context: JobContext,
    files: Files,
  ) => Promise<Result<JsonObject, Problem>>;
}

/** The job that builds the project just now. */
export function runningJob(
  { jobs }: Pick<ProjectJobDependencies, "jobs">,
): JobSnapshot | undefined {
  return jobs.list().find(({ kind, state }) =>
    state === "running" && KINDS.some((known) => known === kind)
  );
}

/**
 * Starts the job, or attaches to a running one with the same request. A quick refusal of its check
 * is the answer itself.
 *
 * @returns The job within a second; 409 `publish-running` or `build-running` while another one
 * runs, here or in another process.
 */
export async function startProjectJob<T>(
  dependencies: ProjectJobDependencies,
  { kind, key, check, work, author }: ProjectJob<T>,
): Promise<Result<JobSnapshot, Problem>> {
  const { jobs, clock, root } = dependencies;
  // From here to the start nothing is awaited, so two callers cannot both find no other job.
  const other = runningJob(dependencies);
  if (other !== undefined) {
    if (other.kind === kind && other.key === key) return ok(other);
    return refuse(
      409,
      `${other.kind}-running`,
      `Cannot ${kind} ${key}: job ${other.id} (${other.kind} ${other.key}) builds the project now`,
      `Wait for it (job_get id=${other.id}), or stop it (job_cancel id=${other.id})`,
    );
  }
  let settle: (result: Result<T, Problem>) => void = () => undefined;
  const checked = new Promise<Result<T, Problem>>((resolve) => settle = resolve);
  const job = jobs.start(kind, key, async (context) => {
    const done = await asOnlyBuilder(dependencies, {
      root,
      kind,
      key,
      async work(files) {
        const result = await check(context);
        if (!result.ok) return result;
        settle(result);
        return await work(result.value, context, files);
      },
    });
    if (!done.ok) settle(done); // not earlier: the next call would attach to a refused job
    return done;
  }, { author });
  const verdict = await orNullAfterTimeout(checked, clock);
  return verdict === null || verdict.ok ? ok(job) : verdict;
}
