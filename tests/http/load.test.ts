import { once } from "node:events";
import { test } from "node:test";
import assert from "node:assert/strict";
import { connect } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ok } from "../../lib/core/result.ts";
import { loadServe } from "../../scripts/shared/runtime.ts";
import { keptBytes } from "../support/heap.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";
import { soaking } from "../support/rounds.ts";
import { createTinyService } from "../support/tiny-service.ts";

const CLIENTS = 50;
/** Calls of all clients together. */
const CALLS = soaking ? 10_000 : 1_000;
/** What may be left after any number of calls: pools, caches. */
const NOISE_BYTES = 16 * 1024 * 1024;

/** One kind of call: what is sent, and whether what came back is an answer to it. */
interface Kind {
  readonly name: string;
  readonly args: (n: number) => Readonly<Record<string, unknown>>;
  readonly fits: (body: Readonly<Record<string, unknown>>, n: number) => boolean;
}

const KINDS: readonly Kind[] = [
  {
    name: "svc_get_scene_state",
    args: (n) => ({ id: 1 + n % 40 }),
    fits: ({ entities }, n) => Array.isArray(entities) && entities[0].id === 1 + n % 40,
  },
  { name: "svc_get_scene_state", args: () => ({ compact: 1 }), fits: ({ groups }) => !!groups },
  {
    name: "list_assets",
    args: (n) => ({ limit: n % 7 }),
    fits: ({ assets }, n) => Array.isArray(assets) && assets.length === n % 7,
  },
  { name: "list_traits", args: () => ({}), fits: ({ count }) => Number(count) > 5 },
  { name: "svc_get_layout_bounds", args: () => ({}), fits: ({ count }) => Number(count) > 100 },
  { name: "get_console_logs", args: () => ({}), fits: ({ entries }) => Array.isArray(entries) },
  {
    name: "svc_get_scene_state",
    args: (n) => ({ id: 1_000_000 + n }),
    fits: ({ code, detail }, n) =>
      code === "no-such-entity" && String(detail).includes(`${1_000_000 + n}`),
  },
  {
    name: "set_fields",
    args: (n) => ({ id: 2, trait: "Transform", fields: { x: n, y: Math.random() } }),
    fits: ({ ok }) => ok === true,
  },
];

async function served(
  { handler }: Pick<ProjectService, "handler">,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const serve = await loadServe();
  const server = await serve(handler, { hostname: "127.0.0.1", port: 0 });
  assert.ok(server.ok);
  try {
    await work(server.value.url);
  } finally {
    await server.value.close();
  }
}

/** Calls over HTTP and over MCP in turns, as one client of many. */
async function callMany(url: string, client: number, calls: number): Promise<number> {
  const modern = { versionNegotiation: { mode: "auto" as const } };
  const mcp = new Client({ name: "load", version: "1" }, client % 2 === 0 ? modern : {});
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  let answers = 0;
  try {
    for (let i = 0; i < calls; i++) {
      const n = client * calls + i;
      const kind = KINDS[n % KINDS.length];
      assert.ok(kind);
      const args = { ...kind.args(n) };
      const text = i % 2 === 0
        ? await (await fetch(`${url}/api/tools/${kind.name}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(args),
        })).text()
        : answerOf(await mcp.callTool({ name: kind.name, arguments: args }));
      assert.ok(kind.fits(JSON.parse(text), n), `${kind.name} ${n}: ${text.slice(0, 300)}`);
      answers++;
    }
  } finally {
    await mcp.close();
  }
  return answers;
}

function answerOf({ content }: { content: readonly { type: string }[] }): string {
  const item = content[1];
  return item !== undefined && "text" in item ? String(item.text) : "";
}

test(`${CLIENTS} clients make ${CALLS} mixed calls: none fails, none is lost, nothing grows`, () =>
  withSampleService((service) =>
    served(service, async (url) => {
      const turn = async (calls: number) => {
        const each = Array.from(
          { length: CLIENTS },
          (_, client) => callMany(url, client, calls / CLIENTS),
        );
        const answers = (await Promise.all(each)).reduce((sum, count) => sum + count, 0);
        assert.equal(answers, calls);
      };
      await turn(CALLS / 2);
      const before = keptBytes();
      await turn(CALLS / 2);
      const grown = keptBytes() - before;
      assert.ok(grown < NOISE_BYTES, `${grown} bytes more`);
      // Every edit is a step of undo: none was lost.
      const edits = 2 * Math.floor(CALLS / 2 / KINDS.length);
      assert.equal(service.editor.editing.history().undo.length, Math.min(500, edits));
    })
  ));

test("a reader of an event stream that does not read holds nobody else", async () => {
  const service = createTinyService();
  let end = () => {};
  const lines = soaking ? 9_000 : 2_000;
  const line = "x".repeat(2_000);
  const { id } = service.jobs.start("install", "java", ({ log }) => {
    for (let n = 0; n < lines; n++) log(`${n} ${line}`);
    return new Promise((resolve) => end = () => resolve(ok({})));
  });
  await served(service, async (url) => {
    const { port } = new URL(url);
    const slow = connect(Number(port), "127.0.0.1");
    slow.on("error", () => {}); // the service closes it at the end
    slow.write(`GET /api/jobs/${id}/events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await once(slow, "readable"); // the stream has begun; nothing of it is taken

    const reading = fetch(`${url}/api/jobs/${id}/events`).then((response) => response.text());
    const others = Array.from({ length: 200 }, () => fetch(`${url}/api/traits`));
    for (const { status, body } of await Promise.all(others)) {
      assert.equal(status, 200);
      await body?.cancel();
    }
    end();
    const text = await reading;
    assert.equal(text.match(/^event: log$/gm)?.length, lines);
    assert.match(text, /event: done/);
    slow.destroy();
  });
});
