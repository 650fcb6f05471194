import { test } from "node:test";
import assert from "node:assert/strict";
import { PAYLOAD_CAP } from "../../lib/agent/answer/budget.ts";
import type { ParameterInfo, Tool } from "../../lib/agent/declaration/tool.ts";
import { TOOLS, TOOLSETS } from "../../lib/agent/tools.ts";
import { isRecord } from "../../lib/core/json.ts";
import { withMcpClient } from "../support/mcp-client.ts";
import { type ProjectService, withSampleService } from "../support/project-service.ts";

// Every tool over both transports: MCP with a client, and its own route. What each of them makes of
// arguments that mean something is in the tools' own tests.

type Arguments = Readonly<Record<string, unknown>>;

/** A value that a parameter takes, as JSON and as the text that a query has. */
function spellings({ schema }: ParameterInfo): readonly [unknown, string] {
  const { enum: choices, type, minimum, maximum } = schema;
  if (Array.isArray(choices)) return [choices[0], String(choices[0])];
  switch (type) {
    case "boolean":
      return [true, "true"];
    case "integer": {
      const least = typeof minimum === "number" ? minimum : 1;
      return [least, String(least)];
    }
    case "number": {
      const value = typeof maximum === "number" ? maximum / 2 : 1.5;
      return [value, String(value)];
    }
    case "object":
      return [{ x: 1 }, '{"x":1}'];
    case "array":
      return listSpellings(schema);
    default:
      return ["text", "text"];
  }
}

function listSpellings(schema: ParameterInfo["schema"]): readonly [unknown, string] {
  const items = schema["items"];
  const count = typeof schema["minItems"] === "number" ? schema["minItems"] : 2;
  const item = !isRecord(items) || items["type"] === "string"
    ? "text"
    : items["type"] === "object"
    ? { a: 1 }
    : 1;
  const list = Array.from({ length: count }, () => item);
  return [list, typeof item === "object" ? JSON.stringify(list) : list.join(",")];
}

for (const tool of TOOLS) {
  test(`${tool.name} takes each argument as text where that can mean one thing only`, () => {
    for (const parameter of tool.parameters) {
      const { name } = parameter;
      for (const value of spellings(parameter)) {
        const prepared = tool.prepare({ [name]: value });
        // tools refuses to call what is not there: that is an answer to its value, not to its type.
        const code = prepared.ok ? null : prepared.error.code;
        assert.ok(code === null || code === "no-such-tool", `${name}=${String(value)}: ${code}`);
      }
    }
  });
}

/** What the table asks of every tool: nothing, each drill-down, wrong types, wrong names, odd limits. */
function table({ name, parameters }: Tool): readonly Arguments[] {
  // Work that is started here would go on behind the test; a path that exists would be written.
  const each = parameters.flatMap((parameter): Arguments[] => [
    { [parameter.name]: spellings(parameter)[0] },
    { [parameter.name]: parameter.schema["type"] === "string" ? [7] : "wrong type" },
  ]);
  const limits = parameters.some((parameter) => parameter.name === "limit")
    ? [{ limit: 0 }, { limit: 1_000_000 }]
    : [];
  const odd = name === "tools" ? [{ call: "batch" }, { call: "tools" }, { name: "batch" }] : [];
  return [{}, ...each, { bogus: 1 }, ...limits, ...odd];
}

interface Seen {
  readonly ok: boolean;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

async function byRoute(
  { send }: ProjectService,
  { route, routeKind }: Tool,
  args: Arguments,
): Promise<Seen> {
  const path = route.replace(":id", "none");
  const query = new URLSearchParams(
    Object.entries(args).map(([key, value]): [string, string] => [
      key,
      typeof value === "object" ? JSON.stringify(value) : String(value),
    ]),
  );
  const { status, body } = routeKind === "body"
    ? await send(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(args),
    })
    : await send(`${path}?${query}`);
  return { ok: status === 200, body };
}

/** What must be equal over both transports. */
function gist({ ok, body }: Seen): unknown {
  return ok ? Object.keys(body) : [body.status, body.code, body.ok];
}

test("every tool answers the same calls alike over MCP and by its own route", async () => {
  const seen: Seen[][] = [[], []];
  const calls = TOOLS.flatMap((tool) => table(tool).map((args) => ({ tool, args })));
  await withSampleService((service) =>
    withMcpClient(service.handler, async (call) => {
      for (const { tool, args } of calls) {
        const { isError, body } = await call(tool.name, { ...tool.routeDefaults, ...args });
        seen[0]?.push({ ok: !isError, body });
      }
    }, `?toolsets=${TOOLSETS.map(({ name }) => name).join(",")}`)
  );
  await withSampleService(async (service) => {
    for (const { tool, args } of calls) seen[1]?.push(await byRoute(service, tool, args));
  });
  for (const [index, { tool, args }] of calls.entries()) {
    const [mcp, http] = [seen[0]?.[index], seen[1]?.[index]];
    const what = `${tool.name} ${JSON.stringify(args)}`;
    assert.ok(mcp !== undefined && http !== undefined);
    for (const one of [mcp, http]) {
      assert.equal(typeof one.body, "object", `${what}: ${one.body}`);
      assert.ok(JSON.stringify(one.body).length <= PAYLOAD_CAP, what);
    }
    // A path that holds the id, and a stream of events, are asked in other ways.
    if (tool.route.includes(":") || tool.routeKind === "stream") continue;
    // What a query spells as text may be text or a list.
    if (tool.routeKind !== "body" && Object.values(args).some(Array.isArray)) continue;
    assert.deepEqual(gist(http), gist(mcp), what);
  }
});
