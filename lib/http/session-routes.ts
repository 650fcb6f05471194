import { own } from "../core/json.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import { MAX_STRANGERS_BODY_BYTES, readJsonBody } from "./body.ts";
import { type Access, checkBearer } from "./guard.ts";
import type { Route } from "./route.ts";
import type { Sessions } from "./sessions.ts";

interface SessionParts {
  readonly access: Access;
  readonly sessions: Sessions;
  readonly clock: Pick<Clock, "sleep">;
}

/** Creates the routes with which a page presents the token once, to receive a cookie (HTTP-10). */
export function sessionRoutes({ access, sessions, clock }: SessionParts): readonly Route[] {
  return [{
    method: "POST",
    path: "/api/session",
    doc: "lets a page in that shows the token",
    access: "own",
    changesState: true,
    query: [],
    async handle({ request }) {
      const body = await readJsonBody(request, clock, MAX_STRANGERS_BODY_BYTES);
      if (!body.ok) return body;
      if (access.token === undefined) return noToken();
      const token = own(body.value, "token");
      const refusal = checkBearer(typeof token === "string" ? token : undefined, access);
      return refusal === null ? withCookie(sessions.open(request)) : { ok: false, error: refusal };
    },
  }, {
    method: "POST",
    path: "/api/session/end",
    doc: "forgets the page that asks",
    changesState: true,
    query: [],
    handle: ({ request }) => Promise.resolve(withCookie(sessions.end(request))),
  }];
}

function withCookie(cookie: string): Result<Response, Problem> {
  const headers = { "set-cookie": cookie, "cache-control": "no-store" };
  return ok(new Response(null, { status: 204, headers }));
}

function noToken(): Result<never, Problem> {
  const detail = "This service requires no token";
  return refuse(409, "no-token", detail, "Call its routes as they are");
}
