import { test } from "node:test";
import assert from "node:assert/strict";
import { usualToolsets } from "../../lib/agent/declaration/toolsets.ts";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { INSTRUCTIONS, listedTools } from "../../lib/agent/mcp.ts";
import { type OfferLimits, offerTools } from "../../lib/agent/offer.ts";
import { TOOLS, TOOLSETS } from "../../lib/agent/tools.ts";
import { createTinyService, json } from "../support/tiny-service.ts";

function offer(limits: OfferLimits) {
  const offered = offerTools(limits);
  assert.ok(offered.ok, JSON.stringify(offered));
  return offered.value;
}

test("offerTools() without limits offers every tool, as the library does by itself", () => {
  const { tools, toolsets, withheld } = offer({});
  assert.deepEqual(tools.map(({ name }) => name), TOOLS.map(({ name }) => name));
  assert.deepEqual(toolsets, TOOLSETS);
  assert.deepEqual(withheld, []);
  assert.deepEqual(tools.map((tool) => tool.annotations), TOOLS.map((tool) => tool.annotations));
});

test("offerTools() of read-only offers only tools that change nothing", () => {
  const { tools, withheld } = offer({ readOnly: true });
  assert.deepEqual(tools.filter(({ annotations }) => annotations.readOnlyHint !== true), []);
  assert.equal(tools.length + withheld.length, TOOLS.length);
  for (const name of ["build_project", "install_tool", "svc_ota_publish", "set_project_settings"]) {
    assert.ok(withheld.some((tool) => tool.name === name), name);
  }
});

test("offerTools() refuses a toolset that there is not", () => {
  const refused = offerTools({ toolsets: "scene,plya" });
  assert.equal(!refused.ok && refused.error.code, "unknown-toolset");
});

const LIMITED: readonly (readonly [string, OfferLimits, string, string])[] = [
  ["--read-only", { readOnly: true }, "read-only", "delete_entities"],
  ["--toolsets scene,traits", { toolsets: "scene,traits" }, "toolset-off", "delete_entities"],
];
/** Calls a method of MCP. @param query Of the connection's address. */
async function mcpResult(
  { send }: ReturnType<typeof createTinyService>,
  { method, params, query = "" }: {
    readonly method: string;
    readonly params: object;
    readonly query?: string;
  },
) {
  const headers = { accept: "application/json, text/event-stream" };
  const message = json({ jsonrpc: "2.0", id: 1, method, params }, headers);
  const answer = await send(`/mcp${query}`, message);
  const data = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text;
  return JSON.parse(data).result;
}

for (const [flag, limits, code, name] of LIMITED) {
  const offered = offer(limits);
  const tiny = createTinyService(offered);
  const { send, editor } = tiny;
  const mcp = (method: string, params: object) => mcpResult(tiny, { method, params });

  test(`${flag}: every route of a withheld tool answers 403 with the reason`, async () => {
    const { rev } = await editor.sceneState();
    for (const { name, route, routeKind } of offered.withheld) {
      const path = route.replace(":id", "install-1");
      if (routeKind !== "body") {
        const get = await send(path);
        assert.deepEqual([get.status, JSON.parse(get.text).code], [403, code], path);
      }
      if (routeKind === "body" || routeKind === "both") {
        const post = await send(path, json({}));
        assert.deepEqual([post.status, JSON.parse(post.text).code], [403, code], path);
      }
      const { status, text } = await send(`/api/tools/${name}`, json({}));
      assert.deepEqual([status, JSON.parse(text).code], [403, code], name);
    }
    assert.equal((await editor.sceneState()).rev, rev);
  });

  test(`${flag}: neither tools nor batch reaches a withheld tool`, async () => {
    for (
      const [by, args] of [
        ["tools", { call: name, args: { ids: [1] } }],
        ["batch", { calls: [{ tool: name, args: { ids: [1] } }] }],
        ["tools", { call: "batch", args: { calls: [{ tool: name, args: {} }] } }],
        ...offered.withheld.map(({ name }) => ["batch", { calls: [{ tool: name }] }] as const),
      ] as const
    ) {
      const { status, text } = await send(`/api/tools/${by}`, json(args));
      assert.deepEqual([status, JSON.parse(text).code], [403, code], text);
    }
    const listed = await send("/api/tools/tools", json({}));
    const { toolsets, total } = JSON.parse(listed.text);
    assert.equal(total, offered.tools.length - 2);
    assert.deepEqual(Object.keys(toolsets), offered.toolsets.map((toolset) => toolset.name));
  });

  test(`${flag}: MCP lists no withheld tool and refuses its call`, async () => {
    const { tools } = await mcp("tools/list", {});
    const usual = usualToolsets(offered.toolsets);
    const names = listedTools(offered.tools, offered.toolsets, usual).map((tool) => tool.name);
    assert.deepEqual(tools.map((tool: { name: string }) => tool.name), names);
    const { isError, content } = await mcp("tools/call", { name, arguments: { ids: [1] } });
    assert.deepEqual([isError, JSON.parse(content[1].text).code], [true, code]);
  });

  test(`${flag}: no document names a withheld tool`, async () => {
    for (const path of ["/", "/api/tools", "/api/openapi.json"]) {
      assert.doesNotMatch((await send(path)).text, new RegExp(name), path);
    }
  });

  test(`${flag}: what is offered works`, async () => {
    assert.equal((await send("/api/scene-state")).status, 200);
    const read = { calls: [{ tool: "list_traits", args: {} }] };
    assert.equal((await send("/api/tools/batch", json(read))).status, 200);
  });
}

