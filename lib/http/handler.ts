import {
  answerCancelled,
  checkInstance,
  connectionCaller,
  connectionCap,
  type JobRegistry,
  PAYLOAD_CAP,
  type Services,
  type Tool,
  TOOLS,
  type Toolset,
  TOOLSETS,
} from "../agent/mod.ts";
import { isLoopbackListener } from "../core/loopback.ts";
import { didYouMean } from "../core/nearest.ts";
import { fault, problem } from "../core/problem.ts";
import type { Clock } from "../ports/clock.ts";
import type { EditorPage } from "../project/mod.ts";
import type { Peer } from "../ports/peer.ts";
import { type Access, checkAccess, checkPeer, isBySession, WRONG_TOKEN } from "./guard.ts";
import { createGuessDelay } from "./wrong-token-delay.ts";
import { asksForPage, PAGE_PATH } from "./page-routes.ts";
import { forThisOriginOnly, problemResponse } from "./respond.ts";
import type { Route } from "./route.ts";
import { createRouteFinder, type RouteFinder } from "./router.ts";
import { createRoutes, readQuery } from "./routes.ts";
import { Sessions } from "./sessions.ts";

/** The parts of a service. */
export interface HandlerOptions extends Access {
  /**
   * The services that the tools work on, with the jobs that routes follow and cancel. Tools and
   * routes reach nothing else.
   */
  readonly services: Services & { readonly jobs: JobRegistry };
  /** Paces the event streams, and the answers to wrong tokens. */
  readonly clock: Pick<Clock, "sleep">;
  /** The editor's page; browsers that ask for `/` get a list of routes when absent. */
  readonly page?: EditorPage | undefined;
  /** The program's version, as MCP and OpenAPI show it. */
  readonly version: string;
  /** The tools offered; all of `TOOLS` when absent. */
  readonly tools?: readonly Tool[] | undefined;
  /** Tools that refuse every call with the reason, on every route; empty when absent. */
  readonly withheld?: readonly Tool[] | undefined;
  /** The toolsets that an MCP connection may choose from; `TOOLSETS` when absent. */
  readonly toolsets?: readonly Toolset[] | undefined;
}

/**
 * Answers a request. Never throws.
 *
 * @param peer The caller, if the server can identify it; another user of the machine is refused.
 */
export type Handler = (request: Request, peer?: Peer) => Promise<Response>;

/**
 * Makes the service: guard, route, tool, response (HTTP-7).
 *
 * @example On any server that speaks `Request` and `Response`; `openService` makes the services too.
 * ```ts
 * import { createHandler, type Handler, type HandlerOptions } from "slipway/http";
 * import { createRuntime } from "slipway/node";
 *
 * export function answers(services: HandlerOptions["services"]): Handler {
 *   const { clock } = createRuntime();
 *   return createHandler({ services, clock, hostname: "127.0.0.1", version: "1.0" });
 * }
 * ```
 */
export function createHandler(options: HandlerOptions): Handler {
  const { services, clock, version, page, tools = TOOLS, toolsets = TOOLSETS, withheld = [] } =
    options;
  const sessions = new Sessions();
  const routes = createRoutes({
    services,
    access: options,
    sessions,
    clock,
    version,
    page,
    tools,
    toolsets,
    withheld,
  });
  const finder = createRouteFinder(routes);
  const delayGuess = createGuessDelay(clock);

  async function answer(request: Request, peer: Peer | undefined): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const { method } = request;
    const isPage = options.page !== undefined && asksForPage(request, pathname);
    const match = finder.find(method, isPage ? PAGE_PATH : pathname);
    const changesState = match?.route.changesState ?? (method !== "GET" && method !== "HEAD");
    const session = sessions.has(request);
    const { access, body, answersEvents, startsByPost, isDocument } = match?.route ?? {};
    // A route with a key of its own serves programs of this user only, even if a token admits
    // others. So does a cookie, which a browser sends to every port of this machine.
    const isOfThisUser = access !== undefined ||
      (session && isBySession(request.headers) && isLoopbackListener(options.hostname));
    const token = isOfThisUser ? undefined : options.token;
    const asked = {
      changesState,
      access,
      body,
      answersEvents,
      startsByPost,
      isDocument,
      session,
    };
    const refusal = checkAccess(request, options, asked) ??
      (peer === undefined ? null : await checkPeer(peer, { ...options, token }));
    if (refusal !== null) {
      if (refusal.code === WRONG_TOKEN) await delayGuess(request.signal);
      return problemResponse(refusal, PAYLOAD_CAP);
    }
    // A caller that has hung up is not identified: its port may already belong to another one.
    if (peer !== undefined && request.signal.aborted) {
      return problemResponse(answerCancelled({ name: pathname }), PAYLOAD_CAP);
    }
    const wrong = checkInstance(request, services.instance?.());
    if (wrong !== null) return problemResponse(wrong, PAYLOAD_CAP);
    if (match === null) return noSuchRoute(request, pathname, finder, routes);
    const query = readQuery(match.route, searchParams);
    if (!query.ok) return problemResponse(query.error, PAYLOAD_CAP);
    const cap = connectionCap(request);
    if (!cap.ok) return problemResponse(cap.error, PAYLOAD_CAP);
    const caller = connectionCaller(request);
    if (!caller.ok) return problemResponse(caller.error, PAYLOAD_CAP);
    const exchange = {
      request,
      params: match.params,
      query: query.value,
      cap: cap.value,
      caller: caller.value,
      address: peer?.address,
      upgrade: peer?.upgrade,
    };
    const response = await match.route.handle(exchange);
    if (response.ok) return response.value;
    if (response.error.code === WRONG_TOKEN) await delayGuess(request.signal);
    return problemResponse(response.error, cap.value);
  }

  return async (request, peer) => {
    try {
      const response = await answer(request, peer);
      return forThisOriginOnly(request.method === "HEAD" ? await withoutBody(response) : response);
    } catch (thrown) {
      return forThisOriginOnly(problemResponse(fault(thrown), PAYLOAD_CAP));
    }
  };
}

/** 405 for a path that takes another method, which it names; 404 for a path that is not there. */
function noSuchRoute(
  { method }: Request,
  path: string,
  finder: RouteFinder,
  routes: readonly Route[],
): Response {
  const methods = finder.methodsOf(path);
  const shown = JSON.stringify(path.slice(0, 200));
  if (methods.length > 0) {
    const allow = methods.flatMap((name) => name === "GET" ? ["GET", "HEAD"] : [name]).join(", ");
    const detail = `There is no ${method} ${shown}: this path takes ${allow}`;
    const why = problem(405, "wrong-method", detail, `Call it with ${methods.join(" or ")}`);
    return problemResponse(why, PAYLOAD_CAP, { allow });
  }
  const paths = routes.map((route) => route.path).filter((known) => known !== "/");
  const hint = didYouMean(path, [...new Set(paths)], "GET / lists the routes");
  return problemResponse(
    problem(404, "no-such-route", `There is nothing at ${shown}`, hint),
    PAYLOAD_CAP,
  );
}

/** Answers `HEAD` like `GET`, without the body but with its length. */
async function withoutBody(response: Response): Promise<Response> {
  const headers = new Headers(response.headers);
  if (headers.get("content-type") === "text/event-stream") {
    await response.body?.cancel(); // it may never end
  } else if (headers.has("content-length")) {
    await response.body?.cancel(); // the file is not read
  } else {
    headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  }
  return new Response(null, { status: response.status, headers });
}
