import { z } from "zod";
import { type Problem, refuse } from "../../core/problem.ts";
import { ok, type Result } from "../../core/result.ts";
import { pageOf, type PageRequest } from "../answer/lists.ts";
import { after, jsonObject, limit, text } from "../declaration/parameters.ts";
import { parseArguments, refuseMissing } from "../declaration/arguments.ts";
import { namedTool } from "../declaration/named-tool.ts";
import { defineTool, type Tool } from "../declaration/tool.ts";
import type { Toolset } from "../declaration/toolsets.ts";
import { createBatch } from "./batch.ts";

/** Default hits of a search. */
const SEARCH_LIMIT = 10;

const parameters = z.object({
  search: text("words that names and descriptions contain"),
  name: text("the tool to document"),
  call: text("the tool to call, also one that this connection does not list"),
  args: jsonObject("its arguments"),
  limit: limit(`${SEARCH_LIMIT} hits`),
  after: after(),
});

type Arguments = z.output<typeof parameters>;

/**
 * Creates the tools about tools, which every connection has.
 *
 * @param toolsets All other tools.
 * @param withheld Tools that refuse every call with the reason; they are not listed.
 */
export function createMetaTools(
  toolsets: readonly Toolset[],
  withheld: readonly Tool[] = [],
): readonly Tool[] {
  const all = toolsets.flatMap(({ tools }) => tools);
  const batch = createBatch(all, withheld);
  return [createCatalogue(toolsets, { all, batch, withheld }), batch];
}

/** `tools`: a catalogue of all toolsets, and a way to call every tool in them. */
function createCatalogue(
  toolsets: readonly Toolset[],
  { all, batch, withheld }: {
    readonly all: readonly Tool[];
    readonly batch: Tool;
    readonly withheld: readonly Tool[];
  },
): Tool {
  const catalogue: Tool = defineTool({
    name: "tools",
    route: "/api/toolsets",
    routeKind: "body",
    purpose: "Finds, documents and calls any tool, listed or not",
    defaultShape: "toolsets with their tools' names",
    parameters,
    drillDown: { search: "words", name: "one tool's documentation", call: "calls it with args=" },
    // It may call any of them.
    annotations: {
      readOnlyHint: all.every(({ annotations }) => annotations.readOnlyHint === true),
    },

    fills: ({ search }) => search !== undefined ? "tools" : null,

    produce: () => Promise.resolve(ok(null)),

    summarize(_nothing, { search, name, args, limit = SEARCH_LIMIT, after }) {
      if (args !== undefined) {
        return refuseMissing("tools", "call", "Name the tool that args= are for");
      }
      if (name !== undefined) return documentation(toolsets, [...all, batch, catalogue], name);
      if (search !== undefined) return ok(found(toolsets, search, { limit, after }));
      return ok({
        total: all.length,
        toolsets: Object.fromEntries(
          toolsets.map(({ name, tools }) => [name, tools.map((tool) => tool.name).join(" ")]),
        ),
        hint: "Names only: search= for purposes, name= for one, call= and args= to call one",
      });
    },
  });
  return {
    ...catalogue,
    prepare(args) {
      const parsed = parseArguments(catalogue.name, parameters, args);
      if (!parsed.ok || parsed.value.call === undefined) return catalogue.prepare(args);
      const tool = toolToCall([...all, batch, ...withheld], parsed.value);
      // From here it is that tool's call: its refusals, precision and narrowing advice apply.
      return tool.ok ? tool.value.prepare(parsed.value.args ?? {}) : tool;
    },
  };
}

function toolToCall(
  all: readonly Tool[],
  { call = "", search, name }: Arguments,
): Result<Tool, Problem> {
  if (call === "tools") {
    return refuse(
      422,
      "calls-itself",
      "tools cannot call itself",
      "Give search=, name= or call= to this call",
    );
  }
  if (search === undefined && name === undefined) return namedTool(all, call);
  return refuse(
    400,
    "bad-argument",
    "Cannot call tools: found call= beside search= or name=, expected one of the three",
    "Call it once for each",
  );
}

function documentation(
  toolsets: readonly Toolset[],
  all: readonly Tool[],
  name: string,
): Result<object, Problem> {
  const tool = namedTool(all, name);
  if (!tool.ok) return tool;
  const { description, parameters, annotations, route, routeKind } = tool.value;
  const toolset = toolsets.find(({ tools }) => tools.includes(tool.value))?.name;
  return ok({
    name,
    ...(toolset !== undefined && { toolset }),
    description,
    parameters: Object.fromEntries(
      parameters.map(({ name, doc, schema }) => [name, { ...schema, doc }]),
    ),
    annotations,
    route: `${routeKind === "body" ? "POST" : "GET"} ${route}`,
  });
}

/** Returns tools that contain all words or, if there are none, those that contain most of them. */
function found(toolsets: readonly Toolset[], search: string, page: PageRequest): object {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const hits = toolsets.flatMap(({ name: toolset, tools }) =>
    tools.map(({ name, purpose, description }) => {
      const names = name.toLowerCase();
      const texts = `${names} ${toolset} ${description.toLowerCase()}`;
      const has = words.filter((word) => texts.includes(word)).length;
      const named = words.filter((word) => names.includes(word)).length;
      return { name, toolset, purpose, has, named };
    })
  ).filter(({ has }) => has > 0);
  const most = Math.max(0, ...hits.map(({ has }) => has));
  const best = hits.filter(({ has }) => has === most).sort((a, b) => b.named - a.named);
  const { shown, cut } = pageOf(best, page);
  return {
    matched: best.length,
    tools: shown.map(({ name, toolset, purpose }) => ({ name, toolset, purpose })),
    ...cut,
    ...(best.length === 0 &&
      {
        hint: "No tool has these words; tools without arguments names all, list_traits what " +
          "entities can do",
      }),
    ...(best.length > 0 && most < words.length &&
      { hint: `No tool has all ${words.length} words; these have ${most}` }),
  };
}
