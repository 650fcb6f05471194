import assert from "node:assert/strict";
import { test } from "node:test";
import { PAYLOAD_CAP } from "../../lib/agent/answer/budget.ts";
import { callTool } from "../../lib/agent/declaration/call.ts";
import type { ParameterInfo, Tool } from "../../lib/agent/declaration/tool.ts";
import { META_TOOLS, TOOLS } from "../../lib/agent/tools.ts";
import type { Editor } from "../../lib/editor/ports/mod.ts";
import type { Sketch } from "../editor/scenes.ts";
import { withScene } from "../editor/playing.ts";

// What every JavaScript object inherits is no trait, field, tool, option or asset: a name like that
// is answered as any name is that nobody knows.

const INHERITED = ["constructor", "toString", "hasOwnProperty", "__proto__"];
const UNKNOWN = "zzqx";

/** What tools are given beside the name: enough to come as far as to the name. */
const GIVEN: Readonly<Record<string, unknown>> = {
  id: 1,
  asset: "assets/turn.anim.json",
  trait: "Transform",
  field: "Transform.x",
  t: 0,
  value: 1,
  action: "start",
  ticks: 1,
  duration: 1,
};

const SCENE: readonly Sketch[] = [
  { traits: { Transform: {}, Animator: {}, Binding: { source: "constructor.name" } } },
  { parentId: 1, traits: { Transform: {} } },
];

const ANIMATION = { schema: 1, length: 1, tracks: [] };

/** An object with one member of its own, whatever its name. */
const withMember = (name: string, value: unknown): object => ({
  ...Object.fromEntries([[name, value]]),
});

/** Values of a parameter that hold a name; none where it takes none. */
function valuesWith(name: string, { schema }: ParameterInfo): readonly unknown[] {
  if (Array.isArray(schema["enum"])) return [name];
  switch (schema["type"]) {
    case "string":
      return [name, `${name}.${name}`, `Transform.${name}`];
    case "array":
      return [[name]];
    case "object":
      return [withMember(name, 1), withMember(name, {})];
    default:
      return [];
  }
}

/** Whether a call was answered, and else why not. */
async function outcome(editor: Editor, tool: Tool, args: object): Promise<string> {
  const answer = await callTool(tool, { ...args }, { editor }, { cap: PAYLOAD_CAP });
  if (answer.ok) return "answered";
  return `${answer.status} ${/"code":"([^"]*)"/.exec(answer.text)?.[1] ?? answer.text}`;
}

// TOOL-3
test("every parameter of every tool takes an inherited name as any unknown one", () =>
  withScene(SCENE, async ({ editor }) => {
    let compared = 0;
    for (const tool of [...TOOLS, ...META_TOOLS]) {
      const names = tool.parameters.map((one) => one.name);
      const given = Object.fromEntries(
        Object.entries(GIVEN).filter(([name]) => names.includes(name)),
      );
      for (const inherited of INHERITED) {
        const compare = async (args: (name: string) => object) => {
          compared++;
          const expected = await outcome(editor, tool, args(UNKNOWN));
          const found = await outcome(editor, tool, args(inherited));
          assert.equal(found, expected, `${tool.name} ${JSON.stringify(args(inherited))}`);
          assert.ok(!found.startsWith("500"), `${tool.name} ${found}`);
        };
        await compare((name) => ({ ...given, ...withMember(name, 1) }));
        for (const parameter of tool.parameters) {
          for (const index of valuesWith(UNKNOWN, parameter).keys()) {
            const value = (name: string) => valuesWith(name, parameter)[index];
            await compare((name) => ({ ...given, ...withMember(parameter.name, value(name)) }));
          }
        }
      }
    }
    assert.ok(compared > 1_000, `compared ${compared}`);
  }, {
    files: {
      "assets/turn.anim.json": ANIMATION,
      "assets/turn.anim.json.meta.json": { guid: "00000000-0000-4000-8000-000000000900" },
    },
  }));

/** Operations of a scene edit, with a name in every place where one can stand. */
const OPS: readonly ((name: string) => object)[] = [
  (name) => ({ op: name }),
  (name) => ({ op: "rename", id: 1, name: "A", ...withMember(name, 1) }),
  (name) => ({ op: "delete", guid: name }),
  (name) => ({ op: "setLayer", id: 1, layer: name }),
  (name) => ({ op: "addTrait", id: 1, trait: name }),
  (name) => ({ op: "addTrait", id: 2, trait: "Health", fields: withMember(name, 1) }),
  (name) => ({ op: "set", id: 1, trait: name, fields: { x: 1 } }),
  (name) => ({ op: "set", id: 1, trait: "Transform", fields: withMember(name, 1) }),
  (name) => ({ op: "removeTrait", id: 1, trait: name }),
  (name) => ({ op: "create", name: "A", traits: withMember(name, {}) }),
  (name) => ({ op: "create", name: "A", traits: { Transform: withMember(name, 1) } }),
];

test("every operation of a scene edit refuses an inherited name as any unknown one", () =>
  withScene(SCENE, async ({ editor }) => {
    const tool = TOOLS.find(({ name }) => name === "svc_scene_edit");
    assert.ok(tool);
    const rev = editor.document.rev;
    for (const op of OPS) {
      const expected = await outcome(editor, tool, { ops: [op(UNKNOWN)] });
      assert.notEqual(expected, "answered");
      for (const name of INHERITED) {
        assert.equal(
          await outcome(editor, tool, { ops: [op(name)] }),
          expected,
          JSON.stringify(op(name)),
        );
      }
    }
    assert.equal(editor.document.rev, rev);
  }));

test("a game sets, shows and watches no inherited name", () =>
  withScene([
    {
      traits: {
        Transform: {},
        Text: { text: "as it was" },
        Binding: { source: "Entity 1.Transform.constructor" },
      },
    },
    { traits: { Text: { text: "as it was" }, Binding: { source: "Text.toString" } } },
    ...["Transform.__proto__", "constructor.name", "Transform.constructor"].map((field) => ({
      traits: { ScriptAction: { on: "@start", effect: "set", field, value: 7, text: "x" } },
    })),
  ], async ({ editor, step, trait }) => {
    await step(2);
    for (const { name } of editor.play.actions()) {
      await editor.play.dispatch({ action: name, source: "agent" });
    }
    await step(2);
    assert.equal((await trait(1, "Text"))["text"], "as it was");
    assert.deepEqual(Object.keys(await trait(1, "Transform")).includes("__proto__"), false);
    const started = editor.watches.start({ fields: ["Transform.constructor"] });
    assert.equal(!started.ok && started.error.code, "no-such-field");
    assert.equal(Reflect.get({}, "value"), undefined);
  }));
