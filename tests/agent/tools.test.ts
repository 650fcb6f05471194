import { test } from "node:test";
import assert from "node:assert/strict";
import { z } from "zod";
import { callTool } from "../../lib/agent/call.ts";
import type { Tool } from "../../lib/agent/tool.ts";
import { defineTool, READ_ONLY } from "../../lib/agent/tool.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { ok } from "../../lib/core/result.ts";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { ask, createTinyServices } from "./ask.ts";
import { createTinyEditor } from "./tiny-editor.ts";

/** Values that a parameter of a JSON Schema takes, and values that it refuses. */
function samples(
  name: string,
  schema: Readonly<Record<string, unknown>>,
): { good: unknown[]; bad: unknown[] } {
  if (name === "where") return { good: ["Health.value > 1"], bad: ["", 5, true, null] };
  if (Array.isArray(schema["enum"])) {
    return { good: schema["enum"], bad: ["nonsense", 1, "", null] };
  }
  switch (schema["type"]) {
    case "boolean":
      return {
        good: [true, false, 1, 0, "1", "0", "true", "false"],
        bad: ["yes", 2, "", null, []],
      };
    case "integer":
      return {
        good: [0, 5, "5", 17, "1e1"].filter((value) => Number(value) >= minimumOf(schema)),
        bad: [minimumOf(schema) - 1, 1.5, "1.5", "-1", "", " 1", "0x1", "five", true, null, {}],
      };
    case "array":
      return {
        good: [[], [1], "1", "1,2", 3, ["4"]],
        bad: ["a", [1.5], [-1], "1,,2", "", null, {}],
      };
    default:
      return { good: ["text"], bad: ["", 5, true, null, []] };
  }
}

function minimumOf(schema: Readonly<Record<string, unknown>>): number {
  return typeof schema["minimum"] === "number" ? schema["minimum"] : 0;
}

/** Tools that do nothing by chance: they say which argument they need. */
const NEEDS_ARGUMENT = ["svc_ota_publish", "job_cancel"];
/** Tools that change something. */
const CHANGES = ["svc_ota_publish", "svc_ota_keygen", "job_cancel"];

for (const tool of TOOLS) {
  const without = (args: Record<string, unknown>) => ask(tool.name, args);

  test(`${tool.name} answers without arguments`, async () => {
    const { status, body } = await without({});
    const needs = NEEDS_ARGUMENT.includes(tool.name);
    assert.equal(status, needs ? 400 : 200);
    assert.equal(body.code, needs ? "missing-argument" : undefined);
  });

  test(`${tool.name} refuses an unknown argument by name and lists what it accepts`, async () => {
    for (const name of ["bogus", "__proto__", "constructor"]) {
      const { status, body } = await without(JSON.parse(`{"${name}":1}`));
      assert.equal(status, 400);
      assert.equal(body.code, "unknown-argument");
      assert.ok(body.detail.includes(`"${name}"`));
      for (const { name } of tool.parameters) assert.ok(body.detail.includes(name), name);
    }
  });

  for (const { name, schema, doc } of tool.parameters) {
    test(`${tool.name} documents ${name}`, () => assert.ok(doc.length > 3));
    const { good, bad } = samples(name, schema);
    test(`${tool.name} takes ${name} as it is declared`, async () => {
      for (const value of good) {
        const { status, body } = await without({ [name]: value });
        assert.ok(
          status === 200 || status === 404 || body.code === "missing-argument",
          `${name}=${JSON.stringify(value)}: ${body.detail}`,
        );
      }
    });
    test(`${tool.name} refuses ${name} of a wrong kind`, async () => {
      for (const value of bad) {
        const { status, body } = await without({ [name]: value });
        assert.equal(status, 400, `${name}=${JSON.stringify(value)}`);
        assert.ok(body.detail.includes(`${name}: expected`), body.detail);
      }
    });
  }

  // The log of a job has a limit too; tests/agent/jobs.test.ts has a job with one.
  if (tool.name !== "job_get" && tool.parameters.some(({ name }) => name === "limit")) {
    test(`${tool.name} with limit 0 lists nothing, with 1,000,000 everything`, async () => {
      const targeted = tool.name === "svc_get_layout_bounds" ? { layer: "ui", overlaps: 1 } : {};
      const none = await without({ limit: 0, ...targeted });
      const all = await without({ limit: 1_000_000, ...targeted });
      const lists = ["entities", "assets", "entries", "overlaps"];
      let seen = 0;
      for (const list of lists.filter((name) => name in none.body)) {
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

  test(`${tool.name} is described by its declaration`, () => {
    assert.ok(tool.description.includes("Default: "));
    assert.ok(tool.description.length <= 500, `${tool.description.length} characters`);
    assert.equal(tool.annotations.readOnlyHint ?? false, !CHANGES.includes(tool.name));
    const text = JSON.stringify(tool.wireSchema);
    for (const noise of ["$schema", "additionalProperties", "9007199254740991", "anyOf"]) {
      assert.ok(!text.includes(noise), noise);
    }
    assert.equal(tool.wireSchema["type"], "object");
  });
}

test("TOOLS have distinct names and routes", () => {
  assert.equal(new Set(TOOLS.map((tool) => tool.name)).size, TOOLS.length);
  assert.equal(new Set(TOOLS.map((tool) => tool.route)).size, TOOLS.length);
});

test("producers give everything whatever agents asked before (spec §1 rule 1)", async () => {
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

test("default answers of a thousand entities stay within 12,000 tokens", async () => {
  const services = { ...createTinyServices(), editor: createTinyEditor({ entities: 1_000 }) };
  for (const tool of TOOLS) {
    const answer = await callTool(tool, {}, services, { cap: 60_000 });
    const tokens = encode(answer.text).length;
    const most = tool.name === "svc_get_scene_state" ? 12_000 : 3_000;
    assert.ok(tokens <= most, `${tool.name}: ${tokens} tokens`);
  }
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
