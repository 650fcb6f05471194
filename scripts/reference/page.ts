import { listedTool } from "../../lib/agent/mcp.ts";
import {
  chooseToolsets,
  META_TOOLS,
  type ParameterInfo,
  type Tool,
  TOOLSETS,
} from "../../lib/agent/mod.ts";
import { isRecord } from "../../lib/core/json.ts";

/** Path of the page, from the package's root. */
export const REFERENCE_FILE = "lib/agent/TOOLS.md";

/** The tools as a page for people, made of the declarations that agents read. */
export function referencePage(): string {
  const sets = [{ name: "in every toolset", tools: META_TOOLS }, ...TOOLSETS]
    .filter(({ tools }) => tools.length > 0);
  const total = sets.reduce((sum, { tools }) => sum + tools.length, 0);
  return [
    "<!-- deno-fmt-ignore-file -->",
    "<!-- Made by scripts/tool-reference.ts from the declarations: do not edit. -->",
    "# Tools",
    "",
    `${total} tools, over MCP (\`/mcp\`, \`slipway mcp\`) and HTTP: each by its own route, and by ` +
    "`POST /api/tools/<name>` with its arguments as JSON. `/mcp?toolsets=scene,play` lists only " +
    `those toolsets, \`/mcp?toolsets=core\` ${coreSize()} everyday tools; \`tools\` finds and calls ` +
    "the others. `/mcp?readonly=1` offers only tools that neither change nor start anything. Every " +
    "argument is optional unless a tool says that it is needed.",
    "",
    ...sets.map(({ name, tools }) =>
      `- ${name}: ${tools.map((tool) => `[${tool.name}](#${tool.name})`).join(", ")}`
    ),
    ...sets.flatMap(({ name, tools }) => ["", `## ${name}`, ...tools.flatMap(toolSection)]),
    "",
  ].join("\n").replaceAll(/<(?!!--|name>`)/g, "\\<"); // not HTML
}

/** Returns the number of tools that `?toolsets=core` lists, with the two of every toolset. */
function coreSize(): number {
  const core = chooseToolsets(TOOLSETS, "core");
  if (!core.ok) throw new Error(core.error.detail);
  return META_TOOLS.length + core.value.flatMap(({ tools }) => tools).length;
}

function toolSection(tool: Tool): readonly string[] {
  const { name, purpose, parameters, route, routeKind } = tool;
  const { description = "" } = listedTool(tool);
  const rest = description.slice(`${purpose}. `.length);
  const method = routeKind === "body" ? "POST" : "GET";
  return [
    "",
    `### ${name}`,
    "",
    `${purpose}. ${effects(tool)}`,
    "",
    rest,
    "",
    `\`${method} ${route}\`${routeKind === "stream" ? " streams the events of its job" : ""}`,
    ...(parameters.length > 0 ? ["", ...parameters.map(parameterLine)] : []),
  ];
}

/** The annotations in words. */
function effects({ annotations, undoable }: Tool): string {
  const { readOnlyHint, destructiveHint = true, idempotentHint, openWorldHint = true } =
    annotations;
  const parts = readOnlyHint === true ? ["Changes nothing"] : [
    undoable ? "Is one step of undo" : destructiveHint ? "May remove or overwrite" : "Only adds",
    ...(idempotentHint === true ? ["a second equal call changes nothing more"] : []),
  ];
  if (openWorldHint) parts.push("looks or reaches beyond the project");
  return `${parts.join("; ")}.`;
}

function parameterLine({ name, doc, schema }: ParameterInfo): string {
  return `- \`${name}\` (${typeText(schema)}): ${doc}`;
}

function typeText(schema: Readonly<Record<string, unknown>>): string {
  const { type, minimum, maximum, items } = schema;
  const choices = schema["enum"];
  if (Array.isArray(choices)) return choices.map(String).join(", ");
  if (type === "array") return `list of ${isRecord(items) ? typeText(items) : "any"}`;
  const bounds = minimum === undefined && maximum === undefined
    ? ""
    : maximum === undefined
    ? ` >= ${minimum}`
    : ` ${minimum ?? "…"} to ${maximum}`;
  return `${typeof type === "string" ? type : "any"}${bounds}`;
}
