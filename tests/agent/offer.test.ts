import { test } from "node:test";
import assert from "node:assert/strict";
import { usualToolsets } from "../../lib/agent/declaration/toolsets.ts";
import { listedTools } from "../../lib/agent/mcp.ts";
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
for (const [flag, limits, code, name] of LIMITED) {
  const offered = offer(limits);
  const { send, editor } = createTinyService(offered);
  const mcp = async (method: string, params: object) => {
    const headers = { accept: "application/json, text/event-stream" };
    const answer = await send("/mcp", json({ jsonrpc: "2.0", id: 1, method, params }, headers));
    const data = /^data: (.*)$/m.exec(answer.text)?.[1] ?? answer.text;
    return JSON.parse(data).result;
  };

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