/** The names that a connection lists. */
async function listedBy(
  query: string,
  service: ReturnType<typeof createTinyService> = createTinyService(),
): Promise<readonly string[]> {
  const { tools } = await mcpResult(service, { method: "tools/list", params: {}, query });
  return tools.map((tool: { name: string }) => tool.name);
}

test("/mcp?readonly=1 lists the tools that change nothing, and readonly=0 all", async () => {
  const usual = listedTools(TOOLS, TOOLSETS, usualToolsets(TOOLSETS));
  const reads = usual.filter(({ annotations }) => annotations.readOnlyHint === true);
  const names = reads.map(({ name }) => name);
  for (const query of ["?readonly=1", "?readonly=true", "?cap=900&readonly=1"]) {
    assert.deepEqual(await listedBy(query), ["tools", "batch", ...names], query);
  }
  assert.deepEqual(await listedBy("?readonly=0"), usual.map(({ name }) => name));
  assert.deepEqual(await listedBy("?toolsets=toolchain-more&readonly=1"), ["tools", "batch"]);
  const traits = ["tools", "batch", "list_traits"];
  assert.deepEqual(await listedBy("?toolsets=traits&readonly=1"), traits);
});

test("/mcp?readonly=1 refuses what changes or starts anything, by every way to call it", async () => {
  const tiny = createTinyService();
  const { rev } = await tiny.editor.sceneState();
  const changing = TOOLS.filter(({ name, annotations }) =>
    annotations.readOnlyHint !== true && !["tools", "batch"].includes(name)
  );
  assert.ok(changing.length > 50);
  for (const { name } of changing) {
    const args = { ids: [1] };
    for (
      const params of [
        { name, arguments: args },
        { name: "tools", arguments: { call: name, args } },
        { name: "batch", arguments: { calls: [{ tool: name, args }] } },
        {
          name: "tools",
          arguments: { call: "batch", args: { calls: [{ tool: name, args }] } },
        },
      ]
    ) {
      const call = { method: "tools/call", params, query: "?readonly=1" };
      const { isError, content } = await mcpResult(tiny, call);
      const found = JSON.parse(content[1].text);
      assert.deepEqual([isError, found.code], [true, "read-only"], JSON.stringify(params));
      assert.match(found.detail, /this connection has readonly=1/);
    }
  }
  assert.equal((await tiny.editor.sceneState()).rev, rev);
  const params = { name: "list_traits", arguments: {} };
  const read = await mcpResult(tiny, { method: "tools/call", params, query: "?readonly=1" });
  assert.equal(read.isError, undefined);
});

test("/mcp?readonly= other than a flag is refused", async () => {
  for (const value of ["", "yes", "2", "TRUE"]) {
    const { status, text } = await createTinyService().send(`/mcp?readonly=${value}`, json({}));
    assert.deepEqual([status, JSON.parse(text).code], [400, "bad-argument"], value);
  }
});

test("a tool of no toolset that changes something is withheld by readonly=1 as well", async () => {
  const changing = TOOLS.find(({ name }) => name === "delete_entities");
  assert.ok(changing !== undefined);
  const tiny = createTinyService({ tools: [{ ...changing, name: "own" }], toolsets: [] });
  assert.deepEqual(await listedBy("", tiny), ["own"]);
  assert.deepEqual(await listedBy("?readonly=1", tiny), []);
  const params = { name: "own", arguments: {} };
  const called = { method: "tools/call", params, query: "?readonly=1" };
  const { content } = await mcpResult(tiny, called);
  assert.equal(JSON.parse(content[1].text).code, "read-only");
});

test("/mcp?toolsets=core lists 22 tools in at most 3,000 tokens, instructions included", async () => {
  const names = await listedBy("?toolsets=core");
  assert.equal(names.length, 22);
  const tiny = createTinyService();
  const list = { method: "tools/list", params: {}, query: "?toolsets=core" };
  const { tools } = await mcpResult(tiny, list);
  const tokens = countTokens(JSON.stringify(tools)) + countTokens(INSTRUCTIONS);
  assert.ok(tokens <= 3_000, `${tokens} tokens`);
  const more = await listedBy("?toolsets=core,phone");
  assert.deepEqual(more.filter((name) => !names.includes(name)), ["phone_state", "phone_do"]);
  const reads = await listedBy("?toolsets=core&readonly=1");
  const hint = (name: string) => TOOLS.find((tool) => tool.name === name)?.annotations.readOnlyHint;
  const kept = names.filter((name) => hint(name) === true || ["tools", "batch"].includes(name));
  assert.deepEqual(reads, kept);
});

test("--toolsets core offers these tools alone", () => {
  const { tools, withheld } = offer({ toolsets: "core" });
  assert.equal(tools.length, 22);
  assert.equal(tools.length + withheld.length, TOOLS.length);
});
