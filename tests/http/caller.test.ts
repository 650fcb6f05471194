import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Handler } from "../../lib/http/mod.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";
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

/** The authors of the newest steps of undo, the newest first, as its list and the journal have them. */
async function authors({ call }: ProjectService, count: number): Promise<readonly object[]> {
  const { body: { undo } } = await call("get_history");
  const { body: { events } } = await call("editor_journal", { type: "edit" });
  const authorOf = ({ source, by }: { source: string; by?: string }) => ({ source, by });
  const listed = undo.slice(0, count).map(authorOf);
  assert.deepEqual(events.slice(-count).toReversed().map(authorOf), listed);
  return listed;
}

test("an agent over HTTP is called as the first product of its User-Agent; a browser is not (HTTP-12)", () =>
  withSampleService(async (service) => {
    const { send } = service;
    const cases = [
      ["curl/8.14.1", "agent", "curl"],
      ["my-agent", "agent", "my-agent"],
      ["Mozilla/5.0 (X11; Linux x86_64)", "agent", undefined],
      ["(only a comment)", "agent", undefined],
      ["<b>bold</b>", "agent", undefined],
    ] as const;
    for (const [agent, source, by] of cases) {
      const headers = { "user-agent": agent };
      assert.equal((await send("/api/create-entity", json({ name: "A" }, headers))).status, 200);
      assert.deepEqual(await authors(service, 1), [{ source, by }], agent);
    }
    const person = { "user-agent": "curl/8.14.1", "x-svc-caller": "human" };
    await send("/api/create-entity", json({ name: "A" }, person));
    assert.deepEqual(await authors(service, 1), [{ source: "human", by: undefined }]);
    const { body } = await send("/api/undo", json({}, { "user-agent": "curl/8.14.1" }));
    assert.deepEqual(body.ofOthers, ['Create "A", by a person']);
    const own = await send("/api/undo", json({}, { "user-agent": "<b>bold</b>" }));
    assert.deepEqual([own.body.did, own.body.ofOthers], [['Create "A"'], undefined]);
  }));

/** A client of MCP, of a protocol that says who it is once, or with every request. */
async function connect(
  handler: Handler,
  era: "2025-11-25" | "2026-07-28",
  clientInfo: { readonly name: string; readonly title?: string },
): Promise<Client> {
  const negotiation = { versionNegotiation: { mode: "auto" as const } };
  const options = era === "2026-07-28" ? negotiation : {};
  const client = new Client({ ...clientInfo, version: "1" }, options);
  const url = new URL("http://127.0.0.1:4747/mcp");
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      fetch: (target, init) => {
        const request = new Request(target, init);
        request.headers.set("host", "127.0.0.1:4747"); // a socket would have brought it
        return handler(request);
      },
    }),
  );
  assert.equal(client.getNegotiatedProtocolVersion(), era);
  return client;
}

for (const era of ["2025-11-25", "2026-07-28"] as const) {
  test(`two agents over MCP ${era} are told apart by what they call themselves (HTTP-12)`, () =>
    withSampleService(async (service) => {
      const one = await connect(service.handler, era, {
        name: "claude-code",
        title: "Claude Code",
      });
      const two = await connect(service.handler, era, { name: "codex" });
      for (const client of [one, two, one]) {
        const name = "create_entity";
        const { isError } = await client.callTool({ name, arguments: { name: "Boat" } });
        assert.equal(isError, undefined);
      }
      assert.deepEqual(await authors(service, 3), [
        { source: "agent", by: "Claude Code" },
        { source: "agent", by: "codex" },
        { source: "agent", by: "Claude Code" },
      ]);
      const undone = await one.callTool({ name: "undo", arguments: { steps: 2 } });
      const { did, ofOthers } = JSON.parse(Object(undone.content.at(-1)).text);
      assert.deepEqual([did.length, ofOthers], [2, ['Create "Boat", by agent codex']]);
      const { body: { events } } = await service.call("editor_journal", { type: "undo" });
      assert.equal(events.at(-1).by, "Claude Code");
      await one.close();
      await two.close();
    }));

  test(`an agent over MCP ${era} may call itself anything: it is one short line (HTTP-12)`, () =>
    withSampleService(async (service) => {
      const cases = [
        ["  two\n lines\t", "two lines"],
        ["a\u202eb\u0000c\u200b", "ab c"],
        ["\ud800x", "x"],
        ["\u202e\u2066", undefined],
        ["é".repeat(300), "é".repeat(40)],
        ["🤖".repeat(60), "🤖".repeat(40)],
        ["<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"],
      ] as const;
      for (const [name, by] of cases) {
        const client = await connect(service.handler, era, { name });
        await client.callTool({ name: "create_entity", arguments: { name: "Boat" } });
        assert.deepEqual(await authors(service, 1), [{ source: "agent", by }]);
        await client.close();
      }
    }));
}

test("a session id that is no name of ours names nobody (HTTP-12)", () =>
  withSampleService(async (service) => {
    for (
      const id of ["x", "named--00000000", "named-\u00ff-1", `named-${"A".repeat(5000)}-00000000`]
    ) {
      const headers = { "mcp-session-id": id };
      const { status } = await service.send("/api/create-entity", json({ name: "A" }, headers));
      assert.equal(status, 200);
      assert.deepEqual(await authors(service, 1), [{ source: "agent", by: undefined }], id);
    }
  }));
