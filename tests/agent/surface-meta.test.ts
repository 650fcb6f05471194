import { test } from "node:test";
import assert from "node:assert/strict";
import { callTool } from "../../lib/agent/declaration/call.ts";
import { META_TOOLS, TOOLS, TOOLSETS } from "../../lib/agent/tools.ts";
import { chooseToolsets } from "../../lib/agent/declaration/toolsets.ts";
import { listedTools } from "../../lib/agent/mcp.ts";
import { ask, createTinyServices, toolNamed } from "../support/ask.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";

test("tools names every tool of every toolset", async () => {
  const { body } = await ask("tools");
  const listed = Object.entries(body.toolsets).map(([name, tools]) => ({ name, tools }));
  assert.deepEqual(
    listed,
    TOOLSETS.map(({ name, tools }) => ({ name, tools: tools.map((tool) => tool.name).join(" ") })),
  );
  assert.equal(body.total, TOOLS.length - META_TOOLS.length);
});

test("every tool is in one toolset, and no toolset is empty", () => {
  const names = TOOLSETS.flatMap(({ tools }) => tools.map(({ name }) => name));
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual(TOOLSETS.filter(({ tools }) => tools.length === 0).map(({ name }) => name), []);
});

const SEARCHES: readonly (readonly [string, string, string])[] = [
  ["a name", "traits", "list_traits"],
  ["words of the description, in any case", "Rectangles OFF-screen", "svc_get_layout_bounds"],
  ["a word that only one has", "keygen", "svc_ota_keygen"],
];
for (const [title, search, first] of SEARCHES) {
  test(`tools search= finds by ${title}`, async () => {
    const { body } = await ask("tools", { search });
    assert.equal(body.tools[0].name, first, JSON.stringify(body));
    assert.deepEqual(Object.keys(body.tools[0]), ["name", "toolset", "purpose"]);
  });
}

test("tools search= says what it did not find", async () => {
  const none = (await ask("tools", { search: "zxqwv" })).body;
  assert.deepEqual([none.matched, none.tools, none.truncated], [0, [], false]);
  assert.match(none.hint, /tools without arguments/);
  const some = (await ask("tools", { search: "keygen zxqwv" })).body;
  assert.equal(some.tools[0].name, "svc_ota_keygen");
  assert.match(some.hint, /No tool has all 2 words/);
  const cut = (await ask("tools", { search: "the", limit: 1 })).body;
  assert.deepEqual([cut.tools.length, cut.truncated], [1, true]);
});

test("tools name= documents a tool whole", async () => {
  const { body } = await ask("tools", { name: "svc_get_layout_bounds" });
  const tool = toolNamed("svc_get_layout_bounds");
  assert.deepEqual([body.toolset, body.route], ["layout", "GET /api/layout-bounds"]);
  assert.equal(body.description, tool.description);
  assert.deepEqual(Object.keys(body.parameters), tool.parameters.map(({ name }) => name));
  for (const { name, doc } of tool.parameters) assert.equal(body.parameters[name].doc, doc);
  const unknown = await ask("tools", { name: "svc_get_layout" });
  assert.deepEqual([unknown.status, unknown.body.code], [404, "no-such-tool"]);
  assert.match(unknown.body.hint, /svc_get_layout_bounds/);
});

for (const { name, description, parameters } of META_TOOLS) {
  test(`tools name=${name} documents a tool that is in every connection`, async () => {
    const { status, body } = await ask("tools", { name });
    assert.deepEqual([status, body.name, body.description], [200, name, description]);
    assert.deepEqual(Object.keys(body.parameters), parameters.map((parameter) => parameter.name));
    assert.equal("toolset" in body, false);
  });
}

const CALLS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["svc_get_scene_state", {}],
  ["svc_get_scene_state", { id: 2, precision: 2 }],
  ["svc_get_scene_state", { full: true }],
  ["svc_get_scene_state", { id: 99 }],
  ["svc_get_scene_state", { bogus: 1 }],
  ["list_traits", { name: "Place" }],
  ["job_get", { id: "install-9" }],
  ["batch", {}],
  ["batch", { calls: [{ tool: "list_traits", args: { name: "Place" } }, { tool: "list_assets" }] }],
];
for (const [call, args] of CALLS) {
  test(`tools call=${call} ${JSON.stringify(args)} answers as ${call} itself`, async () => {
    const services = { ...createTinyServices(), editor: createTinyEditor({ entities: 900 }) };
    const options = { cap: 5_000 };
    const direct = await callTool(toolNamed(call), args, services, options);
    for (const given of [args, JSON.stringify(args)]) {
      const through = await callTool(
        toolNamed("tools"),
        { call, args: given },
        services,
        options,
      );
      assert.deepEqual(through, direct);
    }
  });
}

const REFUSED: readonly (readonly [Readonly<Record<string, unknown>>, number, string])[] = [
  [{ call: "nothing" }, 404, "no-such-tool"],
  [{ call: "tools" }, 422, "calls-itself"],
  [{ args: {} }, 400, "missing-argument"],
  [{ call: "list_traits", search: "x" }, 400, "bad-argument"],
  [{ call: "list_traits", name: "x" }, 400, "bad-argument"],
  [{ call: "list_traits", args: "[]" }, 400, "bad-argument"],
];
for (const [args, status, code] of REFUSED) {
  test(`tools ${JSON.stringify(args)} is refused`, async () => {
    const refused = await ask("tools", args);
    assert.deepEqual([refused.status, refused.body.code], [status, code]);
    assert.ok(refused.body.hint.length > 0);
  });
}

test("chooseToolsets() takes names with commas, and lists them when one is unknown", () => {
  const chosen = chooseToolsets(TOOLSETS, " traits,scene ");
  assert.ok(chosen.ok);
  assert.deepEqual(chosen.value.map(({ name }) => name), ["scene", "traits"]);
  assert.deepEqual(listedTools(TOOLS, TOOLSETS, chosen.value), [
    ...META_TOOLS,
    ...chosen.value.flatMap(({ tools }) => tools),
  ]);
  for (const asked of ["scene,plya", "", ",", "Scene"]) {
    const refused = chooseToolsets(TOOLSETS, asked);
    assert.ok(!refused.ok);
    assert.deepEqual([refused.error.status, refused.error.code], [400, "unknown-toolset"]);
    for (const { name } of TOOLSETS) assert.ok(refused.error.detail.includes(name));
  }
});
