import type { JsonObject } from "./json.ts";
import { fault, type Problem, problem, refuse } from "./problem.ts";
import { ok, type Result } from "./result.ts";
import { type JobEvent, JobLog, type JobProgress, type LogBounds } from "./job-log.ts";
import type { Sequenced } from "./ring.ts";

export type { JobEvent, JobProgress } from "./job-log.ts";

// Long work (install, build, publish, long captures) runs as a job (TOOL-7): it is started once,
// runs to its end even without a listener, and is stopped only by `cancel`. A second request for
// the same work attaches to the running job and reads its log from the beginning.

/** Bounds of one job's log. */
const LOG_BOUNDS: LogBounds = { events: 10_000, characters: 4 * 1024 * 1024 };
/** Bounds of all ended jobs; the last one that ended always stays. */
const ENDED_BOUNDS = { jobs: 100, characters: 16 * 1024 * 1024 };

/** Connection of running work to its job: reports progress, learns of cancellation. */
export interface JobContext {
  /** Aborted by `cancel`. */
  readonly signal: AbortSignal;
  /** Adds one line to the log. */
  log(line: string, stream?: "stdout" | "stderr"): void;
  /** Reports the progress; `total` 0 means unknown. */
  progress(done: number, total: number, unit: string, label: string): void;
}

/** The work of a job: its result, or why it failed. */
export type JobWork = (context: JobContext) => Promise<Result<JsonObject, Problem>>;

/** The caller that started a job. */
export interface JobAuthor {
  /** A person at the editor's page, or a program. */
  readonly source: "human" | "agent";
  /** The author's name for itself, unverified; absent if it gave none. */
  readonly by?: string;
}

/** Options of starting a job. */
export interface JobStart {
  /** The caller that starts it; callers that attach later are not recorded. */
  readonly author?: JobAuthor | undefined;
}

/** A job as others see it. Its author is absent if the program itself started it. */
export interface JobSnapshot extends Partial<JobAuthor> {
  /** Unique while the service runs. */
  readonly id: string;
  /** Kind of work: `install`, `build`, `publish`. */
  readonly kind: string;
  /** Distinguishes jobs of that kind: the tool id, the target, the bundle and version. */
  readonly key: string;
  /** Whether it runs, or how it ended. */
  readonly state: "running" | "done" | "failed" | "cancelled";
  /** The number of the last event. */
  readonly lastSeq: number;
}

/** A job, as it is listed. */
export interface JobOverview extends JobSnapshot {
  /** Milliseconds since the epoch; absent without {@linkcode JobsOptions.time}. */
  readonly started?: number;
  /** The last reported progress; absent before the first report. */
  readonly progress?: JobProgress;
}

interface Job {
  readonly author: JobAuthor | undefined;
  readonly started: number | undefined;
  progress: JobProgress | undefined;
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  state: JobSnapshot["state"];
  endedAt: number | null;
  readonly events: JobLog;
  readonly abort: AbortController;
  readonly listeners: Set<() => void>;
  /** Resolves when the work has ended. */
  ended: Promise<void>;
}

/** How long an ended job can still be read, in milliseconds (TOOL-8). */
const KEEP_MS = 10 * 60_000;

/** Dependencies of {@linkcode Jobs}. */
export interface JobsOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Milliseconds since the epoch: when a job began, for people. */
  readonly time?: () => number;
}

/** All jobs of one service. */
export class Jobs {
  readonly #now: () => number;
  readonly #time: (() => number) | undefined;
  readonly #jobs = new Map<string, Job>();
  readonly #listeners = new Set<(job: JobSnapshot) => void>();
  #nextId = 1;

  /** Starts without any job. */
  constructor(options: JobsOptions) {
    this.#now = options.now;
    this.#time = options.time;
  }

  /** Starts `work`, or attaches to the running job of the same kind and key. Never throws. */
  start(kind: string, key: string, work: JobWork, { author }: JobStart = {}): JobSnapshot {
    this.#forgetOld();
    for (const job of this.#jobs.values()) {
      if (job.state === "running" && job.kind === kind && job.key === key) return snapshot(job);
    }
    const job: Job = {
      id: `${kind}-${this.#nextId++}`,
      kind,
      key,
      author,
      started: this.#time?.(),
      progress: undefined,
      state: "running",
      endedAt: null,
      events: new JobLog(LOG_BOUNDS),
      abort: new AbortController(),
      listeners: new Set(),
      ended: Promise.resolve(),
    };
    this.#jobs.set(job.id, job);
    this.#tell(job);
    job.ended = this.#run(job, work);
    return snapshot(job);
  }

  /** Returns the job of that id. 404 `unknown-job` also for a forgotten one. */
  get(id: string): Result<JobSnapshot, Problem> {
    const job = this.#find(id);
    return job.ok ? ok(snapshot(job.value)) : job;
  }

