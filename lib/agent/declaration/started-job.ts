import type { JobSnapshot } from "../../core/jobs.ts";
import type { Services } from "./services.ts";

/** A job that was started, and what the caller should know of how things stood. */
export interface Started {
  readonly job: JobSnapshot;
  readonly warnings?: readonly string[];
}

/**
 * The answer of a tool that started a job (TOOL-7), or only says what it would run.
 *
 * @param does What the job does: `builds`.
 */
export function startedJob(started: Started | { readonly dryRun: true }, does: string): object {
  if (!("job" in started)) return started; // nothing was run
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

/** A started job that builds from the project's files: what is not saved yet is not in them. */
export function startedFromFiles(job: JobSnapshot, { editor }: Services): Started {
  const { editing } = editor;
  return editing?.unsaved !== true ? { job } : {
    job,
    warnings: ["The open scene has unsaved changes, which are not built: save_scene, start again"],
  };
}
