import { test } from "node:test";
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { META_TOOLS, TOOLS, TOOLSETS } from "../../lib/agent/tools.ts";
import { defineTool, READ_ONLY, type Tool } from "../../lib/agent/declaration/tool.ts";
import type { Problem } from "../../lib/core/problem.ts";
import { ok, type Result } from "../../lib/core/result.ts";
import { loadServe } from "../../scripts/shared/runtime.ts";
import { createTinyService, json, type TinyServiceOptions } from "../support/tiny-service.ts";
import { withResolvers } from "../support/with-resolvers.ts";

const ERAS = ["2026-07-28", "2025-11-25"] as const;
type Era = (typeof ERAS)[number];

async function served(
  options: TinyServiceOptions,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const serve = await loadServe();
  const server = await serve(createTinyService(options).handler, {
    hostname: "127.0.0.1",
    port: 0,
  });
  assert.ok(server.ok);
  try {
    await work(server.value.url);
  } finally {
    await server.value.close();
  }
}

async function connect(url: string, era: Era, headers = {}): Promise<Client> {
  const modern = { versionNegotiation: { mode: "auto" as const } };
  const client = new Client({ name: "test", version: "1" }, era === "2026-07-28" ? modern : {});
  const requestInit = { headers };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

function texts(result: { content: readonly { type: string }[] }): string[] {
  return result.content.map((item) => "text" in item ? String(item.text) : "");
}

for (const era of ERAS) {
  test(`/mcp?toolsets= lists those and the tools about tools to a client of ${era}`, () =>
    served({}, async (url) => {
      const client = await connect(`${url}/mcp?toolsets=traits,layout`, era);
      try {
        const chosen = TOOLSETS.filter(({ name }) => ["traits", "layout"].includes(name));
        const expected = [...META_TOOLS, ...chosen.flatMap(({ tools }) => tools)];
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map(({ name }) => name), expected.map(({ name }) => name));
        // What is not listed is not there, except through the tools about tools.
        await assert.rejects(client.callTool({ name: "list_assets", arguments: {} }), {
          message: /another toolset: tools call=list_assets calls it/,
        });
        await assert.rejects(client.callTool({ name: "list_asset", arguments: {} }), {
          message: /There is no tool named "list_asset"/,
        });
        const through = await client.callTool({
          name: "tools",
          arguments: { call: "list_assets" },
        });
        assert.equal(texts(through)[1], await (await fetch(`${url}/api/assets`)).text());
      } finally {
        await client.close();
      }
    }));

  test(`a client of ${era} that asks hears of progress, in order and before the answer`, () =>
    served({ tools: [...TOOLS, counting()] }, async (url) => {
      const client = await connect(`${url}/mcp`, era);
      try {
        const heard: unknown[] = [];
        const call = { name: "count", arguments: {} };
        const result = await client.callTool(call, {
          onprogress: (reported) => heard.push(reported),
        });
        assert.deepEqual(heard, [
          { progress: 1, total: 3, message: "one" },
          { progress: 2, total: 3 },
          { progress: 3 },
        ]);
        assert.equal(texts(result)[1], '{"counted":3}');
        assert.equal(texts(await client.callTool(call))[1], '{"counted":3}');
      } finally {
        await client.close();
      }
    }));

  test(`a client of ${era} that leaves a call ends its work`, () => {
    const [begun, stopped] = [withResolvers(), withResolvers()];
    const tool = waiting({ onBegin: begun.resolve, onStop: stopped.resolve });
    return served({ tools: [...TOOLS, tool] }, async (url) => {
      const client = await connect(`${url}/mcp`, era);
      const leaving = new AbortController();
      const call = client.callTool({ name: "wait", arguments: {} }, { signal: leaving.signal });
      const left = assert.rejects(call);
      await begun.promise;
      // In 2025-11-25 giving up is a message of its own, which a server without sessions cannot tell
      // whose it is: there the connection must go.
      if (era === "2026-07-28") leaving.abort();
      else await client.close();
      await left;
      await stopped.promise;
      await client.close();
    });
  });
}

const common = {
  defaultShape: "nothing much",
  parameters: z.object({}),
  drillDown: {},
  annotations: READ_ONLY,
};

