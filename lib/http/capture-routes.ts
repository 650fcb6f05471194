import type { Services } from "../agent/mod.ts";
import { encodeUtf8 } from "../core/bytes.ts";
import { own } from "../core/json.ts";
import { type Problem, refuse } from "../core/problem.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { Clock } from "../ports/clock.ts";
import type { PageFile, RenderPage } from "../project/mod.ts";
import { MAX_STRANGERS_BODY_BYTES, readBody, readJsonBody } from "./body.ts";
import { cookieName, cookieValues } from "./cookies.ts";
import type { OpenStreams } from "./open-streams.ts";
import { documentResponse, fileResponse } from "./respond.ts";
import type { Exchange, Route } from "./route.ts";

// The pages that draw captures, and the captures. A page is opened with a ticket in the fragment of
// its address, which no request carries; the page exchanges it for the cookie that its requests
// need.

/** How long a drawing page waits for a task before it asks again, in milliseconds. */
const WAIT_MS = 20_000;
const PREFIX = "svc-render";
/** Interval of keep-alive comments on its stream, in milliseconds. */
const KEEP_ALIVE_MS = 15_000;

interface CaptureParts {
  readonly services: Services;
  readonly clock: Pick<Clock, "sleep">;
  readonly streams: OpenStreams;
}

type Answer = Promise<Result<Response, Problem>>;

/** Creates the routes of captures; none without a project to store them in. */
export function captureRoutes(parts: CaptureParts): readonly Route[] {
  const { services: { captures }, clock } = parts;
  if (captures === undefined) return [];
  const { page } = captures;
  const common = { method: "GET", changesState: false, query: [] } as const;
  const forPage = (handle: (exchange: Exchange) => Answer) => (exchange: Exchange): Answer =>
    page.isKey(keyOf(page, exchange.request)) ? handle(exchange) : Promise.resolve(notThePage());
  return [{
    ...common,
    path: "/api/captures/:name",
    doc: "a capture as PNG",
    handle: async ({ params }) => sent(await page.capture(own(params, "name") ?? "")),
  }, {
    ...common,
    path: "/api/pictures/:path{.+}",
    doc: "a PNG file of the project, saved by savePath=",
    handle: async ({ params }) => sent(await page.saved(own(params, "path") ?? "")),
  }, {
    ...common,
    method: "POST",
    path: "/api/captures/window",
    doc: "an address to open, good once: captures are drawn there while it is open",
    changesState: true,
    handle: ({ request }) => Promise.resolve(ok(windowAddress(page, request))),
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
    path: "/render/presence",
    doc: "says that it is open",
    access: "own",
    handle: forPage(({ request }) => Promise.resolve(presence(page, request, parts))),
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
  const body = await readJsonBody(request, clock, MAX_STRANGERS_BODY_BYTES);
  if (!body.ok) return body;
  const ticket = own(body.value, "ticket");
  const key = page.join(typeof ticket === "string" ? ticket : "");
  if (!key.ok) return key;
  const cookie = `${
    cookieName(PREFIX, request)
  }=${key.value}; Path=/render/; HttpOnly; SameSite=Strict`;
  return ok(new Response(null, { status: 204, headers: { "set-cookie": cookie } }));
}

/** A new window's address, as the caller reaches this service. */
function windowAddress(page: RenderPage, { url }: Request): Response {
  return documentResponse({ url: new URL(`/render/#${page.admitWindow()}`, url).href });
}

/**
 * Opens an event stream without events. While it is open, the page is present, even if it is
 * drawing and sends nothing.
 */
function presence(
  page: RenderPage,
  request: Request,
  { clock, streams }: CaptureParts,
): Result<Response, Problem> {
  const refusal = streams.refusal();
  if (refusal !== null) return err(refusal);
  const here = new AbortController();
  const close = streams.open();
  const end = () => {
    here.abort();
    close();
  };
  if (request.signal.aborted) end();
  else request.signal.addEventListener("abort", end, { once: true });
  const gone = page.attend(keyOf(page, request), here.signal);
  if (!gone.ok) {
    end();
    return gone;
  }
  if (gone.value.aborted) end();
  else gone.value.addEventListener("abort", end, { once: true });
  const comment = encodeUtf8(":\n\n");
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(comment), // sends the headers immediately
    async pull(controller) {
      await clock.sleep(KEEP_ALIVE_MS, here.signal).catch(() => {});
      if (here.signal.aborted) controller.close();
      else controller.enqueue(comment);
    },
    cancel: end,
  });
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
  return ok(new Response(stream, { headers }));
}

async function nextTask(
  page: RenderPage,
  request: Request,
  clock: Pick<Clock, "sleep">,
): Answer {
  const { signal } = request;
  const enough = new AbortController();
  const end = () => enough.abort();
  signal.addEventListener("abort", end, { once: true });
  clock.sleep(WAIT_MS, enough.signal).then(end, end);
  const task = await page.next(keyOf(page, request), enough.signal);
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
  const begun = page.beginAnswer(keyOf(page, request), id);
  if (!begun.ok) return begun;
  let bytes: Uint8Array<ArrayBuffer> | null = null;
  try {
    const body = await readBody(request, clock, page.maxAnswerBytes);
    if (!body.ok) return body;
    bytes = body.value;
  } finally {
    if (bytes === null) begun.value(null); // incomplete or too slow: ends the caller's wait
  }
  const taken = begun.value(bytes);
  return taken.ok ? ok(new Response(null, { status: 204 })) : taken;
}

function sent(file: Result<PageFile, Problem>): Result<Response, Problem> {
  return file.ok ? ok(fileResponse(file.value)) : file;
}

/**
 * Returns the valid key among several cookies of that name, which other ports of this host may set.
 */
function keyOf(page: RenderPage, request: Request): string {
  return cookieValues(PREFIX, request).find((value) => page.isKey(value)) ?? "";
}

function notThePage(): Result<never, Problem> {
  return refuse(
    403,
    "not-the-page",
    "Found no key of a page that draws captures, or an old one",
    "POST /api/captures/window answers an address to open",
  );
}
