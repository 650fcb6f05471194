import type { JobSnapshot } from "../core/jobs.ts";

/** The answer of a tool that started a job (CONTRACTS §1). @param does What the job does: `builds`. */
export function startedJob({ id, key, state, lastSeq }: JobSnapshot, does: string): object {
  const hint = `job_get id=${id} tells how it goes, wait=20 waits; job_cancel id=${id} stops it`;
  return { job: id, state, [does]: key, lastSeq, hint };
}
