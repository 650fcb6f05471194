import { test } from "node:test";
import assert from "node:assert/strict";
import type { JobContext } from "../../lib/core/jobs.ts";
import { refuse } from "../../lib/core/problem.ts";
import { ok } from "../../lib/core/result.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";
import { callTool } from "../../lib/agent/declaration/call.ts";
import { ask, createTinyServices, toolNamed } from "../support/ask.ts";

/** Services with a job that runs until it is told to end. */
function withJob() {
  const services = createTinyServices();
  let end: (good: boolean) => void = () => {};
  const job = services.jobs.start("publish", "tiny v1", (context: JobContext) => {
    for (let i = 1; i <= 30; i++) context.log(`line ${i}`);
    context.progress(5, 10, "bytes", "upload");
    return new Promise((resolve) => {
      end = (good) =>
        resolve(good ? ok({ version: "v1" }) : refuse(422, "broken", "It broke", "Mend it"));
      context.signal.addEventListener("abort", () => end(false));
    });
  });
  return { services, id: job.id, end: (good: boolean) => end(good) };
}

/** Lets the work of a job begin. */
async function begun(): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.resolve();
}

test("job_get lists the jobs, and one with the end of its log and its progress", async () => {
  const { services, id } = withJob();
  await begun();
  const list = (await ask("job_get", {}, services)).body;
  assert.equal(list.count, 1);
  assert.deepEqual([list.jobs[0].id, list.jobs[0].state], [id, "running"]);
  const { body } = await ask("job_get", { id }, services);
  assert.deepEqual(body.progress, { done: 5, total: 10, unit: "bytes", label: "upload" });
  assert.deepEqual([body.log.length, body.logTotal, body.truncated], [20, 30, true]);
  assert.deepEqual(body.log.at(-1), { seq: 30, line: "line 30", stream: "stdout" });
  assert.equal("result" in body || "problem" in body, false);
});

test("job_get gives the oldest lines after a seq, and as many as asked for", async () => {
  const { services, id } = withJob();
  await begun();
  const after = (await ask("job_get", { id, since: 10, limit: 3 }, services)).body;
  assert.deepEqual(after.log.map(({ seq }: { seq: number }) => seq), [11, 12, 13]);
  assert.deepEqual([after.logTotal, after.truncated], [20, true]);
  const all = (await ask("job_get", { id, limit: 1_000_000 }, services)).body;
  assert.deepEqual([all.log.length, all.truncated], [30, false]);
  const none = (await ask("job_get", { id, limit: 0 }, services)).body;
  assert.deepEqual([none.log, none.truncated], [[], true]);
});

for (
  const [good, state, member, value] of [
    [true, "done", "result", { version: "v1", ok: true }],
    [false, "failed", "problem", { code: "broken" }],
  ] as const
) {
  test(`job_get tells how a job ended: ${state}`, async () => {
    const { services, id, end } = withJob();
    await begun();
    const waiting = ask("job_get", { id, wait: 25 }, {
      ...services,
      clock: {
        sleep: (_ms, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason));
          }),
      },
    });
    end(good);
    const { body } = await waiting;
    assert.equal(body.state, state);
    for (const [name, expected] of Object.entries(value)) {
      assert.equal(body[member][name], expected);
    }
    assert.equal("progress" in body, false);
  });
}

test("job_get answers a running job when the wait is over", async () => {
  const { services, id } = withJob();
  await begun();
  const { body } = await ask("job_get", { id, wait: 1 }, services);
  assert.equal(body.state, "running");
});

test("job_cancel stops a running job once, and needs to know which", async () => {
  const { services, id } = withJob();
  await begun();
  const { status, body } = await ask("job_cancel", { id }, services);
  assert.deepEqual([status, body.ok, body.id], [200, true, id]);
  assert.equal((await ask("job_get", { id, wait: 1 }, services)).body.state, "cancelled");
  const again = await ask("job_cancel", { id }, services);
  assert.deepEqual([again.status, again.body.code], [409, "job-ended"]);
  assert.equal((await ask("job_cancel", {}, services)).body.code, "missing-argument");
  for (const tool of ["job_get", "job_cancel"]) {
    const unknown = await ask(tool, { id: "publish-9" }, services);
    assert.deepEqual([unknown.status, unknown.body.code], [404, "unknown-job"]);
  }
});

for (
  const tool of [
    "job_get",
    "job_cancel",
    "build_project",
    "svc_ota_publish",
    "svc_ota_status",
    "svc_ota_keygen",
  ]
) {
  test(`${tool} is 503 where the host has no part for it`, async () => {
    const { status, body } = await ask(tool, {}, { editor: createTinyEditor() });
    assert.equal(status, 503);
    assert.match(body.code, /^no-(?:jobs|builds|updates)$/);
  });
}

/** A clock that naps until it is woken. */
const NAPPING = {
  sleep: (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((_resolve, reject) =>
      signal?.addEventListener("abort", () => reject(signal.reason))
    ),
};

test("job_get passes the job's progress on to a caller that waits", async () => {
  const { services, id, end } = withJob();
  const heard: unknown[][] = [];
  const waiting = callTool(
    toolNamed("job_get"),
    { id, wait: 20 },
    { ...services, clock: NAPPING },
    {
      cap: 60_000,
      progress: (...reported) => heard.push(reported),
    },
  );
  await new Promise((resolve) => setTimeout(resolve, 0));
  end(true);
  assert.equal(JSON.parse((await waiting).text).state, "done");
  assert.deepEqual(heard, [[5, 10, "upload"]]);
});

test("job_get stops waiting when nobody waits for it, and leaves the job alone", async () => {
  const { services, id, end } = withJob();
  const leaving = new AbortController();
  const waiting = callTool(
    toolNamed("job_get"),
    { id, wait: 20 },
    { ...services, clock: NAPPING },
    {
      cap: 60_000,
      signal: leaving.signal,
    },
  );
  await begun();
  leaving.abort();
  assert.equal(JSON.parse((await waiting).text).code, "cancelled");
  assert.equal(services.jobs.list()[0]?.state, "running");
  end(true);
});
