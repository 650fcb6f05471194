import { test } from "node:test";
import { ok } from "../../lib/core/result.ts";
import assert from "node:assert/strict";
import type { ChangeListener, Editor } from "../../lib/editor/ports/mod.ts";
import { EventReader } from "../support/sse.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";
import { createTinyService, ORIGIN, startJob } from "../support/tiny-service.ts";
import { withScene } from "../editor/playing.ts";

/** A tiny editor that tells what it is told to. */
function telling(): { readonly editor: Editor; tell: ChangeListener; listeners(): number } {
  const listeners = new Set<ChangeListener>();
  return {
    editor: {
      ...createTinyEditor(),
      changes: {
        subscribe(listen) {
          listeners.add(listen);
          return () => void listeners.delete(listen);
        },
      },
    },
    tell: (change) => listeners.forEach((listen) => listen(change)),
    listeners: () => listeners.size,
  };
}

/** Opens the stream. */
async function open(
  { handler }: ReturnType<typeof createTinyService>,
  { query = "", lastEventId, signal }: {
    readonly query?: string;
    readonly lastEventId?: string;
    readonly signal?: AbortSignal;
  } = {},
): Promise<EventReader> {
  const headers = new Headers({ host: "127.0.0.1:4747" });
  if (lastEventId !== undefined) headers.set("last-event-id", lastEventId);
  const request = new Request(`${ORIGIN}/api/changes${query}`, {
    headers,
    ...(signal && { signal }),
  });
  const response = await handler(request);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  return new EventReader(response);
}

// HTTP-8
test("GET /api/changes says hello, then tells what happens in the editor and of jobs", async () => {
  await withScene([{}], async ({ editor }) => {
    const service = createTinyService({ editor });
    const reader = await open(service);
    const hello = await reader.next();
    assert.deepEqual([hello?.event, hello?.data], ["hello", "{}"]);
    assert.match(hello?.id ?? "", /^[0-9a-f]{8}:0$/);
    const ops = [{ op: "rename", id: 1, name: "Renamed" }] as const;
    await editor.editing.edit({ ops, source: "agent" });
    const scene = await reader.next();
    assert.equal(scene?.event, "scene");
    const { kind, entities, rev } = JSON.parse(scene?.data ?? "");
    assert.deepEqual([kind, entities[0].name, rev], ["scene", "Renamed", 1]);
    const { id, end } = startJob(service.jobs);
    const begun = JSON.parse((await reader.nextOf("job")).data);
    assert.deepEqual(begun, { kind: "job", job: id, name: "install java", state: "running" });
    end();
    assert.equal(JSON.parse((await reader.nextOf("job")).data).state, "done");
    const author = { source: "agent", by: "Claude Code" } as const;
    service.jobs.start("build", "web", () => Promise.resolve(ok({})), { author });
    const { source, by } = JSON.parse((await reader.nextOf("job")).data);
    assert.deepEqual({ source, by }, author);
    await reader.stop();
  });
});

test("GET /api/changes is refused where the editor tells nothing", async () => {
  const { status, text } = await createTinyService().send("/api/changes");
  assert.deepEqual([status, JSON.parse(text).code], [503, "no-changes"]);
});

for (const way of ["since", "Last-Event-ID"] as const) {
  test(`GET /api/changes goes on after the event that ${way} names`, async () => {
    const { editor, tell } = telling();
    const service = createTinyService({ editor });
    const first = await open(service);
    await first.next();
    tell({ kind: "history" });
    const seen = await first.next();
    await first.stop();
    tell({ kind: "assets" });
    tell({ kind: "settings" });
    const id = seen?.id ?? "";
    const again = await open(
      service,
      way === "since" ? { query: `?since=${id}` } : { query: "?since=gone:7", lastEventId: id },
    );
    for (const expected of ["alive", "assets", "settings"]) {
      assert.equal((await again.next())?.event, expected);
    }
    await again.stop();
  });
}

test("GET /api/changes tells nothing twice to who has seen all", async () => {
  const { editor, tell } = telling();
  const service = createTinyService({ editor });
  const hello = await (await open(service)).next();
  const again = await open(service, { query: `?since=${hello?.id}` });
  tell({ kind: "history" });
  assert.equal((await again.next())?.event, "alive");
  assert.equal((await again.next())?.event, "history");
});

