import { type Signal, signal } from "@preact/signals";
import { isRecord } from "../../core/json.ts";
import type { Problem } from "../../core/problem.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { ReceivedChange } from "../wire/changes.ts";
import { type JobMessage, watchJob } from "../wire/jobs.ts";
import { listOf, readAuthor, textOrEmpty } from "../wire/read.ts";
import { callService, fetchProducer } from "../wire/service.ts";
import { type PageJob, withMessages } from "./job-log.ts";
import { say } from "./notices.ts";
import { oneAtATime } from "./one-at-a-time.ts";

// Installations, builds and publications of all clients. Their state is always current; the log of
// one is followed while it is shown.

/** Maximum running jobs followed at once: a browser opens six connections to one host. */
const MOST_FOLLOWED = 3;
/** Interval between updates of a log, in milliseconds. */
const SHOW_MS = 80;

/** All jobs known to the service, oldest first. */
export const jobs: Signal<readonly PageJob[]> = signal([]);

/** Followed now: how to end that. */
const followed = new Map<string, () => void>();
/** Read to their end. */
const read = new Set<string>();
let waiting: (readonly [string, JobMessage])[] = [];

/** Reloads the jobs. */
export const loadJobs: () => Promise<void> = oneAtATime(async () => {
  const answer = await fetchProducer("jobs");
  if (!answer.ok || !isRecord(answer.value)) return;
  const known = new Map(jobs.value.map((job) => [job.id, job]));
  jobs.value = listOf(answer.value["jobs"], jobOf).map((job) => {
    const before = known.get(job.id);
    return before === undefined ? job : { ...before, state: job.state };
  });
});

/** Takes a change of the stream: a job begins, or has ended. */
export function takeJobs({ kind, values }: ReceivedChange): void {
  if (kind !== "job") return;
  const name = textOrEmpty(values["name"]);
  const space = name.indexOf(" ");
  const job = jobOf({
    id: values["job"],
    kind: name.slice(0, space),
    key: name.slice(space + 1),
    state: values["state"],
    source: values["source"],
    by: values["by"],
  });
  if (job !== null) put(job);
}

/** Follows these jobs, the newest first, while a dialog shows them. */
export function watchJobs(shown: readonly PageJob[]): void {
  for (const { id, state } of shown.toReversed()) {
    if (followed.has(id) || read.has(id)) continue;
    if (state === "running" && followed.size >= MOST_FOLLOWED) continue;
    waiting = waiting.filter(([of]) => of !== id);
    change(id, { lines: [], progress: null });
    const over = () => {
      followed.delete(id);
      read.add(id);
    };
    followed.set(id, watchJob(id, { take: (message) => later(id, message), over }));
  }
}

/** Stops following jobs, which frees their connections. */
export function leaveJobs(): void {
  for (const end of followed.values()) end();
  followed.clear();
}

/** Starts a job by a tool. @returns The job, or the tool's answer if it started none. */
export async function startJob(
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Result<string, Problem>> {
  const answer = await callService(tool, args);
  if (!answer.ok) return err(answer.error);
  const { job, warnings } = answer.value;
  for (const warning of listOf(warnings, (one) => textOrEmpty(one))) say("info", warning);
  const id = textOrEmpty(job);
  if (!jobs.value.some((known) => known.id === id)) await loadJobs();
  return ok(id);
}

/** Asks a job to stop. */
export async function cancelJob(id: string): Promise<void> {
  const answer = await callService("job_cancel", { id });
  if (!answer.ok) say("error", answer.error.detail, answer.error.hint);
}

/** The newest job of these that fits. */
export function lastJob(
  of: readonly PageJob[],
  fits: (job: PageJob) => boolean,
): PageJob | undefined {
  return of.findLast(fits);
}

function put(job: PageJob): void {
  const isKnown = jobs.value.some(({ id }) => id === job.id);
  if (isKnown) change(job.id, { state: job.state });
  else jobs.value = [...jobs.value, job];
}

function change(id: string, values: Partial<PageJob>): void {
  jobs.value = jobs.value.map((job) => job.id === id ? { ...job, ...values } : job);
}

/** Batches messages: a build may log a thousand lines a second. */
function later(id: string, message: JobMessage): void {
  if (waiting.length === 0) setTimeout(show, SHOW_MS);
  waiting.push([id, message]);
}

function show(): void {
  const came = waiting;
  waiting = [];
  jobs.value = jobs.value.map((job) => {
    const own = came.filter(([id]) => id === job.id).map(([, message]) => message);
    return own.length === 0 ? job : withMessages(job, own);
  });
}

function jobOf(value: unknown): PageJob | null {
  if (!isRecord(value) || typeof value["id"] !== "string") return null;
  const { id, kind, key, state } = value;
  const known = (["done", "failed", "cancelled"] as const).find((one) => one === state);
  return {
    id,
    kind: textOrEmpty(kind),
    key: textOrEmpty(key),
    author: value["source"] === undefined ? null : readAuthor(value),
    state: known ?? "running",
    lines: [],
    progress: null,
    result: null,
    problem: null,
  };
}
