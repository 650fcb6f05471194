import assert from "node:assert/strict";
import { test } from "node:test";
import { withSampleService } from "../support/project-service.ts";
import { json } from "../support/tiny-service.ts";

test("what is called with X-Svc-Caller is that caller's, in the journal and the list of undo", () =>
  withSampleService(async ({ send, call }) => {
    const create = (name: string, headers: Record<string, string>) =>
      send("/api/create-entity", json({ name }, headers));
    assert.equal((await create("By nobody said", {})).status, 200);
    assert.equal((await create("By the page", { "x-svc-caller": "human" })).status, 200);
    assert.equal((await create("By a tool", { "x-svc-caller": "agent" })).status, 200);
    const { body: { undo } } = await call("get_history");
    const authors = undo.slice(0, 3).map(({ source }: { source: string }) => source);
    assert.deepEqual(authors, ["agent", "human", "agent"]);
    const { body: { events } } = await call("editor_journal", { type: "edit" });
    const sources = events.slice(-3).map(({ source }: { source: string }) => source);
    assert.deepEqual(sources, ["agent", "human", "agent"]);
    const wrong = await create("Nobody", { "x-svc-caller": "root" });
    assert.deepEqual([wrong.status, wrong.body.code], [400, "bad-caller"]);
  }));