for (
  const [title, since] of [
    ["another epoch", () => "deadbeef:0"],
    ["a number that is yet to come", (epoch: string) => `${epoch}:99`],
    ["what is no longer kept", (epoch: string) => `${epoch}:0`],
  ] as const
) {
  test(`GET /api/changes asks to begin again for ${title}`, async () => {
    const { editor, tell } = telling();
    const service = createTinyService({ editor });
    const hello = await (await open(service)).next();
    if (title === "what is no longer kept") {
      for (let n = 0; n < 1_001; n++) tell({ kind: "history" });
    }
    const epoch = hello?.id.split(":")[0] ?? "";
    const reader = await open(service, { query: `?since=${since(epoch)}` });
    const reset = await reader.next();
    assert.deepEqual([reset?.event, reset?.data], ["reset", "{}"]);
    tell({ kind: "assets" });
    assert.equal((await reader.next())?.event, "assets");
  });
}

test("GET /api/changes keeps changes by their size too", async () => {
  const { editor, tell } = telling();
  const service = createTinyService({ editor });
  const hello = await (await open(service)).next();
  const payload = "x".repeat(1024 * 1024);
  for (let n = 0; n < 5; n++) {
    tell({ kind: "editor-event", seq: n, t: 0, type: "edit", source: "agent", payload });
  }
  const reader = await open(service, { query: `?since=${hello?.id}` });
  assert.equal((await reader.next())?.event, "reset");
});

test("GET /api/changes: a slow reader holds nothing, and is asked to begin again", async () => {
  const { editor, tell } = telling();
  const service = createTinyService({ editor });
  const slow = await open(service);
  assert.equal((await slow.next())?.event, "hello");
  for (let n = 0; n < 5_000; n++) tell({ kind: "console", seq: n });
  const events: string[] = [];
  let last = 0;
  while (last < 4_999) {
    const event = await slow.next();
    events.push(event?.event ?? "");
    if (event?.event === "console") last = JSON.parse(event.data).seq;
    else tell({ kind: "console", seq: 4_999 });
  }
  assert.ok(events.includes("reset"));
  assert.ok(events.length < 2_000, `${events.length} events`);
});

test("GET /api/changes refuses a since that names no event", async () => {
  const { editor } = telling();
  const { status, text } = await createTinyService({ editor }).send("/api/changes?since=7");
  assert.deepEqual([status, JSON.parse(text).code], [400, "bad-since"]);
});

test("GET /api/changes compares nothing before somebody asks, and follows the editor once", async () => {
  const { editor, listeners } = telling();
  const service = createTinyService({ editor });
  assert.equal(listeners(), 0);
  const readers = [await open(service), await open(service)];
  assert.equal(listeners(), 1);
  for (const reader of readers) await reader.stop();
});

test("GET /api/changes counts among the open streams until its reader goes", async () => {
  const { editor } = telling();
  const service = createTinyService({ editor });
  const leaving = new AbortController();
  for (let n = 0; n < 256; n++) await open(service, { signal: leaving.signal });
  const { status, text } = await service.send("/api/changes");
  assert.deepEqual([status, JSON.parse(text).code], [503, "too-many-streams"]);
  leaving.abort();
  await open(service);
});

test("GET /api/changes says that it is alive while nothing happens", async () => {
  const { editor, tell } = telling();
  const { handler, tick } = createTinyService({ editor });
  const headers = { host: "127.0.0.1:4747" };
  const response = await handler(new Request(`${ORIGIN}/api/changes`, { headers }));
  const reader = response.body?.getReader();
  const next = async () => new TextDecoder().decode((await reader?.read())?.value);
  assert.match(await next(), /event: hello/);
  const idle = next();
  await new Promise((resolve) => setTimeout(resolve, 0));
  tick();
  assert.equal(await idle, "event: alive\ndata: {}\n\n"); // without an id: no place in the stream
  tell({ kind: "history" });
  assert.match(await next(), /event: history/);
});

test("GET /api/changes is guarded like a read", async () => {
  const { editor } = telling();
  const service = createTinyService({ editor });
  for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "same-site" }]) {
    assert.equal((await service.send("/api/changes", { headers })).status, 403);
  }
});
