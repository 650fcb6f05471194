import { test } from "node:test";
import assert from "node:assert/strict";
import { ok } from "../../lib/core/result.ts";
import type { BuildTarget } from "../../lib/toolchain/mod.ts";
import { TINY_BUILDS } from "../support/ask.ts";
import { createTinyService, json, ORIGIN, startJob } from "../support/tiny-service.ts";

/** Opens the events of a job and reads them piece by piece. */
async function open(
  { handler }: ReturnType<typeof createTinyService>,
  id: string,
  lastEventId?: string,
): Promise<{ response: Response; next(): Promise<string | null>; stop(): Promise<void> }> {
  const headers = new Headers({ host: "127.0.0.1:4747" });
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
  const response = await handler(new Request(`${ORIGIN}/api/jobs/${id}/events`, { headers }));
  const reader = response.body?.getReader();
  return {
    response,
    async next() {
      const piece = await reader?.read();
      return piece === undefined || piece.done ? null : new TextDecoder().decode(piece.value);
    },
    stop: async () => await reader?.cancel(),
  };
}

test("GET events tells what was, then what comes, then ends", async () => {
  const service = createTinyService();
  const { id, end } = startJob(service.jobs);
  const { response, next } = await open(service, id);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  assert.equal(await next(), `: ${id}\n\n`);
  assert.equal(
    await next(),
    `id: ${id}:1\nevent: log\ndata: {"line":"begun","stream":"stdout"}\n\n`,
  );
  end();
  assert.equal(await next(), `id: ${id}:2\nevent: done\ndata: {"installed":"java","ok":true}\n\n`);
  assert.equal(await next(), null);
});

// HTTP-5
test("GET events says that it is alive while nothing happens, and loses nothing by it", async () => {
  const service = createTinyService();
  const { id, end } = startJob(service.jobs);
  const { next } = await open(service, id);
  await next();
  await next();
  const idle = next();
  await new Promise((resolve) => setTimeout(resolve, 0));
  service.tick();
  assert.equal(await idle, ":\n\n");
  end();
  assert.match(await next() ?? "", /event: done/);
  assert.equal(await next(), null);
});

test("GET events that is given up does not stop the job", async () => {
  const service = createTinyService();
  const { id, end } = startJob(service.jobs);
  const { next, stop } = await open(service, id);
  await next();
  await stop();
  assert.equal(service.jobs.list()[0]?.state, "running");
  end();
  const again = await open(service, id, `${id}:1`);
  await again.next();
  assert.match(await again.next() ?? "", /event: done/);
});

for (
  const [title, lastEventId, want] of [
    ["all was seen", (id: string) => `${id}:2`, 204],
    ["more was seen than there is", (id: string) => `${id}:99`, 204],
    ["another job was followed", () => "build-7:1", 204],
    ["it names no event", () => "nonsense", 204],
    ["something is missing", (id: string) => `${id}:1`, 200],
  ] as const
) {
  test(`GET events of an ended job when ${title}`, async () => {
    const service = createTinyService();
    const { id, end } = startJob(service.jobs);
    const first = await open(service, id);
    await first.next();
    await first.next();
    end();
    await first.next();
    await first.next();
    const { response, stop } = await open(service, id, lastEventId(id));
    assert.equal(response.status, want);
    await stop();
  });
}

test("GET events of a running job waits when more was seen than there is", async () => {
  const service = createTinyService();
  const { id, end } = startJob(service.jobs);
  const { response, next } = await open(service, id, `${id}:99`);
  assert.equal(response.status, 200);
  await next();
  end();
  const reported = [await next(), await next(), await next()].join("");
  assert.match(reported, /event: done/);
});

test("GET events with a Last-Event-ID of a forgotten job is 204", async () => {
  const { response } = await open(createTinyService(), "install-1", "install-1:5");
  assert.equal(response.status, 204);
});

test("GET events of a job that was forgotten for newer ones is 404, and 204 to who comes back", async () => {
  const service = createTinyService();
  const ended: string[] = [];
  for (let i = 0; i <= 100; i++) {
    const { id } = service.jobs.start("install", `${i}`, () => Promise.resolve(ok({})));
    for await (const _ of service.jobs.events(id)); // to its end
    ended.push(id);
  }
  const [first] = ended;
  const { status, text } = await service.send(`/api/jobs/${first}/events`);
  assert.deepEqual([status, JSON.parse(text).code], [404, "unknown-job"]);
  const headers = { "last-event-id": `${first}:1` };
  assert.equal((await service.send(`/api/jobs/${first}/events`, { headers })).status, 204);
});

test("GET events is open 256 times at most, and a build that nobody could follow is not started", async () => {
  let builds = 0;
  const build = (target: BuildTarget) => (builds++, TINY_BUILDS.build(target));
  const service = createTinyService({ builds: { ...TINY_BUILDS, build } });
  const { id, end } = startJob(service.jobs);
  const open256 = await Promise.all(Array.from({ length: 256 }, () => open(service, id)));
  assert.ok(open256.every(({ response }) => response.status === 200));
  for (const path of [`/api/jobs/${id}/events`, "/api/build?target=web"]) {
    const { status, text } = await service.send(path);
    assert.deepEqual([status, JSON.parse(text).code], [503, "too-many-streams"], path);
  }
  assert.equal(builds, 0);
  await open256[0]?.stop();
  await open256[0]?.stop(); // counts once
  const again = await open(service, id);
  assert.equal(again.response.status, 200);
  assert.equal((await open(service, id)).response.status, 503);
  end();
  for (const { next } of [...open256.slice(1), again]) while (await next() !== null); // to its end
  assert.equal((await open(service, id)).response.status, 200);
});

test("POST cancel stops a running job and refuses an ended one", async () => {
  const service = createTinyService();
  const { id } = startJob(service.jobs);
  const { next } = await open(service, id);
  await next();
  await next();
  const stopped = await service.send(`/api/jobs/${id}/cancel`, { method: "POST" });
  assert.equal(stopped.status, 200);
  assert.equal(JSON.parse(stopped.text).id, id);
  assert.match(await next() ?? "", /event: problem\ndata: .*"code":"cancelled"/);
  assert.equal(await next(), null);
  const again = await service.send(`/api/jobs/${id}/cancel`, json({}));
  assert.deepEqual([again.status, JSON.parse(again.text).code], [409, "job-ended"]);
});
