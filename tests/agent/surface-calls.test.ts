import { test } from "node:test";
import assert from "node:assert/strict";
import { createConnection } from "node:net";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { callTool } from "../../lib/agent/declaration/call.ts";
import { createBatch } from "../../lib/agent/tools/batch.ts";
import { defineTool, READ_ONLY, type Tool } from "../../lib/agent/declaration/tool.ts";
import { ok } from "../../lib/core/result.ts";
import { loadServe } from "../../scripts/shared/runtime.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";
import { createTinyService, json } from "../support/tiny-service.ts";
import { createTinyServices, toolNamed } from "../support/ask.ts";
import { until } from "../support/until.ts";

// Calls that take long: what a caller hears meanwhile, and what becomes of a call that is left.

const ERAS = ["2026-07-28", "2025-11-25"] as const;

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

async function connect(url: string, era: (typeof ERAS)[number]): Promise<Client> {
  const modern = { versionNegotiation: { mode: "auto" as const } };
  const client = new Client({ name: "test", version: "1" }, era === "2026-07-28" ? modern : {});
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return client;
}

/** A clock whose naps end when told. */
function handClock(): {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Ends a nap, and waits for the next one to begin. */
  readonly wake: () => Promise<void>;
} {
  const naps: (() => void)[] = [];
  let begun = () => {};
  const nap = async () => {
    while (naps.length === 0) await new Promise<void>((resolve) => begun = resolve);
  };
  return {
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener("abort", () => {
          const at = naps.indexOf(resolve);
          if (at >= 0) naps.splice(at, 1); // a nap that nobody takes any more
          reject(signal.reason);
        }, { once: true });
        naps.push(resolve);
        begun();
      }),
    async wake() {
      await nap();
      naps.shift()?.();
      await nap();
    },
  };
}

const LONG: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["step_play", { ticks: 3_600 }],
  ["run_until", { where: "Transform.x > 1e9", ticks: 3_600 }],
  ["press_key", { code: "KeyW", ticks: 3_600 }],
  ["dispatch_action", { action: "horn", ticks: 3_600 }],
];
for (const [name, args] of LONG) {
  test(`${name} says how far it is while it runs`, () =>
    withSampleService(async ({ call, editor }) => {
      await call("step_play");
      const heard: number[] = [];
      const leaving = new AbortController();
      const clock = { sleep: () => Promise.resolve() };
      const answer = callTool(toolNamed(name), args, { editor, clock }, {
        cap: 60_000,
        signal: leaving.signal,
        progress(done, total, message) {
          heard.push(done);
          assert.deepEqual([total, message], [3_600, "ticks"]);
          if (done > 10) leaving.abort();
        },
      });
      assert.equal((await answer).ok, false);
      assert.ok((heard.at(-1) ?? 0) > 10, heard.join());
      assert.deepEqual(heard, heard.toSorted((a, b) => a - b));
      // The game stands where it was left, and steps on.
      const { tick } = (await call("play_control")).body;
      assert.ok(tick < 3_600, `${tick}`);
      assert.equal((await call("step_play")).body.tick, tick + 1);
    }));
}

for (const era of ERAS) {
  test(`a client of ${era} hears that silent work goes on, and that more than once`, async () => {
    const clock = handClock();
    let end = () => {};
    let begin = () => {};
    const begun = new Promise<void>((resolve) => begin = resolve);
    const silent = defineTool({
      ...LOOKS,
      name: "silent",
      route: "/api/silent",
      async produce(_services, _args, { progress }) {
        begin();
        await new Promise<void>((resolve) => end = resolve);
        progress(1, 2, "half");
        return ok(null);
      },
    });
    const service = createTinyService({ tools: [silent], clock });
    await served(service, async (url) => {
      const client = await connect(url, era);
      const heard: { progress: number; message?: string | undefined }[] = [];
      const call = client.callTool(
        { name: "silent", arguments: {} },
        { onprogress: (reported) => heard.push(reported) },
      );
      await begun;
      await clock.wake();
      await clock.wake();
      end();
      await call;
      assert.deepEqual(heard.map(({ message }) => message), [
        "still running",
        "still running",
        "half",
      ]);
      const [first = 0, second = 0, last] = heard.map(({ progress }) => progress);
      assert.ok(0 < first && first < second && second < 1 && last === 1, `${first} ${second}`);
      await client.close();
    });
  });
}

