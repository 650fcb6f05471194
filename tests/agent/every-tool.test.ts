import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import assert from "node:assert/strict";
import { PAYLOAD_CAP } from "../../lib/agent/answer/budget.ts";
import type { ParameterInfo, Tool } from "../../lib/agent/declaration/tool.ts";
import { META_TOOLS, TOOLSETS } from "../../lib/agent/tools.ts";
import { type Random, runSeed, seededRandom } from "../support/random.ts";
import { rounds } from "../support/rounds.ts";
import { type Called, type ProjectService, withSampleService } from "../support/project-service.ts";

// What holds for every tool, whoever writes it: on a real editor, through the generic route.

type Schema = Readonly<Record<string, unknown>>;

/** Values that a parameter may take, and values of a wrong kind. */
interface Samples {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

function samplesOf({ schema }: ParameterInfo): Samples {
  const items = schema["items"];
  if (Array.isArray(schema["enum"])) return { good: schema["enum"], bad: ["nonsense", 1, "", {}] };
  switch (schema["type"]) {
    case "boolean":
      return { good: [true, 0, "1", "false"], bad: ["yes", 2, "", [], {}] };
    case "integer": {
      const { least, most } = bounds(schema);
      return {
        good: [least, String(least), Math.min(most, least + 5), Math.min(most, 1_000_000)],
        bad: [
          least - 1,
          ...(Number.isFinite(most) ? [most + 1] : []),
          1.5,
          "1.5",
          "",
          " 1",
          "0x1",
          "five",
          true,
          {},
          [],
        ],
      };
    }
    case "number": {
      const { least, most } = bounds(schema);
      return {
        good: [0.5, "0.5", "-1e-3", 1e9].filter((n) => Number(n) >= least && Number(n) <= most),
        bad: ["", " 1", "0x1", "five", "NaN", true, {}, []],
      };
    }
    case "object":
      return {
        good: [{}, { x: 1 }, '{"x":1}', { a: { b: [null, "", 1e308] } }],
        bad: [5, "x", "{", "[]", "", true, []],
      };
    case "array":
      return arraySamples(isSchema(items) ? items : {}, schema);
    case "string":
      return {
        good: ["text", "0", "Crate", "a/../../b", "\u0000", "🦀".repeat(200), "__proto__"],
        bad: ["", 5, true, [], {}],
      };
    default:
      return { good: [5, "text", [1], { x: 1 }, true], bad: [] };
  }
}

function arraySamples(items: Schema, { minItems, maxItems }: Schema): Samples {
  const least = typeof minItems === "number" ? minItems : 0;
  const most = typeof maxItems === "number" ? maxItems : 3;
  const count = Math.max(least, Math.min(most, 2));
  const filled = (value: unknown) => Array.from({ length: count }, () => value);
  switch (items["type"]) {
    case "integer":
      return {
        good: [filled(1), filled(1).join(","), filled("4"), JSON.stringify(filled(1))],
        bad: ["a", [1.5], [-1], "1,,2", "", {}, true],
      };
    case "number":
      return {
        good: [filled(0.5), filled(-1).join(","), JSON.stringify(filled(1e3)), filled("2")],
        bad: ["a", "1,,2", "", {}, true, ["x"]],
      };
    case "object":
      return {
        good: [filled({}), filled({ op: "create" }), JSON.stringify(filled({ tool: "tools" }))],
        bad: [5, "x", "{}", "", {}, [1], ["x"], true],
      };
    default:
      return { good: [filled("text"), "Transform.x,b"], bad: [5, {}, [1], true] };
  }
}

function bounds({ minimum, maximum }: Schema): { readonly least: number; readonly most: number } {
  return {
    least: typeof minimum === "number" ? minimum : -Infinity,
    most: typeof maximum === "number" ? maximum : Infinity,
  };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null;
}

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

/** Values that mean something in the sample, by the name of the parameter; others by its type. */
async function meaningful(
  { editor }: ProjectService,
): Promise<Readonly<Record<string, unknown[]>>> {
  const { entities } = await editor.sceneState();
  const assets = await editor.assets();
  const ids = entities.slice(0, 40).map(({ id }) => id);
  const guids = entities.slice(0, 40).map(({ guid }) => guid.slice(0, 8));
  const paths = assets.map(({ path }) => path);
  return {
    id: ids,
    guid: guids,
    ids: [ids.slice(0, 3), ids.join(","), []],
    guids: [guids.slice(0, 3)],
    parentId: [...ids, 0],
    trait: ["Transform", "Light", "UIElement", "Camera", "Nothing"],
    traits: [{ Transform: { x: 1 } }, { Light: {} }, { Nothing: {} }, { Transform: { x: "a" } }],
    fields: [{ x: 1 }, { x: null }, { bogus: 1 }, {}, { x: 1e308, y: -0 }],
    ops: [
      [{ op: "set", id: ids[0], trait: "Transform", fields: { x: 1 } }],
      [{ op: "create", name: "New" }, { op: "reparent", id: -1, parentId: ids[1] }],
      [{ op: "delete", id: ids[3] }, { op: "rename", id: ids[3], name: "Gone" }],
      [{ op: "nothing" }, {}, { op: "duplicate", guid: guids[5] }],
    ],
    path: [...paths, "assets/new.material.json", "assets/../../x.json", "/etc/passwd"],
    asset: paths,
    name: [...paths.slice(0, 5), "Crate", "Main Camera"],
    prefab: paths.filter((path) => path.endsWith(".prefab.json")),
    to: ["assets/moved.json", "../out.json"],
    content: [{}, { schema: 1 }, { color: "#ff0000" }],
    where: ["Transform.x > 0", "Transform.x"],
    layer: ["3d", "ui"],
    calls: [[{ tool: "list_traits" }, { tool: "set_fields", args: { id: 2 } }]],
    call: ["list_traits", "nothing"],
  };
}

/** Arguments put together at random: some of a tool's, of values that mean something or not. */
async function fuzzTool(tool: Tool, service: ProjectService, random: Random): Promise<void> {
  const pools = await meaningful(service);
  const pick = (values: readonly unknown[]) => values[random.below(values.length)];
  for (let round = 0; round < rounds(8, 100); round++) {
    const args: [string, unknown][] = [];
    for (const parameter of tool.parameters) {
      if (random.below(5) < 2) continue;
      const { good, bad } = samplesOf(parameter);
      // Thousands of steps of the game are asked for once, not in every round.
      const quick = good.filter((value) => !(Number(value) > 1_000) || parameter.name === "limit");
      const known = pools[parameter.name] ?? quick;
      const pool = random.below(10) === 0 ? [...quick, ...bad] : known.length > 0 ? known : quick;
      if (pool.length > 0) args.push([parameter.name, pick(pool)]);
    }
    const given = Object.fromEntries(args);
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