  /** All jobs that can still be read, oldest first. */
  list(): JobSnapshot[] {
    this.#forgetOld();
    return [...this.#jobs.values()].map(snapshot);
  }

  /** {@linkcode list}, with more facts for people. */
  overview(): JobOverview[] {
    this.#forgetOld();
    return [...this.#jobs.values()].map((job) => ({
      ...snapshot(job),
      ...(job.started !== undefined && { started: job.started }),
      ...(job.progress !== undefined && { progress: job.progress }),
    }));
  }

  /**
   * Calls `listen` when a job starts and when it has ended. `listen` must not throw. @returns Ends
   * the subscription.
   */
  subscribe(listen: (job: JobSnapshot) => void): () => void {
    const own = (job: JobSnapshot) => listen(job); // the same function may listen twice
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Asks a running job to stop; does nothing to an ended one. 404 `unknown-job`. */
  cancel(id: string): Result<JobSnapshot, Problem> {
    const job = this.#find(id);
    if (!job.ok) return job;
    cancel(job.value);
    return ok(snapshot(job.value));
  }

  /** Asks every running job to stop, and waits until each has undone its unfinished work. */
  async cancelAll(): Promise<void> {
    const jobs = [...this.#jobs.values()];
    jobs.forEach(cancel);
    await Promise.all(jobs.map(({ ended }) => ended));
  }

  /**
   * Yields the events of a job after number `after`, then new ones, until the job has ended.
   *
   * @param signal Ends the reading, never the job.
   */
  async *events(id: string, after = 0, signal?: AbortSignal): AsyncGenerator<Sequenced<JobEvent>> {
    const found = this.#find(id);
    if (!found.ok) return;
    const job = found.value;
    let last = after;
    while (!signal?.aborted) {
      const ended = job.state !== "running"; // read before the events: an end adds its event first
      for (const event of job.events.after(last)) {
        last = event.seq;
        yield event;
        if (signal?.aborted) return;
      }
      if (ended) return;
      if (job.events.lastSeq <= last) await nextEvent(job, signal);
    }
  }

  #find(id: string): Result<Job, Problem> {
    this.#forgetOld();
    const job = this.#jobs.get(id);
    return job !== undefined ? ok(job) : refuse(
      404,
      "unknown-job",
      `There is no job ${JSON.stringify(id.slice(0, 80))}`,
      "Ended jobs are kept for at most 10 minutes, the newest longest; start the work again",
    );
  }

  #forgetOld(): void {
    for (const job of this.#jobs.values()) {
      if (job.endedAt !== null && this.#now() - job.endedAt > KEEP_MS) {
        this.#jobs.delete(job.id);
      }
    }
  }

  /** Forgets the jobs that ended first, until the rest is within bounds. */
  #forgetMany(): void {
    const ended = [...this.#jobs.values()].filter(({ state }) => state !== "running");
    ended.sort((one, other) => (one.endedAt ?? 0) - (other.endedAt ?? 0));
    let characters = ended.reduce((sum, { events }) => sum + events.characters, 0);
    let left = ended.length;
    for (const { id, events } of ended.slice(0, -1)) {
      if (left <= ENDED_BOUNDS.jobs && characters <= ENDED_BOUNDS.characters) return;
      this.#jobs.delete(id);
      characters -= events.characters;
      left--;
    }
  }

  async #run(job: Job, work: JobWork): Promise<void> {
    const push = (event: JobEvent) => {
      if (job.state !== "running") return; // work that outlives its job can no longer log
      job.events.push(event);
      for (const wake of [...job.listeners]) wake();
    };
    const context: JobContext = {
      signal: job.abort.signal,
      log: (line, stream = "stdout") => push({ event: "log", data: { line, stream } }),
      progress(done, total, unit, label) {
        const data = { done, total, unit, label };
        if (job.state === "running") job.progress = data;
        push({ event: "progress", data });
      },
    };
    let outcome: Result<JsonObject, Problem>;
    try {
      await Promise.resolve(); // the caller gets its handle before the first event
      outcome = await work(context);
    } catch (thrown) {
      outcome = { ok: false, error: fault(thrown) };
    }
    const cancelled = job.abort.signal.aborted && !outcome.ok;
    if (outcome.ok) push({ event: "done", data: { ...outcome.value, ok: true } });
    else if (cancelled) push({ event: "problem", data: cancelledProblem(job) });
    else push({ event: "problem", data: outcome.error });
    job.state = outcome.ok ? "done" : cancelled ? "cancelled" : "failed";
    job.endedAt = this.#now();
    this.#forgetMany();
    for (const wake of [...job.listeners]) wake();
    this.#tell(job);
  }

  #tell(job: Job): void {
    for (const listen of [...this.#listeners]) listen(snapshot(job));
  }
}

function cancel({ id, abort }: Job): void {
  abort.abort(new DOMException(`Job ${id} was cancelled`, "AbortError"));
}

function cancelledProblem(job: Job): Problem {
  return problem(
    409,
    "cancelled",
    `Job ${job.id} was cancelled before it finished`,
    "Start it again",
  );
}

function snapshot(job: Job): JobSnapshot {
  const { id, kind, key, state, author } = job;
  return { id, kind, key, state, lastSeq: job.events.lastSeq, ...author };
}

function nextEvent(job: Job, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      job.listeners.delete(wake);
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    job.listeners.add(wake);
    signal?.addEventListener("abort", wake);
    if (signal?.aborted) wake();
  });
}
