import { nearestNames } from "../core/nearest.ts";
import { type Problem, problem, refuse } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { Actor } from "../editor/ports/mod.ts";
import { capFrom } from "./answer/budget.ts";
import type { Instance } from "./answer/identity.ts";
import { senderCalled } from "./caller.ts";
import { flagFromText } from "./declaration/parameters.ts";

// The choices that a connection makes in the query of `/mcp` or in headers, in addition to its
// calls.

/**
 * Header that names the caller; a browser sends it only when a script of the editor's page asks for
 * it.
 */
export const CALLER_HEADER = "x-svc-caller";

/** Parameters that the query of `/mcp` accepts. */
export const CONNECTION_QUERY = ["cap", "toolsets", "readonly", "instance"] as const;

/**
 * Returns the answer cap that a connection sets with `?cap=` or `X-Svc-Cap` (BUDGET-5).
 *
 * @returns 400 `bad-cap` if the value is not an integer number of characters.
 */
export function connectionCap({ url, headers }: Request): Result<number, Problem> {
  return capFrom([new URL(url).searchParams.get("cap"), headers.get("x-svc-cap")]);
}

/** Returns the toolsets that a connection selects with `?toolsets=`; `null` for all. */
export function connectionToolsets({ url }: Request): string | null {
  return new URL(url).searchParams.get("toolsets");
}

/**
 * Returns whether a connection selects only tools that neither change nor start anything:
 * `?readonly=1`.
 *
 * @returns 400 `bad-argument` if the value is not a flag (TOOL-4).
 */
export function connectionReadsOnly({ url }: Request): Result<boolean, Problem> {
  const asked = new URL(url).searchParams.get("readonly") ?? "0";
  const flag = flagFromText(asked);
  if (typeof flag === "boolean") return ok(flag);
  return refuse(
    400,
    "bad-argument",
    `Cannot connect: found readonly ${JSON.stringify(asked.slice(0, 80))}, expected 1 or true, ` +
      "0 or false",
    "Leave readonly out to have all tools",
  );
}

/**
 * Identifies the caller by `X-Svc-Caller`: the editor's page calls for a person. An agent is named
 * by its other headers.
 *
 * @returns 400 `bad-caller`.
 */
export function connectionCaller({ headers }: Request): Result<Actor, Problem> {
  const caller = headers.get(CALLER_HEADER) ?? "agent";
  if (caller === "human") return ok(caller);
  if (caller === "agent") return ok(senderCalled(headers));
  const found = `Found X-Svc-Caller ${
    JSON.stringify(caller.slice(0, 80))
  }, expected human or agent`;
  return refuse(400, "bad-caller", found, "Leave the header out: an agent calls then");
}

/**
 * Refuses a connection that is meant for another editor. `?instance=` or `X-Svc-Instance` names the
 * instance that the banner shows, because another editor may reuse the port.
 *
 * @returns `null`, or 409 `wrong-instance`.
 */
export function checkInstance(
  { url, headers }: Request,
  instance: Instance | undefined,
): Problem | null {
  const { pathname, searchParams } = new URL(url);
  const asked = [
    headers.get("x-svc-instance"),
    pathname === "/mcp" ? searchParams.get("instance") : null,
  ];
  const wrong = asked.find((id) => id !== null && id !== instance?.id);
  if (wrong === undefined || wrong === null) return null;
  const here = instance === undefined
    ? "an editor without an instance id"
    : `instance ${instance.id} (pid ${instance.pid})`;
  const near = instance === undefined ? [] : nearestNames(wrong, [instance.id]);
  return problem(
    409,
    "wrong-instance",
    `The call is for instance ${JSON.stringify(wrong.slice(0, 80))}, and ${here} answers here`,
    near.length > 0
      ? `Did you mean ${near[0]}? Otherwise call the port of the editor you mean`
      : "Call the port of the editor you mean; every banner names project, port and instance",
  );
}
