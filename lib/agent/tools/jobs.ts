import { z } from "zod";
import type { JobEvent, JobSnapshot } from "../../core/jobs.ts";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import type { Sequenced } from "../../core/ring.ts";
import type { Clock } from "../../ports/clock.ts";
import { lastPageOf, pageOf } from "../answer/lists.ts";
import { after, limit, text, wholeNumber } from "../declaration/parameters.ts";
import { servicePart } from "../declaration/parts.ts";
import type { JobRegistry, Services } from "../declaration/services.ts";
import { refuseMissing } from "../declaration/arguments.ts";
import { type CallContext, defineTool, READ_ONLY, type Tool } from "../declaration/tool.ts";

/** Default lines of a job's log. */
const LOG_LIMIT = 20;
/** Maximum wait in seconds: shorter than clients wait for an answer. */
const MAX_WAIT = 25;

/** All jobs, or one job with its events so far. */
type Found =
  | { readonly kind: "list"; readonly jobs: readonly JobSnapshot[] }
  | {
    readonly kind: "one";
    readonly job: JobSnapshot;
    readonly events: readonly Sequenced<JobEvent>[];
  };

/** `job_get` (TOOL-8). */
const jobGet: Tool = defineTool({
  name: "job_get",
  route: "/api/jobs",
  purpose: "Long-running work (publish, build, install): state, progress, log, result",
  defaultShape: `jobs of the last 10 minutes`,
  parameters: z.object({
    id: text("the job"),
    wait: wholeNumber(`seconds to wait for its end, up to ${MAX_WAIT}`, {
      min: 0,
      max: MAX_WAIT,
    }),
    since: wholeNumber("the oldest log lines after this seq", { min: 0 }),
    limit: limit(`${LOG_LIMIT} log lines`),
    after: after(),
  }),
  drillDown: {
    id: `one, its last ${LOG_LIMIT} log lines`,
    wait: "seconds for its end",
    since: "log after a seq",
  },
  annotations: READ_ONLY,

  async produce(services, { id, wait }, context): Promise<Result<Found, Problem>> {
    const part = servicePart(services, "jobs");
    if (!part.ok) return part;
    const jobs = part.value;
    if (id === undefined && wait !== undefined) {
      const running = jobs.list().findLast(({ state }) => state === "running");
      return refuseMissing(
        "job_get",
        "id",
        `id=${running?.id ?? "<as its start returned it>"}, wait=${wait}`,
      );
    }
    if (id === undefined) return ok({ kind: "list", jobs: jobs.list() });
    const job = namedJob(jobs, id);
    if (!job.ok) return job;
    const { clock } = services;
    const waits = clock !== undefined && wait !== undefined && wait > 0;
    if (waits && job.value.state === "running") {
      await untilEnded(jobs, job.value, { ...context, clock, waitMs: wait * 1000 });
    }
    return await jobWithEvents(jobs, id);
  },

  summarize(found, { since, limit = LOG_LIMIT, after }) {
    if (found.kind === "list") return ok({ count: found.jobs.length, jobs: found.jobs });
    const { job, events } = found;
    const lines = events.flatMap((event) =>
      event.event === "log" && event.seq > (since ?? 0) ? [{ seq: event.seq, ...event.data }] : []
    );
    const { shown, cut } = (since === undefined ? lastPageOf : pageOf)(lines, { limit, after });
    let progress: object | undefined;
    let end: object = {};
    for (const event of events) {
      if (event.event === "progress") progress = event.data;
      else if (event.event === "done") end = { result: event.data };
      else if (event.event === "problem") end = { problem: event.data };
    }
    return ok({
      ...job,
      ...(job.state === "running" && progress !== undefined && { progress }),
      ...end,
      log: shown,
      logTotal: lines.length,
      ...cut,
    });
  },
});

/** `job_cancel` (TOOL-7). */
const jobCancel: Tool = defineTool({
  name: "job_cancel",
  route: "/api/jobs/:id/cancel",
  routeKind: "body",
  purpose: "Stops long-running work (publish, build, install)",
  defaultShape: "the job; needs id=",
  parameters: z.object({ id: text("the job to stop") }),
  drillDown: {},
  annotations: { openWorldHint: false },

  produce(services, { id }) {
    return Promise.resolve(cancel(services, id));
  },

  summarize(job) {
    return ok({ ok: true, ...job });
  },
});

export const JOB_TOOLS: readonly Tool[] = [jobGet, jobCancel];

function cancel(services: Services, id: string | undefined): Result<JobSnapshot, Problem> {
  const part = servicePart(services, "jobs");
  if (!part.ok) return part;
  const jobs = part.value;
  if (id === undefined) return refuseMissing("job_cancel", "id", "job_get lists the jobs");
  const job = namedJob(jobs, id);
  if (!job.ok) return job;
  const { state } = job.value;
  return state === "running" ? jobs.cancel(id) : refuse(
    409,
    "job-ended",
    `Job ${id} has ended already: it is ${state}`,
    `Read how it ended: job_get id=${id}, or GET /api/jobs/${id}/events`,
  );
}

/** Returns the job of that id; a refusal lists the existing ones. */
function namedJob(jobs: JobRegistry, id: string): Result<JobSnapshot, Problem> {
  const job = jobs.get(id);
  const known = jobs.list().map((one) => one.id);
  if (job.ok || known.length === 0) return job;
  const hint = `There are ${
    known.slice(-20).join(", ")
  }; ended jobs are kept for at most 10 minutes`;
  return { ok: false, error: { ...job.error, hint } };
}

/** How long to wait for a job, and the listener of its progress. */
interface Waiting extends CallContext {
  readonly clock: Pick<Clock, "sleep">;
  readonly waitMs: number;
}

/** Waits until a job has ended or the caller's wait is over, and forwards its progress. */
async function untilEnded(
  jobs: JobRegistry,
  { id, lastSeq }: JobSnapshot,
  { clock, waitMs, signal, progress }: Waiting,
): Promise<void> {
  const reading = new AbortController();
  const nap = new AbortController();
  const leave = () => reading.abort();
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  const late = clock.sleep(waitMs, nap.signal).then(leave, () => undefined);
  for await (const { event, data } of jobs.events(id, lastSeq, reading.signal)) {
    if (event === "progress") progress(data.done, data.total || undefined, data.label);
  }
  signal.removeEventListener("abort", leave);
  nap.abort();
  await late;
}

/** Returns a job with all its events so far. */
async function jobWithEvents(jobs: JobRegistry, id: string): Promise<Result<Found, Problem>> {
  const job = jobs.get(id);
  if (!job.ok) return job;
  const events: Sequenced<JobEvent>[] = [];
  if (job.value.lastSeq === 0) return ok({ kind: "one", job: job.value, events });
  for await (const event of jobs.events(id)) {
    events.push(event);
    if (event.seq >= job.value.lastSeq) break;
  }
  return ok({ kind: "one", job: job.value, events });
}
