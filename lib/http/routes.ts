import {
  bannerOf,
  callTool,
  chooseToolsets,
  CONNECTION_QUERY,
  connectionReadsOnly,
  connectionToolsets,
  type JobRegistry,
  namedTool,
  refuseUnknown,
  type RouteKind,
  type Services,
  type Tool,
  type Toolset,
  toPayload,
} from "../agent/mod.ts";
import { createMcpEndpoint } from "../agent/mcp.ts";
import { runAtOnce } from "../core/cooperative.ts";
import { isRecord, own } from "../core/json.ts";
import { type Problem, problem, refuse } from "../core/problem.ts";
import { ok, type Result, unreachable } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { EditorPage } from "../project/mod.ts";
import { MAX_BODY_BYTES, readBody, readJsonBody } from "./body.ts";
import { captureRoutes } from "./capture-routes.ts";
import { changeRoutes } from "./change-routes.ts";
import { contentRoutes } from "./content-routes.ts";
import { deviceRoutes } from "./device-routes.ts";
import { followJob } from "./events.ts";
import type { Access } from "./guard.ts";
import { indexText } from "./index-text.ts";
import { OpenStreams } from "./open-streams.ts";
import { openApiDocument } from "./openapi.ts";
import { pageRoutes } from "./page-routes.ts";
import {
  answerResponse,
  documentResponse,
  type ExtraHeaders,
  headerText,
  problemResponse,
  textResponse,
} from "./respond.ts";
import type { Exchange, Route } from "./route.ts";
import { sessionRoutes } from "./session-routes.ts";
import type { Sessions } from "./sessions.ts";
import { uploadRoutes } from "./upload-routes.ts";
import { wholeRoutes } from "./whole-routes.ts";

/** The parts of the routes. */
export interface RouteParts {
  readonly services: Services & { readonly jobs: JobRegistry };
  readonly tools: readonly Tool[];
  /** Refused on the same routes; no document lists them. */
  readonly withheld: readonly Tool[];
  readonly toolsets: readonly Toolset[];
  readonly access: Access;
  readonly sessions: Sessions;
  readonly clock: Pick<Clock, "sleep">;
  readonly page?: EditorPage | undefined;
  /** The program's version. */
  readonly version: string;
}

/** Parts that all routes share. */
interface SharedParts extends RouteParts {
  readonly streams: OpenStreams;
}

/** Creates all routes: those of the tools and those of the service. */
export function createRoutes(given: RouteParts): readonly Route[] {
  const parts: SharedParts = { ...given, streams: new OpenStreams() };
  const routes: Route[] = [
    ...parts.tools.flatMap((tool) => toolRoutes(tool, parts)),
    ...namedToolRoutes(parts),
    ...jobRoutes(parts),
    ...changeRoutes(parts),
    ...wholeRoutes(parts),
    ...uploadRoutes(parts),
    ...contentRoutes(parts.services),
    ...captureRoutes(parts),
    ...deviceRoutes(parts.services),
    ...pageRoutes(
      parts.page,
      async (origin) => await parts.services.phone?.frameFor(origin) ?? null,
    ),
    ...sessionRoutes(parts),
    mcpRoute(parts),
  ];
  const refused = parts.withheld.flatMap((tool) => toolRoutes(tool, parts));
  return [...routes, ...documentRoutes(parts, routes), ...refused];
}

function toolRoutes(tool: Tool, parts: SharedParts): readonly Route[] {
  if (tool.routeKind !== "both") return [toolRoute(tool, tool.routeKind, parts)];
  // A query may change something, so it is guarded like a body.
  const query = { ...toolRoute(tool, "query", parts), changesState: true };
  return [query, toolRoute(tool, "body", parts)];
}

/** The route of a tool: the same operation over HTTP (HTTP-1). */
function toolRoute(tool: Tool, routeKind: Exclude<RouteKind, "both">, parts: SharedParts): Route {
  const common = { path: tool.route, doc: tool.name };
  switch (routeKind) {
    case "query":
      return {
        ...common,
        method: "GET",
        changesState: false,
        query: null,
        handle: async (exchange) =>
          ok(await answerOf(tool, { ...tool.routeDefaults, ...exchange.query }, parts, exchange)),
      };
    case "body":
      return {
        ...common,
        method: "POST",
        changesState: true,
        query: [],
        async handle(exchange) {
          const { request, params } = exchange;
          const body = await readJsonBody(request, parts.clock);
          if (!body.ok) return body;
          const named = Object.keys(params).find((name) =>
            (own(body.value, name) ?? null) !== null
          );
          if (named !== undefined) return refuseTwice(tool.route, named);
          const args = { ...body.value, ...params };
          return ok(await answerOf(tool, args, parts, exchange));
        },
      };
    case "stream":
      return {
        ...common,
        method: "GET",
        changesState: true, // it starts work
        answersEvents: true,
        query: null,
        handle: (exchange) => followTool(tool, exchange.query, parts, exchange),
      };
    default:
      return unreachable(routeKind);
  }
}

