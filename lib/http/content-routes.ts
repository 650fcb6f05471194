import type { Services } from "../agent/mod.ts";
import { own } from "../core/json.ts";
import type { Problem } from "../core/problem.ts";
import { ok, type Result } from "../core/result.ts";
import type { ProjectContent } from "../project/mod.ts";
import { fileResponse } from "./respond.ts";
import type { Exchange, Route } from "./route.ts";

/**
 * Creates the route that serves a project's assets to the editor's page; with `game.json` they make
 * a game that can be drawn and played. None without a project on disk.
 */
export function contentRoutes({ content }: Pick<Services, "content">): readonly Route[] {
  if (content === undefined) return [];
  return [{
    method: "GET",
    path: "/api/content/:path{.+}",
    doc:
      "the project's assets, and its game.json; v is any text, for pages that hold an older file",
    changesState: false,
    query: ["v"],
    handle: (exchange) => answer(content, exchange),
  }];
}

/** A browser keeps the file, and asks each time whether it is still that one. */
async function answer(
  content: ProjectContent,
  { request: { headers }, params }: Exchange,
): Promise<Result<Response, Problem>> {
  const found = await content.find(own(params, "path") ?? "");
  if (!found.ok) return found;
  const { type, stamp, open } = found.value;
  const etag = `"${stamp}"`;
  const cached = { etag, "cache-control": "private, no-cache" };
  if (headers.get("if-none-match") === etag) {
    return ok(new Response(null, { status: 304, headers: cached }));
  }
  const body = await open();
  return body.ok ? ok(fileResponse({ type, body: body.value }, cached)) : body;
}
