import assert from "node:assert/strict";
import { test } from "node:test";
import { type JobContext, type JobEvent, Jobs, type JobWork } from "../../lib/core/jobs.ts";
import { problem } from "../../lib/core/problem.ts";
import { err, ok } from "../../lib/core/result.ts";

const KEEP_MS = 10 * 60_000;

/** Jobs on a clock that stands until it is moved. */
function createJobs(): { readonly jobs: Jobs; readonly pass: (ms: number) => void } {
  let now = 0;
  return {
    jobs: new Jobs({ now: () => now }),
    pass: (ms) => void (now += ms),
  };
}

interface Controlled {
  readonly work: JobWork;
  /** Settles once the work has begun. */
  readonly begun: Promise<JobContext>;
  readonly end: (outcome: Awaited<ReturnType<JobWork>>) => void;
}

/** Work that ends when the test says so. */
function controlled(): Controlled {
  let begin = (_: JobContext) => {};
  let end: Controlled["end"] = () => {};
  const begun = new Promise<JobContext>((resolve) => begin = resolve);
  const outcome = new Promise<Awaited<ReturnType<JobWork>>>((resolve) => end = resolve);
  return { begun, end, work: (context) => (begin(context), outcome) };
}

async function read(
  jobs: Jobs,
  id: string,
  after?: number,
): Promise<(JobEvent & { seq: number })[]> {
  const events = [];
  for await (const event of jobs.events(id, after)) events.push(event);
  return events;
}

function stateOf(jobs: Jobs, id: string): string {
  const found = jobs.get(id);
  return found.ok ? found.value.state : found.error.code;
}

test("Jobs.start() gives the handle before the work says anything", async () => {
  const { jobs } = createJobs();
  let begun = false;
  const job = jobs.start("build", "web", (context) => {
    begun = true;
    context.log("hello");
    return Promise.resolve(ok({ path: "out" }));
  });
  assert.deepEqual([begun, job.state, job.lastSeq], [false, "running", 0]);
  assert.deepEqual(await read(jobs, job.id), [
    { seq: 1, event: "log", data: { line: "hello", stream: "stdout" } },
    { seq: 2, event: "done", data: { path: "out", ok: true } },
  ]);
  assert.deepEqual(jobs.get(job.id), ok({ ...job, state: "done", lastSeq: 2 }));
});

// TOOL-7
test("Jobs.start() attaches to the running job of the same kind and key, and to no other", async () => {
  const { jobs } = createJobs();
  const first = controlled();
  const unwanted: JobWork = () => assert.fail("the work of an attached call must not run");
  const job = jobs.start("build", "web", first.work);
  assert.equal(jobs.start("build", "web", unwanted).id, job.id);
  const others = [["build", "ios"], ["install", "web"]] as const;
  for (const [kind, key] of others) {
    assert.notEqual(jobs.start(kind, key, () => Promise.resolve(ok({}))).id, job.id);
  }
  await first.begun;
  first.end(ok({}));
  await read(jobs, job.id);
  const again = jobs.start("build", "web", () => Promise.resolve(ok({ second: true })));
  assert.notEqual(again.id, job.id);
  assert.deepEqual((await read(jobs, again.id)).at(-1)?.data, { second: true, ok: true });
  assert.equal(new Set(jobs.list().map(({ id }) => id)).size, 4);
});

test("Jobs.start() says who began a job, in every list; whoever attaches is not named", () => {
  const { jobs } = createJobs();
  const reported: unknown[] = [];
  jobs.subscribe(({ source, by }) => reported.push({ source, by }));
  const author = { source: "agent", by: "Claude Code" } as const;
  const { work } = controlled();
  jobs.start("build", "web", work, { author });
  jobs.start("build", "web", work, { author: { source: "human" } });
  for (const [job] of [jobs.list(), jobs.overview()]) {
    assert.deepEqual([job?.source, job?.by], ["agent", "Claude Code"]);
  }
  assert.deepEqual(reported, [author]);
  assert.equal("source" in jobs.start("build", "ios", work), false);
});

