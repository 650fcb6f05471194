import type { JobSnapshot } from "../../core/jobs.ts";
import type { Services } from "./services.ts";

/** A started job, and what its caller should know about the state in which it started. */
export interface Started {
  readonly job: JobSnapshot;
  readonly warnings?: readonly string[];
}

/**
 * Answers for a tool that started a job (TOOL-7), or that only lists what it would run.
 *
 * @param does The job's work as a verb: `builds`.
 */
export function startedJob(started: Started | { readonly dryRun: true }, does: string): object {
  if (!("job" in started)) return started; // a dry run
  const { job, warnings = [] } = started;
  const { id, key, state, lastSeq } = job;
  const hint = `job_get id=${id} shows its progress, wait=20 waits; job_cancel id=${id} stops it`;
  return {
    job: id,
    state,
    [does]: key,
    lastSeq,
    ...(warnings.length > 0 && { warnings }),
    hint,
  };
}

/**
 * Returns a started job that builds from the project's files, with a note if the scene has unsaved
 * changes.
 */
export function startedFromFiles(job: JobSnapshot, { editor }: Services): Started {
  const { editing } = editor;
  return editing?.unsaved !== true ? { job } : {
    job,
    warnings: ["The open scene has unsaved changes, which are not built: save_scene, start again"],
  };
}
