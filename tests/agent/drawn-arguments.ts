import type { ParameterInfo, Tool } from "../../lib/agent/declaration/tool.ts";
import type { Editor } from "../../lib/editor/ports/mod.ts";
import type { Random } from "../support/random.ts";

// Arguments for any tool, drawn from what its schema says and from what is in the project.

type Schema = Readonly<Record<string, unknown>>;

/** Values that a parameter may take, and values of a wrong kind. */
interface Samples {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

/** Values of the kind that a parameter takes, and of others. */
export function samplesOf({ schema }: ParameterInfo): Samples {
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

/** Values by the name of the parameter. */
type Pools = Readonly<Record<string, readonly unknown[]>>;

/** Values that mean something in a project, by the name of the parameter; others go by its type. */
export async function meaningful(editor: Editor): Promise<Pools> {
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

/** Some of a tool's arguments, of values that mean something or not. */
export function drawArguments(
  tool: Tool,
  pools: Pools,
  random: Random,
): Readonly<Record<string, unknown>> {
  const args: [string, unknown][] = [];
  for (const parameter of tool.parameters) {
    if (random.below(5) < 2) continue;
    const { good, bad } = samplesOf(parameter);
    // Thousands of steps of the game are asked for once, not in every round.
    const quick = good.filter((value) => !(Number(value) > 1_000) || parameter.name === "limit");
    const known = pools[parameter.name] ?? quick;
    const pool = random.below(10) === 0 ? [...quick, ...bad] : known.length > 0 ? known : quick;
    if (pool.length > 0) args.push([parameter.name, pool[random.below(pool.length)]]);
  }
  return Object.fromEntries(args);
}
