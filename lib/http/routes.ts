import { type CallOptions, callTool } from "../agent/call.ts";
import { bannerOf } from "../agent/identity.ts";
import { createMcpEndpoint, unknownTool } from "../agent/mcp.ts";
import type { Services } from "../agent/services.ts";
import { refuseUnknown, type Tool } from "../agent/tool.ts";
import { own } from "../core/json.ts";
import { type Problem, problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import { MAX_BODY_BYTES, readJsonBody } from "./body.ts";
import { followJob, type JobDesk } from "./events.ts";
import { indexText } from "./index-text.ts";
import { openApiDocument } from "./openapi.ts";
import { answerResponse, documentResponse, headerText, textResponse } from "./respond.ts";
import type { Route } from "./route.ts";

/** What the routes are made of. */
export interface RouteParts {
  readonly services: Services;
  readonly tools: readonly Tool[];
  readonly jobs: JobDesk;
  readonly clock: Pick<Clock, "sleep">;
  /** The program's version. */
  readonly version: string;
}

/** Every route: those of the tools, and those of the service. */
export function createRoutes(parts: RouteParts): readonly Route[] {
  const routes: Route[] = [
    ...parts.tools.map((tool) => toolRoute(tool, parts)),
    ...toolDoor(parts),
    ...jobRoutes(parts),
    mcpRoute(parts),
  ];
  return [...routes, ...documentRoutes(parts, routes)];
}

function toolRoute(tool: Tool, parts: RouteParts): Route {
  return {
    method: "GET",
    path: tool.route,
    doc: tool.name,
    changesState: false,
    query: null,
    handle: async ({ request, query, cap }) =>
      ok(await answerOf(tool, query, parts, { cap, signal: request.signal })),
  };
}

async function answerOf(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  { services }: RouteParts,
  options: CallOptions,
): Promise<Response> {
  const answer = await callTool(tool, args, services, options);
  const identity = headerText(bannerOf(services.editor.identity()));
  return answerResponse(answer, { "x-svc-identity": identity });
}

/** The generic door: every tool by its name, arguments in the body. */
function toolDoor(parts: RouteParts): readonly Route[] {
  const { tools } = parts;
  return [{
    method: "GET",
    path: "/api/tools",
    doc: "names and descriptions of the tools",
    changesState: false,
    query: [],
    handle: () =>
      Promise.resolve(ok(documentResponse({
        tools: tools.map(({ name, description, route }) => ({ name, description, route })),
      }))),
  }, {
    method: "POST",
    path: "/api/tools/:name",
    doc: "calls a tool, arguments as JSON",
    changesState: true,
    query: [],
    async handle({ request, params, cap }) {
      const name = own(params, "name") ?? "";
      const tool = tools.find((known) => known.name === name);
      if (tool === undefined) {
        return refuse(404, "no-such-tool", unknownTool(name, tools), "GET /api/tools lists them");
      }
      const args = await readJsonBody(request);
      if (!args.ok) return args;
      return ok(await answerOf(tool, args.value, parts, { cap, signal: request.signal }));
    },
  }];
}

function jobRoutes({ jobs, clock }: RouteParts): readonly Route[] {
  return [{
    method: "POST",
    path: "/api/jobs/:id/cancel",
    doc: "stops a job",
    changesState: true,
    query: [],
    async handle({ request, params }) {
      const body = await readJsonBody(request);
      if (!body.ok) return body;
      const [unknown] = Object.keys(body.value);
      if (unknown !== undefined) return refuseUnknown("Cancelling a job", unknown, []);
      const job = jobs.get(own(params, "id") ?? "");
      if (!job.ok) return job;
      const { id, state } = job.value;
      if (state !== "running") {
        return refuse(
          409,
          "job-ended",
          `Job ${id} has ended already: it is ${state}`,
          `Read how it ended: GET /api/jobs/${id}/events`,
        );
      }
      const cancelled = jobs.cancel(id);
      return cancelled.ok ? ok(documentResponse({ ok: true, ...cancelled.value })) : cancelled;
    },
  }, {
    method: "GET",
    path: "/api/jobs/:id/events",
    doc: "events of a job as they come",
    changesState: false,
    query: [],
    handle: ({ request, params }) =>
      Promise.resolve(followJob({
        jobs,
        clock,
        id: own(params, "id") ?? "",
        lastEventId: request.headers.get("last-event-id"),
        signal: request.signal,
      })),
  }];
}

function mcpRoute({ services, tools, version }: RouteParts): Route {
  const endpoint = createMcpEndpoint({ services, tools, version }, MAX_BODY_BYTES);
  return {
    method: "ALL",
    path: "/mcp",
    doc: "the same tools over MCP (Streamable HTTP)",
    changesState: true,
    query: ["cap"],
    handle: async ({ request }) => ok(await endpoint(request)),
  };
}

function documentRoutes(parts: RouteParts, others: readonly Route[]): readonly Route[] {
  return [{
    method: "GET",
    path: "/api/openapi.json",
    doc: "this interface as OpenAPI 3.1",
    changesState: false,
    query: [],
    handle: () =>
      Promise.resolve(ok(documentResponse(openApiDocument(parts.tools, parts.version)))),
  }, {
    method: "GET",
    path: "/",
    doc: "this page",
    changesState: false,
    query: [],
    handle: () =>
      Promise.resolve(ok(textResponse(indexText(parts.services.editor.identity(), others)))),
  }];
}

/** Reads the query of a request: every name once, and one that the route takes. */
export function readQuery(
  { path, query: accepted }: Route,
  search: URLSearchParams,
): Result<Readonly<Record<string, string>>, Problem> {
  const query = new Map<string, string>();
  for (const [name, value] of search) {
    if (accepted !== null && !accepted.includes(name)) return refuseUnknown(path, name, accepted);
    if (query.has(name)) {
      const twice = `${path} got ${JSON.stringify(name.slice(0, 80))} twice; expected it once`;
      return { ok: false, error: problem(400, "repeated-argument", twice, "Remove one of them") };
    }
    query.set(name, value);
  }
  return ok(Object.fromEntries(query));
}
