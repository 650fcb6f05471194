import type { Services } from "../agent/mod.ts";
import { own } from "../core/json.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { PageFile, RenderPage } from "../project/mod.ts";
import { readBody, readJsonBody } from "./body.ts";
import { fileResponse } from "./respond.ts";
import type { Exchange, Route } from "./route.ts";

// The page that draws captures, and the captures. The page is opened with a ticket in its address's
// fragment, which no request carries; the cookie that it gets for it is all that its requests need.

const COOKIE = "svc-render";
/** How long a page that draws waits for a task before it asks again, in milliseconds. */
const WAIT_MS = 20_000;

interface CaptureParts {
  readonly services: Services;
  readonly clock: Pick<Clock, "sleep">;
}

type Answer = Promise<Result<Response, Problem>>;

/** The routes of captures; none where there is no project to keep them in. */
export function captureRoutes({ services: { captures }, clock }: CaptureParts): readonly Route[] {
  if (captures === undefined) return [];
  const { page } = captures;
  const common = { method: "GET", changesState: false, query: [] } as const;
  const forPage = (handle: (exchange: Exchange) => Answer) => (exchange: Exchange): Answer =>
    page.isKey(keyOf(exchange.request)) ? handle(exchange) : Promise.resolve(notThePage());
  return [{
    ...common,
    path: "/api/captures/:name",
    doc: "a capture as PNG",
    handle: async ({ params }) => sent(await page.capture(own(params, "name") ?? "")),
  }, {
    ...common,
    path: "/render/",
    doc: "the page that draws captures",
    access: "own",
    handle: async () => sent(await page.html()),
  }, {
    ...common,
    path: "/render/runtime/:name",
    doc: "its scripts",
    access: "own",
    handle: async ({ params }) => sent(await page.script(own(params, "name") ?? "")),
  }, {
    ...common,
    method: "POST",
    path: "/render/join",
    doc: "lets it draw",
    access: "own",
    changesState: true,
    handle: ({ request }) => join(page, request, clock),
  }, {
    ...common,
    path: "/render/work",
    doc: "what it draws next",
    access: "own",
    changesState: true,
    handle: forPage(({ request }) => nextTask(page, request, clock)),
  }, {
    ...common,
    method: "POST",
    path: "/render/answers/:id",
    doc: "what it drew",
    access: "own",
    body: "bytes",
    changesState: true,
    handle: forPage(({ request, params }) =>
      takeAnswer(page, request, { id: own(params, "id") ?? "", clock })
    ),
  }, {
    ...common,
    path: "/render/content/:path{.+}",
    doc: "the project's assets, for it",
    access: "own",
    handle: forPage(async ({ params }) => sent(await page.content(own(params, "path") ?? ""))),
  }, {
    ...common,
    path: "/render/captures/:name",
    doc: "captures, for it",
    access: "own",
    handle: forPage(async ({ params }) => sent(await page.capture(own(params, "name") ?? ""))),
  }];
}

async function join(
  page: RenderPage,
  request: Request,
  clock: Pick<Clock, "sleep">,
): Answer {
  const body = await readJsonBody(request, clock);
  if (!body.ok) return body;
  const ticket = own(body.value, "ticket");
  const key = page.join(typeof ticket === "string" ? ticket : "");
  if (!key.ok) return key;
  const cookie = `${COOKIE}=${key.value}; Path=/render/; HttpOnly; SameSite=Strict`;
  return ok(new Response(null, { status: 204, headers: { "set-cookie": cookie } }));
}

async function nextTask(
  page: RenderPage,
  { signal }: Request,
  clock: Pick<Clock, "sleep">,
): Answer {
  const enough = new AbortController();
  const end = () => enough.abort();
  signal.addEventListener("abort", end, { once: true });
  clock.sleep(WAIT_MS, enough.signal).then(end, end);
  const task = await page.next(enough.signal);
  signal.removeEventListener("abort", end);
  end();
  if (task === null) return ok(new Response(null, { status: 204 }));
  return ok(Response.json(task, { headers: { "cache-control": "no-store" } }));
}

async function takeAnswer(
  page: RenderPage,
  request: Request,
  { id, clock }: { readonly id: string; readonly clock: Pick<Clock, "sleep"> },
): Answer {
  const body = await readBody(request, clock, page.maxAnswerBytes);
  if (!body.ok) return err(body.error);
  const taken = page.answer(id, body.value);
  return taken.ok ? ok(new Response(null, { status: 204 })) : taken;
}

function sent(file: Result<PageFile, Problem>): Result<Response, Problem> {
  return file.ok ? ok(fileResponse(file.value)) : file;
}

function keyOf({ headers }: Request): string {
  const pairs = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim().split("="));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? "";
}

function notThePage(): Result<never, Problem> {
  return refuse(
    403,
    "not-the-page",
    "Found no key of the page that draws captures, or an old one",
    "A capture opens that page by itself",
  );
}