test("Jobs.events() replays after a number, then tells what comes, then ends", async () => {
  const { jobs } = createJobs();
  const { work, begun, end } = controlled();
  const job = jobs.start("build", "web", work);
  const context = await begun;
  context.log("one");
  context.log("two", "stderr");
  const events = jobs.events(job.id, 1);
  assert.deepEqual((await events.next()).value, {
    seq: 2,
    event: "log",
    data: { line: "two", stream: "stderr" },
  });
  const next = events.next();
  context.progress(1, 4, "files", "packing");
  assert.deepEqual((await next).value, {
    seq: 3,
    event: "progress",
    data: { done: 1, total: 4, unit: "files", label: "packing" },
  });
  end(ok({}));
  assert.equal((await events.next()).value?.event, "done");
  assert.equal((await events.next()).done, true);
  assert.deepEqual((await read(jobs, job.id, 3)).map(({ seq }) => seq), [4]);
  assert.deepEqual(await read(jobs, job.id, 99), []);
});

test("Jobs.events() of a long log begins with the oldest line that is kept", async () => {
  const { jobs } = createJobs();
  const job = jobs.start("build", "web", (context) => {
    for (let i = 1; i <= 10_001; i++) context.log(String(i));
    return Promise.resolve(ok({}));
  });
  await read(jobs, job.id); // to its end
  const seqs = (await read(jobs, job.id)).map(({ seq }) => seq);
  assert.deepEqual([seqs.length, seqs.at(0), seqs.at(-1)], [10_000, 3, 10_002]);
});

test("Jobs.cancel() ends work that minds its signal: cancelled, told by a problem", async () => {
  const { jobs } = createJobs();
  const job = jobs.start("build", "web", ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    }));
  await Promise.resolve();
  assert.equal(jobs.cancel(job.id).ok, true);
  const [event] = await read(jobs, job.id);
  assert.ok(event?.event === "problem");
  assert.deepEqual([event.data.status, event.data.code], [409, "cancelled"]);
  assert.equal(stateOf(jobs, job.id), "cancelled");
});

test("Jobs.cancel() leaves work done that did not mind its signal and succeeded", async () => {
  const { jobs } = createJobs();
  const { work, end } = controlled();
  const job = jobs.start("build", "web", work);
  jobs.cancel(job.id);
  end(ok({ path: "out" }));
  assert.deepEqual((await read(jobs, job.id)).map(({ event }) => event), ["done"]);
  assert.equal(stateOf(jobs, job.id), "done");
});

test("Jobs.cancel() leaves a job that has ended as it is", async () => {
  const { jobs } = createJobs();
  const job = jobs.start("build", "web", () => Promise.resolve(ok({})));
  await read(jobs, job.id);
  const cancelled = jobs.cancel(job.id);
  assert.ok(cancelled.ok);
  assert.deepEqual([cancelled.value.state, cancelled.value.lastSeq], ["done", 1]);
});

for (
  const [name, work] of [
    ["rejects", () => Promise.reject(new Error("no such file"))],
    ["throws before it waits", () => {
      throw new Error("no such file");
    }],
  ] as const
) {
  test(`Jobs make a fault of work that ${name}`, async () => {
    const { jobs } = createJobs();
    const job = jobs.start("build", "web", work);
    const [event] = await read(jobs, job.id);
    assert.ok(event?.event === "problem");
    assert.equal(event.data.status, 500);
    assert.match(event.data.detail, /no such file/);
    assert.equal(stateOf(jobs, job.id), "failed");
  });
}

test("Jobs tell the problem that the work answered", async () => {
  const { jobs } = createJobs();
  const refused = problem(422, "no-jdk", "There is no JDK", "Install one");
  const job = jobs.start("build", "web", () => Promise.resolve(err(refused)));
  assert.deepEqual(await read(jobs, job.id), [{ seq: 1, event: "problem", data: refused }]);
  assert.equal(stateOf(jobs, job.id), "failed");
});

test("Jobs hear nothing more of work that has ended", async () => {
  const { jobs } = createJobs();
  const { work, begun, end } = controlled();
  const job = jobs.start("build", "web", work);
  const context = await begun;
  end(ok({}));
  await read(jobs, job.id);
  context.log("late");
  assert.deepEqual((await read(jobs, job.id)).map(({ event }) => event), ["done"]);
});