/**
 * Starts a tool's job and follows it; a reader that reconnects only attaches (HTTP-5). A call that
 * starts no job (`dryRun`) is answered with its result.
 */
async function followTool(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  { services: given, clock, streams }: SharedParts,
  { request: { method, headers, signal }, cap, caller }: Exchange,
): Promise<Result<Response, Problem>> {
  const services = { ...given, caller };
  const lastEventId = headers.get("last-event-id");
  if (lastEventId !== null) {
    const id = lastEventId.slice(0, Math.max(0, lastEventId.lastIndexOf(":")));
    return followJob({ jobs: services.jobs, clock, streams, id, lastEventId, signal });
  }
  if (method === "HEAD") {
    const detail = `There is no HEAD "${tool.route}": asking for it starts work`;
    const why = problem(405, "wrong-method", detail, "Call it with GET");
    return ok(problemResponse(why, cap, { allow: "GET" }));
  }
  const call = tool.prepare(args);
  if (!call.ok) return call;
  // Nobody could follow the job, so it is not started.
  const refusal = streams.refusal();
  if (refusal !== null) return { ok: false, error: refusal };
  const produced = await call.value.produce(services, { signal, progress: () => {} });
  if (!produced.ok) return produced;
  const summary = runAtOnce(produced.value.summarize()); // a few facts about the work
  if (!summary.ok) return summary;
  const id = isRecord(summary.value) ? summary.value["job"] : undefined;
  if (typeof id !== "string") {
    const { precision, narrowing } = call.value;
    const payload = toPayload(summary.value, { cap, precision, narrowing });
    return ok(answerResponse({ ok: true, ...payload }, identityOf(services)));
  }
  return followJob({ jobs: services.jobs, clock, streams, id, lastEventId: null, signal });
}

function refuseTwice(where: string, name: string): Result<never, Problem> {
  const detail = `${where} got ${JSON.stringify(name)} in its path and its body; expected it once`;
  return refuse(400, "repeated-argument", detail, "Leave it out of the body");
}

async function answerOf(
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  { services }: RouteParts,
  { cap, caller, request: { signal } }: Exchange,
): Promise<Response> {
  const answer = await callTool(tool, args, { ...services, caller }, { cap, signal });
  return answerResponse(answer, identityOf(services));
}

/** Identifies the answering editor in a header (BUDGET-7). */
function identityOf({ editor, instance }: Services): ExtraHeaders {
  return { "x-svc-identity": headerText(bannerOf(editor.identity(), instance?.())) };
}

/** The generic routes: every tool by its name, arguments in the body. */
function namedToolRoutes(parts: RouteParts): readonly Route[] {
  const { tools, withheld } = parts;
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
    async handle(exchange) {
      const { request, params } = exchange;
      const tool = namedTool([...tools, ...withheld], own(params, "name") ?? "");
      if (!tool.ok) return tool;
      const args = await readJsonBody(request, parts.clock);
      if (!args.ok) return args;
      return ok(await answerOf(tool.value, args.value, parts, exchange));
    },
  }];
}

function jobRoutes({ services: { jobs }, clock, streams }: SharedParts): readonly Route[] {
  return [{
    method: "GET",
    path: "/api/jobs/:id/events",
    doc: "events of a job as they occur",
    changesState: false,
    query: [],
    handle: ({ request, params }) =>
      Promise.resolve(followJob({
        jobs,
        clock,
        streams,
        id: own(params, "id") ?? "",
        lastEventId: request.headers.get("last-event-id"),
        signal: request.signal,
      })),
  }];
}

function mcpRoute(parts: RouteParts): Route {
  const { toolsets, clock } = parts;
  const endpoint = createMcpEndpoint(parts, MAX_BODY_BYTES);
  return {
    method: "ALL",
    path: "/mcp",
    doc: "the same tools over MCP (Streamable HTTP)",
    changesState: true,
    answersEvents: true,
    startsByPost: true,
    query: CONNECTION_QUERY,
    async handle({ request }) {
      const chosen = chooseToolsets(toolsets, connectionToolsets(request));
      if (!chosen.ok) return chosen;
      const readsOnly = connectionReadsOnly(request);
      if (!readsOnly.ok) return readsOnly;
      const body = await readBody(request, clock);
      if (!body.ok) return body;
      const { url, method, headers, signal } = request;
      const buffered = request.body === null
        ? request
        : new Request(url, { method, headers, signal, body: body.value });
      return ok(await endpoint(buffered, body.value));
    },
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
    handle: () => Promise.resolve(ok(textResponse(indexText(parts.services, others)))),
  }];
}

/**
 * Reads the query of a request; refuses repeated names and names that the route does not accept.
 */
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