/** A tool that says how far it is; what does not grow is not told. */
function counting(): Tool {
  return defineTool({
    ...common,
    name: "count",
    route: "/api/count",
    purpose: "Counts",
    produce(_services, _args, { progress }) {
      progress(1, 3, "one");
      progress(1, 3, "one again");
      progress(2, 3);
      progress(3);
      return Promise.resolve(ok(3));
    },
    summarize: (counted) => ok({ counted }),
  });
}

/** A tool that waits until nobody waits for it. */
function waiting(listeners: { readonly onBegin: () => void; readonly onStop: () => void }): Tool {
  return defineTool({
    ...common,
    name: "wait",
    route: "/api/wait",
    purpose: "Waits",
    produce(_services, _args, { signal }) {
      listeners.onBegin();
      return new Promise<Result<null, Problem>>((resolve) => {
        signal.addEventListener("abort", () => {
          listeners.onStop();
          resolve(ok(null));
        });
      });
    },
    summarize: () => ok({}),
  });
}

test("/mcp refuses toolsets that there are not, and lists those that there are", async () => {
  const service = createTinyService();
  const { status, text } = await service.send("/mcp?toolsets=scene,plya", json({}));
  assert.equal(status, 400);
  const { code, detail } = JSON.parse(text);
  assert.equal(code, "unknown-toolset");
  for (const { name } of TOOLSETS) assert.ok(detail.includes(name));
});

const ONE = { id: "0a0a0a0a", pid: 11, port: 4747 };
const OTHER = { id: "0b0b0b0b", pid: 12, port: 4748 };

// BUDGET-7
test("two editors of one project are told apart by their banners", async () => {
  for (const instance of [ONE, OTHER]) {
    const { headers } = await createTinyService({ instance }).send("/api/traits");
    assert.equal(
      headers.get("x-svc-identity"),
      `tiny | project Tiny | scene main.scene | /games/tiny | port ${instance.port} | ` +
        `pid ${instance.pid} | instance ${instance.id}`,
    );
  }
});

const MEANT: readonly (readonly [string, string, RequestInit, number])[] = [
  ["a header with our id", "/api/traits", { headers: { "x-svc-instance": ONE.id } }, 200],
  ["a header with another id", "/api/traits", { headers: { "x-svc-instance": OTHER.id } }, 409],
  ["a POST with another id", "/api/tools/list_traits", json({}, { "x-svc-instance": "x" }), 409],
  ["an empty header", "/api/traits", { headers: { "x-svc-instance": "" } }, 409],
  ["/mcp with another id", `/mcp?instance=${OTHER.id}`, json({}), 409],
  ["/mcp with another id in a header", "/mcp", json({}, { "x-svc-instance": OTHER.id }), 409],
  [
    "/mcp with our id and another",
    `/mcp?instance=${ONE.id}`,
    json({}, { "x-svc-instance": "x" }),
    409,
  ],
];
for (const [title, path, init, status] of MEANT) {
  test(`a call for one editor is answered ${status} by another: ${title}`, async () => {
    const answer = await createTinyService({ instance: ONE }).send(path, init);
    assert.equal(answer.status, status, answer.text);
    if (status !== 409) return;
    const { code, detail } = JSON.parse(answer.text);
    assert.equal(code, "wrong-instance");
    assert.ok(detail.includes(ONE.id) && detail.includes("pid 11"), detail);
  });
}

test("an editor without an instance id refuses every id", async () => {
  const { status } = await createTinyService().send("/mcp?instance=0a0a0a0a", json({}));
  assert.equal(status, 409);
});

test("a client that names the instance reaches it, and no other", () =>
  served({ instance: ONE }, async (url) => {
    const client = await connect(`${url}/mcp?instance=${ONE.id}`, "2026-07-28");
    assert.ok((await client.listTools()).tools.length > 0);
    await client.close();
    await assert.rejects(connect(`${url}/mcp?instance=${OTHER.id}`, "2026-07-28"));
    await assert.rejects(connect(`${url}/mcp?instance=${OTHER.id}`, "2025-11-25"));
  }));