const LOOKS = {
  purpose: "Looks",
  defaultShape: "nothing much",
  parameters: z.object({}),
  drillDown: {},
  annotations: READ_ONLY,
  summarize: () => ok({}),
};

test("a call that was cancelled before it began is not begun", async () => {
  let begun = 0;
  const tool = defineTool({
    ...LOOKS,
    name: "begins",
    route: "/api/begins",
    produce() {
      begun++;
      return Promise.resolve(ok(null));
    },
  });
  const signal = AbortSignal.abort();
  const answer = await callTool(tool, {}, createTinyServices(), { cap: 60_000, signal });
  assert.equal(JSON.parse(answer.text).code, "cancelled");
  assert.equal(begun, 0);
});

/** A tool during whose call the caller goes away. */
function leavingTool(leaving: AbortController): Tool {
  return defineTool({
    ...LOOKS,
    name: "leave",
    route: "/api/leave",
    produce() {
      leaving.abort();
      return Promise.resolve(ok(null));
    },
  });
}

test("a batch that nobody waits for any more ends, and takes its edits back", () =>
  withSampleService(async ({ editor, jobs }) => {
    const before = await editor.sceneState();
    const leaving = new AbortController();
    const batch = createBatch([toolNamed("rename_entity"), leavingTool(leaving)]);
    const rename = (name: string) => ({ tool: "rename_entity", args: { id: 2, name } });
    const calls = [rename("First"), { tool: "leave" }, rename("Second")];
    const options = { cap: 60_000, signal: leaving.signal };
    const answer = await callTool(batch, { calls }, { editor, jobs }, options);
    assert.equal(JSON.parse(answer.text).code, "cancelled");
    // It goes on behind its answer.
    await until("the rename is undone", () => editor.document.get(2)?.name === "Main Camera");
    assert.deepEqual((await editor.sceneState()).entities, before.entities);
    assert.deepEqual(editor.editing.history().undo, []);
  }));

/** Leaves a long step while it runs. @returns The tick at which it stopped. */
async function tickWhereItStops(
  { editor, call }: ProjectService,
  leave: () => void,
): Promise<number> {
  await until("the game runs", () => editor.play.state().tick >= 5);
  leave();
  const { tick } = (await call("step_play")).body; // it has its turn once the long step has ended
  return tick - 1;
}

test("an HTTP client that goes away ends its step_play", () =>
  withSampleService((service) =>
    served(service, async (url) => {
      for (const [path, args] of [["/api/play/step", {}], ["/api/tools/step_play", {}]] as const) {
        await service.editor.play.stop("human");
        const leaving = new AbortController();
        const init = json({ ...args, ticks: 3_600 });
        const call = fetch(`${url}${path}`, { ...init, signal: leaving.signal });
        const left = assert.rejects(call);
        const tick = await tickWhereItStops(service, () => leaving.abort());
        assert.ok(tick < 3_600, `${path}: ${tick}`);
        await left;
      }
    })
  ));

test("an MCP client of 2026-07-28 that goes away ends its step_play", () =>
  withSampleService((service) =>
    served(service, async (url) => {
      const client = await connect(url, "2026-07-28");
      const leaving = new AbortController();
      const args = { name: "step_play", arguments: { ticks: 3_600 } };
      const left = assert.rejects(client.callTool(args, { signal: leaving.signal }));
      const tick = await tickWhereItStops(service, () => leaving.abort());
      assert.ok(tick < 3_600, `${tick}`);
      await left;
      await client.close();
    })
  ));

// A server without sessions cannot tell whose message a cancellation is: what ends the call is that
// its connection is gone. So there is one here that surely goes: that of a busy Deno's fetch()
// sometimes stays open after its signal.
test("an MCP client of 2025-11-25 that goes away ends its step_play", () =>
  withSampleService((service) =>
    served(service, async (url) => {
      const params = { name: "step_play", arguments: { ticks: 3_600 } };
      const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const { port, hostname } = new URL(url);
      const socket = createConnection({ port: Number(port), host: hostname });
      socket.on("error", () => {});
      socket.write([
        "POST /mcp HTTP/1.1",
        `host: ${hostname}:${port}`,
        "content-type: application/json",
        "accept: application/json, text/event-stream",
        "mcp-protocol-version: 2025-11-25",
        `content-length: ${message.length}`,
        "",
        message,
      ].join("\r\n"));
      const tick = await tickWhereItStops(service, () => socket.destroy());
      assert.ok(tick < 3_600, `${tick}`);
    })
  ));
