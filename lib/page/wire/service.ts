import { isRecord } from "../../core/json.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { err, messageOf, ok, type Result } from "../../core/result.ts";
import { memberOf } from "./read.ts";

// The service that serves this page, through the same routes as for others: an agent can do
// whatever the page can. Requests from here have a person as their caller.

/** The answer of a tool. */
export type Answered = Result<Readonly<Record<string, unknown>>, Problem>;

const CALLER = { "x-svc-caller": "human" };
const STATUSES = [400, 401, 403, 404, 409, 413, 422, 500, 503] as const;

/** Calls a tool by its name. */
export async function callService(
  name: string,
  args: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal,
): Promise<Answered> {
  const answer = await send(`/api/tools/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(args),
    ...(signal && { signal }),
  });
  if (!answer.ok) return answer;
  return isRecord(answer.value) ? ok(answer.value) : ok({ value: answer.value });
}

/** Requests the complete answer of a producer: no summary, no cap. */
export function fetchProducer(
  producer: string,
  query: Readonly<Record<string, string>> = {},
): Promise<
  Result<unknown, Problem>
> {
  const search = new URLSearchParams(query).toString();
  return send(`/api/whole/${producer}${search === "" ? "" : `?${search}`}`);
}

/** Sends a file, which `import_file` takes then. @param group Files of one group lie together. */
export function upload({ name, group, file }: {
  readonly name: string;
  readonly group: string;
  readonly file: Blob;
}): Promise<Result<unknown, Problem>> {
  const query = new URLSearchParams({ name, group });
  return send(`/api/uploads?${query}`, { method: "POST", body: file });
}

/** Requests a one-time address of a window that draws captures. */
export async function captureWindow(): Promise<Result<string, Problem>> {
  const answer = await send("/api/captures/window", { method: "POST" });
  return answer.ok ? ok(textOf(memberOf(answer.value, "url"), "")) : answer;
}

/** Sends the token from the page's address to the service, which answers with a cookie. */
export async function openSession(token: string): Promise<Result<null, Problem>> {
  const answer = await send("/api/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  return answer.ok ? ok(null) : answer;
}

async function send(path: string, init: RequestInit = {}): Promise<Result<unknown, Problem>> {
  try {
    const response = await fetch(path, { ...init, headers: { ...CALLER, ...init.headers } });
    if (response.ok) return ok(response.status === 204 ? null : await response.json());
    return err(problemIn(await response.text(), response.status));
  } catch (thrown) {
    return err(
      problem(503, "no-answer", `Slipway does not answer: ${messageOf(thrown)}`, "Is it running?"),
    );
  }
}

function problemIn(text: string, status: number): Problem {
  const known = STATUSES.find((one) => one === status) ?? 500;
  try {
    const value: unknown = JSON.parse(text);
    const [first] = isRecord(value) && Array.isArray(value["errors"]) ? value["errors"] : [];
    if (isRecord(first)) { // an edit that was refused has a shape of its own (SCENE-9)
      return problem(known, textOf(first["code"], "refused"), textOf(first["message"], ""), "");
    }
    if (isRecord(value) && typeof value["detail"] === "string") {
      const { code, detail, hint } = value;
      return problem(known, textOf(code, "problem"), detail, textOf(hint, ""));
    }
  } catch {
    // Not a problem document: shows the text.
  }
  return problem(known, "problem", `Slipway answered ${status}: ${text.slice(0, 200)}`, "");
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}
