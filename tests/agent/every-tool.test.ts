import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { PAYLOAD_CAP } from "../../lib/agent/answer/budget.ts";
import type { Tool } from "../../lib/agent/declaration/tool.ts";
import { META_TOOLS, TOOLSETS } from "../../lib/agent/tools.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { type Called, type ProjectService, withSampleService } from "../support/project-service.ts";
import { drawArguments, meaningful, samplesOf } from "./drawn-arguments.ts";

// What holds for every tool, whoever writes it: on a real editor, through the generic route.

/** Checks what every answer keeps: inside the cap, JSON, and a refusal that helps. */
function check(tool: Tool, args: unknown, { status, text, body }: Called): void {
  const what = `${tool.name} ${JSON.stringify(args)?.slice(0, 200)}: ${status} ${
    text.slice(0, 300)
  }`;
  assert.ok(text.length <= PAYLOAD_CAP, what);
  assert.equal(typeof body, "object", what);
  assert.notEqual(status, 500, what);
  assert.notEqual(status, 503, what);
  if (status === 200) {
    // Of a reading tool it is a verdict; nothing else succeeds without having done it.
    if (tool.annotations.readOnlyHint !== true) assert.notEqual(body.ok, false, what);
    return;
  }
  assert.ok(status >= 400 && status < 500, what);
  // A refused transaction has a body of its own (SCENE-9).
  if (status === 422 && body.ok === false) return assert.ok(body.errors.length > 0, what);
  assert.equal(body.status, status, what);
  for (const member of ["code", "detail", "hint"]) {
    assert.ok(typeof body[member] === "string" && body[member].length > 0, `${member}: ${what}`);
  }
}

/** All that a reading tool must leave as it is: the scene, the steps of undo, the files. */
async function standing({ editor, root }: ProjectService): Promise<object> {
  const { scenePath, rev } = await editor.sceneState();
  const files = readdirSync(root, { recursive: true }).map(String).sort().map((path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    return [path, size, mtimeMs];
  });
  return { scenePath, rev, files };
}

async function checkTool(tool: Tool, service: ProjectService): Promise<void> {
  const { call } = service;
  const before = await standing(service);
  const ask = async (args: Readonly<Record<string, unknown>>) => {
    const called = await call(tool.name, args);
    check(tool, args, called);
    return called;
  };
  const plain = await ask({});
  assert.notEqual(plain.body.code, "bad-argument", `${tool.name} {}: ${plain.body.detail}`);
  for (const name of ["bogus", "__proto__", "constructor"]) {
    const { status, body } = await ask(JSON.parse(`{"${name}":1}`));
    assert.deepEqual([status, body.code], [400, "unknown-argument"], `${tool.name} ${name}`);
    assert.ok(body.detail.includes(`"${name}"`));
    for (const { name } of tool.parameters) assert.ok(body.detail.includes(name), name);
  }
  for (const parameter of tool.parameters) {
    const { name } = parameter;
    const { good, bad } = samplesOf(parameter);
    // `null` is as good as nothing; as a parent it is the top (TOOL-5).
    const absent = await ask(name === "parentId" ? { [name]: 0 } : {});
    const none = await ask({ [name]: null });
    assert.deepEqual(
      [none.status, none.body.code, none.body.detail],
      [absent.status, absent.body.code, absent.body.detail],
      `${tool.name} ${name}=null`,
    );
    for (const value of good) await ask({ [name]: value });
    for (const value of bad) {
      const { status, body } = await ask({ [name]: value });
      const what = `${tool.name} ${name}=${JSON.stringify(value)}`;
      assert.equal(status, 400, what);
      assert.ok(
        new RegExp(`\\b${name}(?:\\[\\d+\\])?: expected`).test(body.detail),
        `${what}: ${body.detail}`,
      );
    }
    if (name === "limit") {
      const [none, all] = [await ask({ limit: 0 }), await ask({ limit: "1000000" })];
      assert.notEqual(none.body.code, "bad-argument", `${tool.name} limit=0`);
      assert.notEqual(all.body.code, "bad-argument", `${tool.name} limit=1000000`);
    }
  }
  if (tool.annotations.readOnlyHint === true) {
    assert.deepEqual(await standing(service), before, `${tool.name} is said to change nothing`);
  }
}

/** Asks a tool with arguments put together at random. */
async function fuzzTool(tool: Tool, service: ProjectService, random: Random): Promise<void> {
  const pools = await meaningful(service.editor);
  for (let round = 0; round < rounds(8, 100); round++) {
    const given = drawArguments(tool, pools, random);
    check(tool, given, await service.call(tool.name, given));
  }
}

const toolsets = [{ name: "meta", tools: META_TOOLS }, ...TOOLSETS];
for (const { name, tools } of toolsets.filter((toolset) => toolset.tools.length > 0)) {
  test(`every tool of ${name} answers any arguments with JSON inside the cap, never with a fault`, () =>
    withSampleService(async (service) => {
      for (const tool of tools) await checkTool(tool, service);
    }));

  const seed = runSeed();
  test(`every tool of ${name} answers arguments at random (SLIPWAY_SEED=${seed})`, () =>
    withSampleService(async (service) => {
      const random = seededRandom(seed);
      for (const tool of tools) await fuzzTool(tool, service, random);
    }));
}
