import { test } from "node:test";
import assert from "node:assert/strict";
import { connect } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { INSTRUCTIONS } from "../../lib/agent/mcp.ts";
import { loadServe } from "../../scripts/shared/runtime.ts";
import {
  createTinyService,
  json,
  startJob,
  type TinyServiceOptions,
} from "../support/tiny-service.ts";
import { USUAL_TOOLS } from "../support/usual-tools.ts";

const ERAS = ["2026-07-28", "2025-11-25"] as const;

/** Serves a tiny service on a free port while `work` runs. */
async function served(
  options: TinyServiceOptions,
  work: (url: string, service: ReturnType<typeof createTinyService>) => Promise<void>,
): Promise<void> {
  const service = createTinyService(options);
  const serve = await loadServe();
  const server = await serve(service.handler, { hostname: "127.0.0.1", port: 0 });
  assert.ok(server.ok);
  try {
    await work(server.value.url, service);
  } finally {
    await server.value.close();
  }
}

/** Connects a real client that speaks the given protocol. */
async function connected(
  url: string,
  era: (typeof ERAS)[number],
  work: (client: Client) => Promise<void>,
  headers: Record<string, string> = {},
): Promise<void> {
  const modern = { versionNegotiation: { mode: "auto" as const } };
  const client = new Client({ name: "test", version: "1" }, era === "2026-07-28" ? modern : {});
  const requestInit = { headers };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  try {
    assert.equal(client.getNegotiatedProtocolVersion(), era);
    await work(client);
  } finally {
    await client.close();
  }
}

/** The text items of a result. */
function texts(result: { content: readonly { type: string }[] }): string[] {
  return result.content.map((item) => "text" in item ? String(item.text) : "");
}

for (const era of ERAS) {
  test(`/mcp lists the tools in order to a client of ${era}`, () =>
    served({}, (url) =>
      connected(`${url}/mcp`, era, async (client) => {
        assert.equal(client.getInstructions(), INSTRUCTIONS);
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map(({ name }) => name), USUAL_TOOLS.map(({ name }) => name));
        for (const [i, tool] of tools.entries()) {
          assert.deepEqual(tool.inputSchema, USUAL_TOOLS[i]?.wireSchema);
          assert.deepEqual(tool.annotations, USUAL_TOOLS[i]?.annotations);
          assert.equal("outputSchema" in tool, false);
        }
      })));

  test(`/mcp answers a client of ${era} like the raw routes`, () =>
    served({ entities: 300 }, (url) =>
      connected(`${url}/mcp`, era, async (client) => {
        for (const tool of USUAL_TOOLS.filter(({ routeKind }) => routeKind === "query")) {
          const { name, route, routeDefaults } = tool;
          const result = await client.callTool({ name, arguments: routeDefaults });
          const response = await fetch(`${url}${route}`);
          assert.equal(result.isError ?? false, !response.ok);
          assert.equal(result.structuredContent, undefined);
          const [banner, text, ...rest] = texts(result);
          assert.equal(banner, "tiny | project Tiny | scene main.scene | /games/tiny");
          assert.equal(text, await response.text());
          assert.deepEqual(rest, []);
        }
      })));

  test(`/mcp gives problems to a client of ${era}`, () =>
    served({}, (url) =>
      connected(`${url}/mcp`, era, async (client) => {
        for (
          const [args, query] of [
            [{ id: 99 }, "id=99"],
            [{ bogus: 1 }, "bogus=1"],
            [{ full: "maybe" }, "full=maybe"],
            [{ where: "x" }, "where=x"],
          ] as const
        ) {
          const result = await client.callTool({ name: "svc_get_scene_state", arguments: args });
          assert.equal(result.isError, true);
          const response = await fetch(`${url}/api/scene-state?${query}`);
          assert.equal(texts(result)[1], await response.text());
        }
        await assert.rejects(
          client.callTool({ name: "svc_get_scene", arguments: {} }),
          (thrown: unknown) =>
            thrown instanceof Error && "code" in thrown && thrown.code === -32602 &&
            thrown.message.includes("svc_get_scene_state"),
        );
      })));

  for (const [path, headers] of [["/mcp?cap=700", {}], ["/mcp", { "x-svc-cap": "700" }]] as const) {
    test(`${path} ${JSON.stringify(headers)} lowers the cap of a client of ${era}`, () =>
      served({ entities: 300 }, (url) =>
        connected(`${url}${path}`, era, async (client) => {
          const call = { name: "svc_get_scene_state", arguments: { full: true } };
          const text = texts(await client.callTool(call))[1] ?? "";
          assert.ok(text.length <= 700);
          assert.equal(JSON.parse(text).elided, true);
          assert.ok(JSON.parse(text).hint.includes("without full=1"));
        }, headers)));
  }
}

test("INSTRUCTIONS fit 2,000 characters", () => assert.ok(INSTRUCTIONS.length <= 2_000));

/** Sends bytes as they are and reads the answer to its end. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => answer += String(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}

for (
  const [title, head, want] of [
    ["a foreign Host", "GET /api/traits HTTP/1.1\r\nHost: evil.example", /^HTTP\/1\.1 403/],
    // No browser sends such a request. The host of its URL counts, where a server makes one.
    ["no Host in HTTP/1.0", "GET /api/traits HTTP/1.0", /^HTTP\/1\.[01] (?:200|400)/],
    ["our Host", "GET /api/traits HTTP/1.1\r\nHost: localhost:1", /^HTTP\/1\.1 200/],
    [
      "a foreign Host on /mcp",
      "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0",
      /^HTTP\/1\.1 403/,
    ],
  ] as const
) {
  test(`a served handler answers ${title}`, () =>
    served({}, async (url) => {
      assert.match(await raw(url, `${head}\r\nConnection: close\r\n\r\n`), want);
    }));
}

for (const path of ["/api/tools/list_traits", "/mcp"]) {
  test(`a served handler answers 413 to more than 8 MiB on ${path}`, () =>
    served({}, async (url) => {
      const response = await fetch(`${url}${path}`, {
        ...json({}),
        body: `{"name":"${"x".repeat(8 * 1024 * 1024)}"}`,
      });
      assert.equal(response.status, 413);
      await response.body?.cancel();
      assert.equal((await fetch(`${url}/api/traits`)).status, 200);
    }));
}

test("a served handler streams the events of a job", () =>
  served({}, async (url, { jobs }) => {
    const { id, end } = startJob(jobs);
    const response = await fetch(`${url}/api/jobs/${id}/events`);
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    end();
    const text = await response.text();
    assert.match(text, /event: log\ndata: .*begun/);
    assert.match(text, /event: done\ndata: .*"ok":true\}\n\n$/);
  }));

test("a client that goes away does not stop the job", () =>
  served({}, async (url, { jobs, send }) => {
    const { id, end } = startJob(jobs);
    const leaving = new AbortController();
    const response = await fetch(`${url}/api/jobs/${id}/events`, { signal: leaving.signal });
    leaving.abort();
    await assert.rejects(response.text());
    assert.equal(jobs.list()[0]?.state, "running");
    end();
    assert.match((await send(`/api/jobs/${id}/events`)).text, /event: done/);
  }));
