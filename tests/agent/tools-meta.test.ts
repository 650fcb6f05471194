import { test } from "node:test";
import assert from "node:assert/strict";
import { z } from "zod";
import { callTool } from "../../lib/agent/declaration/call.ts";
import type { Tool } from "../../lib/agent/declaration/tool.ts";
import { defineTool, READ_ONLY } from "../../lib/agent/declaration/tool.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { ok } from "../../lib/core/result.ts";
import { ask, createTinyServices } from "../support/ask.ts";
import { createTinyEditor } from "../support/tiny-editor.ts";

// What all tools keep on a real editor is in every-tool.test.ts.

/** The tools whose lists a limit cuts on the tiny editor, and what makes them list. */
const LISTS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["svc_get_scene_state", {}],
  ["svc_get_layout_bounds", { layer: "ui", overlaps: 1 }],
  ["list_assets", {}],
  ["get_console_logs", {}],
  ["svc_diagnose", {}],
];
for (const [name, targeted] of LISTS) {
  // TOOL-6
  test(`${name} with limit 0 lists nothing, with 1,000,000 everything`, async () => {
    const none = await ask(name, { limit: 0, ...targeted });
    const all = await ask(name, { limit: 1_000_000, ...targeted });
    const lists = ["entities", "assets", "entries", "overlaps"];
    let seen = 0;
    for (const list of lists.filter((member) => member in none.body)) {
      assert.deepEqual(none.body[list], []);
      assert.ok(all.body[list].length > 0);
      assert.equal(none.body.truncated, true);
      assert.equal(all.body.truncated, false);
      seen++;
    }
    for (const finding of none.body.findings ?? []) {
      assert.deepEqual([finding.ids, finding.truncated], [[], true]);
      seen++;
    }
    assert.ok(seen > 0);
  });
}

for (const tool of TOOLS) {
  // TOOL-1
  test(`${tool.name} is described by its declaration`, () => {
    assert.ok(tool.description.includes("Default: "));
    assert.ok(tool.description.length <= 500, `${tool.description.length} characters`);
    assert.match(tool.name, /^[a-z][a-z_0-9]{2,49}$/);
    assert.match(tool.route, /^\/api\/[a-z/:-]+$/i);
    for (const { name, doc } of tool.parameters) assert.ok(doc.length > 3, `doc of ${name}`);
    const text = JSON.stringify(tool.wireSchema);
    for (const noise of ["$schema", "additionalProperties", "9007199254740991"]) {
      assert.ok(!text.includes(noise), noise);
    }
    for (const combined of ["anyOf", "oneOf", "allOf", "not", "if"]) {
      assert.ok(!(combined in tool.wireSchema), `${combined} at the root`);
    }
    assert.equal(tool.wireSchema["type"], "object");
    // A GET must change nothing; what a POST does is checked on a real editor.
    if (tool.routeKind === "query") assert.equal(tool.annotations.readOnlyHint, true);
  });
}

test("TOOLS have distinct names and routes", () => {
  assert.equal(new Set(TOOLS.map((tool) => tool.name)).size, TOOLS.length);
  const routes = TOOLS.map((tool) => `${tool.routeKind === "body" ? "POST" : "GET"} ${tool.route}`);
  assert.equal(new Set(routes).size, TOOLS.length);
});

test("producers give everything whatever agents asked before (BUDGET-1)", async () => {
  const editor = createTinyEditor({ entities: 500 });
  const dump = async () =>
    JSON.stringify([
      await editor.sceneState(),
      [...await editor.worldTransforms()],
      await editor.layoutBounds({ overlaps: true }),
      await editor.assets(),
      await editor.traits(),
      await editor.consoleEntries(),
      await editor.diagnose(),
    ]);
  const before = await dump();
  for (const tool of TOOLS) {
    for (const args of [{}, { limit: 1 }, { full: 1, precision: 1, world: 1, bounds: 1 }]) {
      await ask(tool.name, args, { ...createTinyServices(), editor });
    }
  }
  assert.equal(await dump(), before);
});

/** A tool that answers whatever is put into it. */
function odd(produce: () => Promise<object | string>): Tool {
  return defineTool({
    name: "odd",
    route: "/api/odd",
    purpose: "Answers oddly",
    defaultShape: "odd",
    parameters: z.object({}),
    drillDown: {},
    annotations: READ_ONLY,
    produce: async () => ok(await produce()),
    summarize: (value) => ok(value),
  });
}

test("callTool() answers a thrown bug as a fault", async () => {
  const broken = odd(() => Promise.reject(new Error("boom")));
  const answer = await callTool(broken, {}, { editor: createTinyEditor() }, { cap: 60_000 });
  assert.ok(!answer.ok);
  assert.equal(answer.status, 500);
  const body = JSON.parse(answer.text);
  assert.deepEqual([body.code, body.status, body.detail], ["fault", 500, "Something broke: boom"]);
});

// BUDGET-3
test("callTool() caps a problem like any answer and keeps what it is", async () => {
  const broken = odd(() => Promise.reject(new Error("scene ".repeat(20_000))));
  const answer = await callTool(broken, {}, { editor: createTinyEditor() }, { cap: 60_000 });
  assert.ok(!answer.ok);
  const body = JSON.parse(answer.text);
  assert.deepEqual([answer.status, body.elided], [500, true]);
  assert.ok(body.hint.startsWith("500 fault: "));
  assert.equal(body.preview.detail, "string");
});

test("callTool() sends a string as it is", async () => {
  const text = odd(() => Promise.resolve("a\nb"));
  const answer = await callTool(text, {}, { editor: createTinyEditor() }, { cap: 100 });
  assert.deepEqual(answer, { ok: true, text: "a\nb", format: "text" });
});

test("callTool() stops waiting when nobody waits for the answer", async () => {
  const never = odd(() => new Promise(() => {}));
  const asking = new AbortController();
  const options = { cap: 60_000, signal: asking.signal };
  const answer = callTool(never, {}, { editor: createTinyEditor() }, options);
  asking.abort();
  assert.equal(JSON.parse((await answer).text).code, "cancelled");
});