// TOOL-8
test("Jobs forget a job 10 minutes after its end, and no running one", async () => {
  const { jobs, pass } = createJobs();
  const running = jobs.start("build", "ios", controlled().work);
  const job = jobs.start("build", "web", () => Promise.resolve(ok({})));
  await read(jobs, job.id);
  pass(KEEP_MS);
  assert.equal(stateOf(jobs, job.id), "done");
  pass(1);
  assert.equal(stateOf(jobs, job.id), "unknown-job");
  assert.equal(jobs.cancel(job.id).ok, false);
  pass(1_000 * KEEP_MS);
  assert.deepEqual(jobs.list().map(({ id }) => id), [running.id]);
});

test("Jobs keep at most 4 MiB of a log, its newest events, and tell how it ended", async () => {
  const { jobs } = createJobs();
  const line = "x".repeat(1024 * 1024);
  const job = jobs.start("build", "web", (context) => {
    for (let i = 1; i <= 10; i++) context.log(line);
    return Promise.resolve(ok({}));
  });
  await read(jobs, job.id); // to its end
  const events = await read(jobs, job.id);
  assert.deepEqual(events.map(({ seq, event }) => `${seq} ${event}`), [
    "8 log",
    "9 log",
    "10 log",
    "11 done",
  ]);
});

test("Jobs forget what ended first, when over 100 jobs have ended; never a running one", async () => {
  const { jobs } = createJobs();
  const running = jobs.start("build", "ios", controlled().work);
  const ids: string[] = [];
  for (let i = 0; i <= 100; i++) {
    const { id } = jobs.start("install", `tool-${i}`, () => Promise.resolve(ok({})));
    await read(jobs, id);
    ids.push(id);
  }
  assert.deepEqual(jobs.list().map(({ id }) => id), [running.id, ...ids.slice(1)]);
  assert.equal(stateOf(jobs, ids[0] ?? ""), "unknown-job");
  assert.deepEqual(await read(jobs, ids[0] ?? ""), []);
});

test("Jobs forget what ended first, when logs of ended jobs are over 16 MiB together", async () => {
  const { jobs } = createJobs();
  const line = "x".repeat(1024 * 1024 - 10);
  const ids: string[] = [];
  for (let i = 0; i < 6; i++) {
    const { id } = jobs.start("install", `tool-${i}`, (context) => {
      for (let n = 0; n < 4; n++) context.log(line);
      return Promise.resolve(ok({}));
    });
    await read(jobs, id);
    ids.push(id);
  }
  assert.deepEqual(jobs.list().map(({ id }) => id), ids.slice(2));
});

test("Jobs.events() ends by its signal and leaves the job running", async () => {
  const { jobs } = createJobs();
  const { work, begun, end } = controlled();
  const job = jobs.start("build", "web", work);
  const context = await begun;
  const stop = new AbortController();
  const events = jobs.events(job.id, 0, stop.signal);
  const waiting = events.next();
  stop.abort();
  assert.equal((await waiting).done, true);
  assert.deepEqual([stateOf(jobs, job.id), context.signal.aborted], ["running", false]);
  end(ok({}));
  assert.deepEqual((await read(jobs, job.id)).map(({ event }) => event), ["done"]);
});

test("Jobs.events() under a signal that was aborted before tells nothing", async () => {
  const { jobs } = createJobs();
  const job = jobs.start("build", "web", () => Promise.resolve(ok({})));
  await read(jobs, job.id);
  assert.equal((await jobs.events(job.id, 0, AbortSignal.abort()).next()).done, true);
});

test("Jobs.events() of an unknown id ends at once", async () => {
  assert.deepEqual(await read(createJobs().jobs, "build-1"), []);
});

test("Jobs.get() of an unknown id is a 404 that names it", () => {
  const found = createJobs().jobs.get("build-7");
  assert.ok(!found.ok);
  assert.deepEqual([found.error.status, found.error.code], [404, "unknown-job"]);
  assert.match(found.error.detail, /build-7/);
});

test("Jobs.events() after a number beyond the last waits for the end, and does not spin", async () => {
  const jobs = new Jobs({ now: () => 0 });
  let finish = () => {};
  const work = new Promise<void>((resolve) => finish = resolve);
  const { id } = jobs.start("build", "web", async ({ log }) => {
    log("one");
    await work;
    return { ok: true, value: {} };
  });
  const seen: number[] = [];
  const reading = (async () => {
    for await (const { seq } of jobs.events(id, 99)) seen.push(seq);
  })();
  await new Promise((resolve) => setTimeout(resolve, 0)); // a spinning reader would never let this pass
  finish();
  await reading;
  assert.deepEqual(seen, []);
});
