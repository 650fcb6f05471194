import { test } from "node:test";
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type ProjectService, withSampleService } from "../support/project-service.ts";
import { runSeed, seededRandom } from "../support/random.ts";

const AGENTS = 20;
const CALLS = 6;

type Call = (name: string, args: Readonly<Record<string, unknown>>) => Promise<{
  readonly ok: boolean;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}>;

/** A connection of its own over MCP. */
async function connect(
  service: ProjectService,
): Promise<{ call: Call; close: () => Promise<void> }> {
  const client = new Client({ name: "agent", version: "1" });
  const send = (target: string | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("host", "127.0.0.1:4747");
    return Promise.resolve(service.handler(new Request(target, { ...init, headers })));
  };
  const url = new URL("http://127.0.0.1:4747/mcp");
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: send }));
  return {
    async call(name, args) {
      const { content, isError } = await client.callTool({ name, arguments: { ...args } });
      const text = content.map((item) => item.type === "text" ? item.text : "").at(-1) ?? "";
      return { ok: isError !== true, body: JSON.parse(text) };
    },
    close: () => client.close(),
  };
}

test(`${AGENTS} agents at once, over HTTP and MCP: every batch is whole or absent, every answer true`, () =>
  withSampleService(async (service) => {
    const seed = runSeed();
    console.log(`seed ${seed}`);
    const random = seededRandom(seed);
    const { editor } = service;
    const { entities } = await editor.sceneState();
    const [a, b, c] = entities.filter(({ traits }) => traits["Transform"]).map(({ id }) => id);
    const set = (id: number | undefined, x: number) => ({
      tool: "set_fields",
      args: { id, trait: "Transform", fields: { x } },
    });
    const xs = async () => {
      const now = (await editor.sceneState()).entities;
      return [a, b, c].map((id) => now.find((one) => one.id === id)?.traits["Transform"]?.["x"]);
    };
    const byHttp: Call = async (name, args) => {
      const { status, body } = await service.call(name, args);
      return { ok: status === 200, body };
    };
    /** What was answered: the step, and the values that it left. */
    const steps: { readonly undo: number; readonly x: number; readonly isBatch: boolean }[] = [];
    let value = 1000;
    const agent = async (call: Call) => {
      for (let n = 0; n < CALLS; n++) {
        const x = value++;
        const kind = random.next();
        if (kind < 0.25) {
          const { ok, body } = await call("set_fields", set(c, x).args);
          assert.ok(ok, JSON.stringify(body));
          steps.push({ undo: body.undo, x, isBatch: false });
        } else {
          const look = { tool: "svc_get_scene_state", args: { id: a, trait: "Transform" } };
          const isRefused = kind > 0.75;
          const calls = [set(a, x), look, set(b, x), ...(isRefused ? [set(999_999, 1)] : [])];
          const { ok, body } = await call("batch", { calls, label: `batch ${x}` });
          assert.equal(ok, !isRefused, JSON.stringify(body));
          if (ok) {
            assert.equal(body.results[1].entities[0].traits.Transform.x, x);
            steps.push({ undo: body.undo, x, isBatch: true });
          } else assert.deepEqual([body.status, body.code], [404, "no-such-entity"]);
        }
        const [atA, atB] = await xs();
        assert.ok(atA === atB || steps.every(({ isBatch }) => !isBatch), `${atA} beside ${atB}`);
      }
    };
    const connections = await Promise.all(
      Array.from({ length: AGENTS / 2 }, () => connect(service)),
    );
    await Promise.all([
      ...connections.map(({ call }) => agent(call)),
      ...connections.map(() => agent(byHttp)),
    ]);
    // The history has the steps that were answered, in their order, and no other.
    const { undo } = editor.editing.history();
    const inOrder = steps.toSorted((one, other) => one.undo - other.undo);
    assert.deepEqual(undo.map(({ id }) => id), inOrder.map((step) => step.undo));
    for (const [i, { x, isBatch }] of inOrder.entries()) {
      if (isBatch) assert.equal(undo[i]?.label, `batch ${x}`);
    }
    // Taken back one by one, each leaves what the ones before it answered.
    for (const step of inOrder.toReversed()) {
      const [atA, atB, atC] = await xs();
      assert.deepEqual(
        step.isBatch ? [atA, atB] : [atC],
        step.isBatch ? [step.x, step.x] : [step.x],
      );
      assert.ok((await service.call("undo")).status === 200);
    }
    await Promise.all(connections.map(({ close }) => close()));
  }));
