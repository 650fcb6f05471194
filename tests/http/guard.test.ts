import { test } from "node:test";
import assert from "node:assert/strict";
import { z } from "zod";
import { defineTool, READ_ONLY } from "../../lib/agent/declaration/tool.ts";
import { type Access, checkAccess } from "../../lib/http/guard.ts";
import { checkToken, mintToken } from "../../lib/http/token.ts";
import { ok } from "../../lib/core/result.ts";
import { TimeoutError } from "../../lib/core/timeout.ts";
import { TOOLS } from "../../lib/agent/tools.ts";
import { TINY_UPDATES } from "../support/ask.ts";
import { createTinyService, json, ORIGIN } from "../support/tiny-service.ts";

const LOCAL: Access = { hostname: "127.0.0.1" };
const OURS = { host: "127.0.0.1:4747" };

interface Row {
  readonly method?: string;
  readonly headers: Record<string, string>;
  /** Of the request; our own when absent. */
  readonly url?: string;
  readonly access?: Access;
  readonly changesState?: boolean;
  readonly answersEvents?: true;
  readonly want: number | null;
}

/** What a browser says of an address that a person typed, or a mail's link. */
const TYPED = {
  "sec-fetch-site": "none",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "sec-fetch-user": "?1",
};

/** What a browser says of a request that our own page makes: by a script, and by a loader of models. */
const BY_OWN_PAGE = {
  referer: "http://127.0.0.1:4747/editor?tab=build",
  "sec-fetch-site": "same-origin",
  "sec-fetch-mode": "cors",
  "sec-fetch-dest": "empty",
};

const EVENTS = { accept: "text/event-stream" };

/** Rows for what starts no work, unless a script of ours says whose call it is. */
function startsWithCaller(title: string, headers: Record<string, string>): Record<string, Row> {
  const row = { headers: { ...OURS, ...headers }, changesState: true };
  const named = { ...row.headers, "x-svc-caller": "human" };
  return {
    [`refuses ${title} to start work`]: { ...row, want: 403 },
    [`refuses ${title} to start a stream`]: { ...row, answersEvents: true, want: 403 },
    [`lets ${title} start work with X-Svc-Caller`]: { ...row, headers: named, want: null },
    [`refuses ${title} a change by EventSource`]: {
      ...row,
      headers: { ...row.headers, ...EVENTS },
      want: 403,
    },
  };
}

/** Rows for what may read, and starts no work. */
function startsNothing(title: string, headers: Record<string, string>): Record<string, Row> {
  return {
    [`lets ${title} read`]: { headers: { ...OURS, ...headers }, want: null },
    [`refuses ${title} to start work`]: {
      headers: { ...OURS, ...headers },
      changesState: true,
      want: 403,
    },
  };
}

/** Rows for what may neither read nor start work. */
function refusedAlways(title: string, headers: Record<string, string>): Record<string, Row> {
  return {
    [`refuses a read of ${title}`]: { headers: { ...OURS, ...headers }, want: 403 },
    [`refuses a change of ${title}`]: {
      headers: { ...OURS, ...headers },
      changesState: true,
      want: 403,
    },
  };
}

const ROWS: Readonly<Record<string, Row>> = {
  "lets a local read through": { headers: OURS, want: null },
  "knows localhost": { headers: { host: "localhost:4747" }, want: null },
  "knows localhost in capitals": { headers: { host: "LOCALHOST" }, want: null },
  "knows [::1]": { headers: { host: "[::1]:4747" }, want: null },
  "takes the host of the URL where there is no Host": { headers: {}, want: null },
  "refuses a foreign URL without a Host": {
    headers: {},
    url: "http://evil.example:4747/",
    want: 403,
  },
  "refuses the port that is not of the URL's host, as a foreign origin": {
    headers: { origin: "http://127.0.0.1:4748" },
    want: 403,
  },
  "lets our own page in by the host of the URL": {
    headers: { origin: "http://127.0.0.1:4747" },
    want: null,
  },
  "asks for the token where the URL is not loopback": {
    headers: {},
    url: "http://10.0.0.5/",
    access: { hostname: "10.0.0.5", token: "secret" },
    want: 401,
  },
  "refuses a foreign Host, whatever the URL": { headers: { host: "evil.example:4747" }, want: 403 },
  "takes our Host, whatever the URL": {
    headers: OURS,
    url: "http://evil.example:4747/",
    want: null,
  },
  "refuses an empty Host": { headers: { host: "" }, want: 403 },
  "refuses a foreign Host": { headers: { host: "evil.example" }, want: 403 },
  "refuses a foreign Host with our port": { headers: { host: "evil.example:4747" }, want: 403 },
  "refuses a Host that only begins like ours": {
    headers: { host: "127.0.0.1.evil.example" },
    want: 403,
  },
  "refuses a Host with user info": { headers: { host: "127.0.0.1@evil.example" }, want: 403 },
  "refuses a Host that ends like ours": { headers: { host: "evil.example/localhost" }, want: 403 },
  "refuses other addresses": { headers: { host: "192.168.1.7:4747" }, want: 403 },

  "lets a change without Origin through": { headers: OURS, changesState: true, want: null },
  "lets fetch() and EventSource of our own page start work": {
    headers: {
      ...OURS,
      ...BY_OWN_PAGE,
      ...EVENTS,
      origin: "http://127.0.0.1:4747",
    },
    changesState: true,
    answersEvents: true,
    want: null,
  },
  ...startsWithCaller("a model of our own page", BY_OWN_PAGE),
  ...startsWithCaller("a model whose loader says any type", { ...BY_OWN_PAGE, accept: "*/*" }),
  ...startsWithCaller("what says its site alone", { "sec-fetch-site": "same-origin" }),
  ...startsWithCaller("what says its mode and its target", {
    "sec-fetch-mode": "cors",
    "sec-fetch-dest": "empty",
  }),
  ...startsWithCaller("a mode that Node does not send", { "sec-fetch-mode": "no-cors" }),
  ...startsWithCaller("what a later browser says", { "sec-fetch-storage-access": "none" }),
  ...startsWithCaller("a browser that says no more than our cookie", { cookie: "a=1" }),
  ...startsWithCaller("a browser that says no more than our Referer", {
    referer: "http://127.0.0.1:4747/",
  }),
  "lets EventSource of an old browser start a stream": {
    headers: { ...OURS, ...EVENTS, cookie: "a=1", referer: "http://127.0.0.1:4747/" },
    changesState: true,
    answersEvents: true,
    want: null,
  },
  "refuses a stream to a page of another port that hides where it is": {
    headers: { ...OURS, ...EVENTS, cookie: "a=1" },
    changesState: true,
    answersEvents: true,
    want: 403,
  },
  "refuses a stream to a browser that hides its site and where it is": {
    headers: { ...OURS, ...EVENTS, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "empty" },
    changesState: true,
    answersEvents: true,
    want: 403,
  },
  "refuses a stream to what no page asks for": {
    headers: { ...OURS, ...EVENTS, "sec-fetch-site": "none", "sec-fetch-mode": "cors" },
    changesState: true,
    answersEvents: true,
    want: 403,
  },
  "reads Accept as a list of types": {
    headers: { ...OURS, ...BY_OWN_PAGE, accept: "application/json, Text/Event-Stream;q=0.9" },
    changesState: true,
    answersEvents: true,
    want: null,
  },
  "refuses what accepts a type that only begins like events": {
    headers: { ...OURS, ...BY_OWN_PAGE, accept: "text/event-streams" },
    changesState: true,
    answersEvents: true,
    want: 403,
  },
  "refuses a picture that says a caller": {
    headers: { ...OURS, ...BY_OWN_PAGE, "sec-fetch-dest": "image", "x-svc-caller": "human" },
    changesState: true,
    want: 403,
  },
  "lets Node's fetch() start work": {
    headers: { ...OURS, "sec-fetch-mode": "cors" },
    changesState: true,
    want: null,
  },
  "lets a person read by an address": { headers: { ...OURS, ...TYPED }, want: null },
  "lets a link of our own page read": {
    headers: {
      ...OURS,
      ...TYPED,
      "sec-fetch-site": "same-origin",
      referer: "http://127.0.0.1:4747/",
    },
    want: null,
  },
  "refuses to start work by an address or a link in a mail": {
    headers: { ...OURS, ...TYPED },
    changesState: true,
    want: 403,
  },
  ...startsNothing("a navigation", { "sec-fetch-mode": "navigate" }),
  ...startsNothing("a picture", { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" }),
  ...startsNothing("a frame", { "sec-fetch-dest": "iframe" }),
  ...startsNothing("a link of a foreign page", { referer: "http://evil.example/127.0.0.1:4747" }),
  ...startsNothing("a link of a page on another port", { referer: "http://127.0.0.1:9999/" }),
  ...startsNothing("what has no readable Referer", { referer: "about:blank" }),
  ...startsWithCaller("a browser that hides its Referer and knows no Fetch Metadata", {
    "user-agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15",
  }),
  ...startsWithCaller("the player of a system that follows a playlist", {
    "user-agent": "AppleCoreMedia/1.0.0.24A335 (Macintosh; U; Intel Mac OS X 15_0; en_us)",
    "x-playback-session-id": "00000000-0000-4000-8000-000000000000",
  }),
  ...startsWithCaller("a player of Linux that follows a playlist", {
    "user-agent": "GStreamer souphttpsrc 1.24.2 libsoup/3.4.4",
  }),
  "lets a program that calls itself a browser send a body": {
    method: "POST",
    headers: { ...OURS, "user-agent": "Mozilla/5.0", "content-type": "application/json" },
    changesState: true,
    want: null,
  },
  ...refusedAlways("a foreign page", { origin: "http://evil.example" }),
  ...refusedAlways("Origin null", { origin: "null" }),
  ...refusedAlways("a page on another port", { origin: "http://127.0.0.1:9999" }),
  ...refusedAlways("another name of this machine", { origin: "http://localhost:4747" }),
  ...refusedAlways("the same site", { "sec-fetch-site": "same-site" }),
  ...refusedAlways("another site", { "sec-fetch-site": "cross-site" }),
  // Chromium 156 says so of what a foreign page's speculation rules ask for.
  ...refusedAlways("a foreign page that prefetches", { ...TYPED, "sec-purpose": "prefetch" }),
  ...refusedAlways("a preview", { ...TYPED, "sec-purpose": "prefetch;prerender" }),

  "takes JSON": {
    method: "POST",
    headers: { ...OURS, "content-type": "application/json; charset=utf-8" },
    want: null,
  },
  "takes no body at all": { method: "POST", headers: OURS, want: null },
  "refuses text": { method: "POST", headers: { ...OURS, "content-type": "text/plain" }, want: 400 },
  "refuses forms": {
    method: "POST",
    headers: { ...OURS, "content-type": "application/x-www-form-urlencoded" },
    want: 400,
  },
  "refuses what only begins like JSON": {
    method: "POST",
    headers: { ...OURS, "content-type": "application/json-seq" },
    want: 400,
  },
  "takes a body of 8 MiB": {
    method: "POST",
    headers: { ...OURS, "content-type": "application/json", "content-length": "8388608" },
    want: null,
  },
  "refuses a larger body": {
    method: "POST",
    headers: { ...OURS, "content-type": "application/json", "content-length": "8388609" },
    want: 413,
  },

  "asks for the token off loopback": {
    headers: { host: "10.0.0.5:4747" },
    access: { hostname: "10.0.0.5", token: "secret" },
    want: 401,
  },
  "takes the token off loopback": {
    headers: { host: "10.0.0.5:4747", authorization: "Bearer secret" },
    access: { hostname: "10.0.0.5", token: "secret" },
    want: null,
  },
  "refuses another token": {
    headers: { host: "10.0.0.5:4747", authorization: "Bearer secreT" },
    access: { hostname: "10.0.0.5", token: "secret" },
    want: 401,
  },
  "refuses a longer token": {
    headers: { host: "10.0.0.5:4747", authorization: "Bearer secrets" },
    access: { hostname: "10.0.0.5", token: "secret" },
    want: 401,
  },
  "refuses basic authentication": {
    headers: { host: "10.0.0.5:4747", authorization: "Basic secret" },
    access: { hostname: "10.0.0.5", token: "secret" },
    want: 401,
  },
  "answers nobody off loopback without a token of its own": {
    headers: { host: "10.0.0.5:4747", authorization: "Bearer undefined" },
    access: { hostname: "10.0.0.5" },
    want: 401,
  },
  "asks for a token on loopback where there is one": {
    headers: OURS,
    access: { ...LOCAL, token: "secret" },
    want: 401,
  },
  "knows its own name": {
    headers: { host: "Studio.local:4747", authorization: "Bearer secret" },
    access: { hostname: "studio.local", token: "secret" },
    want: null,
  },
  "knows any address where it listens on all": {
    headers: { host: "192.168.1.7:4747", authorization: "Bearer secret" },
    access: { hostname: "0.0.0.0", token: "secret" },
    want: null,
  },
  "knows no names where it listens on all": {
    headers: { host: "evil.example:4747", authorization: "Bearer secret" },
    access: { hostname: "::", token: "secret" },
    want: 403,
  },
};

for (const [title, row] of Object.entries(ROWS)) {
  // HTTP-2
  test(`checkAccess() ${title}`, () => {
    const { method = "GET", access = LOCAL, changesState = false, answersEvents, want } = row;
    const { url = "http://127.0.0.1:4747/" } = row;
    const request = { method, url, headers: new Headers(row.headers) };
    const refusal = checkAccess(request, access, { changesState, answersEvents });
    assert.equal(refusal?.status ?? null, want);
  });
}

for (
  const [hostname, next] of [["0.0.0.0", /IP address.*--host/], ["127.0.0.1", /prints/]] as const
) {
  test(`checkAccess() says how to call what listens on ${hostname}`, () => {
    const headers = new Headers({ host: "studio.local:4747" });
    const access = { hostname, token: "sixteen-letters!" };
    const request = { method: "GET", url: "http://127.0.0.1:4747/", headers };
    const refusal = checkAccess(request, access, { changesState: false });
    assert.match(refusal?.hint ?? "", next);
  });
}

for (
  const [hostname, token, want] of [
    ["127.0.0.1", undefined, null],
    ["127.0.0.1", "short", null],
    ["127.0.0.1", "two words", "bad-token"],
    ["127.1", undefined, null],
    ["0.0.0.0", undefined, "token-needed"],
    ["studio.localhost", undefined, "token-needed"], // the hosts file may point it anywhere
    ["0.0.0.0", "fifteen-letters", "bad-token"],
    ["0.0.0.0", "sixteen-letters!", null],
    ["192.168.1.7", "sixteen léttersé", "bad-token"],
  ] as const
) {
  // HTTP-3
  test(`checkToken() of ${token} on ${hostname} is ${want}`, () => {
    const failure = checkToken({ hostname, token });
    assert.equal(failure?.code ?? null, want);
    assert.ok(failure === null || failure.next?.includes("--token"));
  });
}

test("mintToken() gives another token each time, fit for every address", () => {
  const tokens = Array.from({ length: 100 }, mintToken);
  assert.equal(new Set(tokens).size, 100);
  for (const token of tokens) assert.equal(checkToken({ hostname: "0.0.0.0", token }), null);
});

for (
  const [title, path, init] of [
    ["POST tools", "/api/tools/list_traits", json({})],
    ["POST cancel", "/api/jobs/x-1/cancel", json({})],
    ["POST mcp", "/mcp", json({})],
    ["GET mcp", "/mcp", {}],
    ["GET status", "/api/toolchain", {}],
    ["GET of the build stream", "/api/build?target=android", {}],
    ["HEAD", "/api/traits", { method: "HEAD" }],
    ["GET unknown", "/api/nothing", {}],
    ["POST unknown", "/api/nothing", json({})],
    ["OPTIONS", "/api/traits", { method: "OPTIONS" }],
  ] as const
) {
  test(`createHandler() guards ${title} against foreign pages`, async () => {
    const service = createTinyService();
    for (const headers of [{ origin: "http://evil.example" }, { "sec-fetch-site": "same-site" }]) {
      const all = { ...init, headers: { "content-type": "application/json", ...headers } };
      const { status, headers: answered, text } = await service.send(path, all);
      assert.equal(status, 403);
      if (title !== "HEAD") assert.equal(JSON.parse(text).code, "foreign-origin");
      for (const [name] of answered) assert.ok(!name.startsWith("access-control-"), name);
    }
    const { status } = await service.send(path, { ...init, headers: { host: "evil.example" } });
    assert.equal(status, 403);
  });
}

test("createHandler() challenges who has no token", async () => {
  const service = createTinyService({ token: "secret" });
  const refused = await service.send("/api/traits");
  assert.deepEqual([refused.status, refused.headers.get("www-authenticate")], [401, "Bearer"]);
  const headers = { authorization: "Bearer secret" };
  assert.equal((await service.send("/api/traits", { headers })).status, 200);
});

test("createHandler() hands no tool the token, over any transport", async () => {
  const token = "0123456789abcdef-of-this-service";
  const handed: unknown[] = [];
  const peeking = defineTool({
    name: "peek",
    route: "/api/peek",
    routeKind: "both",
    purpose: "Peeks",
    defaultShape: "nothing",
    parameters: z.object({}),
    drillDown: {},
    annotations: READ_ONLY,
    produce(services, args, context) {
      handed.push({ services, args, context });
      return Promise.resolve(ok(null));
    },
    summarize: () => ok({}),
  });
  const service = createTinyService({ token, tools: [peeking] });
  const headers = {
    authorization: `Bearer ${token}`,
    accept: "application/json, text/event-stream",
  };
  const post = (body: object) => ({
    ...json(body),
    headers: { ...json(body).headers, ...headers },
  });
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "peek" } };
  await service.send("/api/peek", { headers });
  await service.send("/api/peek", post({}));
  await service.send("/api/tools/peek", post({}));
  await service.send("/mcp", post(call));
  assert.equal(handed.length, 4);
  assert.deepEqual(handed.flatMap((each) => [...whereIn(each, token)]), []);
});

/** The paths of all properties below `value`, whoever may see them, that contain the text. */
function* whereIn(
  value: unknown,
  text: string,
  path = "",
  seen = new Set<unknown>(),
): Generator<string> {
  if (typeof value === "string" && value.includes(text)) yield path;
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
  if (seen.has(value)) return;
  seen.add(value);
  if (value instanceof Map || value instanceof Set) yield* whereIn([...value], text, path, seen);
  for (const key of Reflect.ownKeys(value)) {
    const { value: below } = Object.getOwnPropertyDescriptor(value, key) ?? {};
    yield* whereIn(below, text, `${path}.${String(key)}`, seen);
  }
}

test("createHandler() starts no job by a link, and one by fetch()", async () => {
  const started: string[] = [];
  const service = createTinyService({
    updates: {
      ...TINY_UPDATES,
      publish: (wish) => {
        started.push(wish.version ?? "");
        return TINY_UPDATES.publish(wish);
      },
    },
  });
  const publish = (headers: Record<string, string>) =>
    service.send("/api/ota/publish?version=v7&mandatory=1", { headers });
  for (
    const headers of [
      TYPED,
      BY_OWN_PAGE,
      { ...BY_OWN_PAGE, accept: "*/*" },
      { referer: "https://mail.example/" },
      { "sec-purpose": "prefetch" },
    ]
  ) {
    const { status, text } = await publish({ ...headers });
    assert.equal(status, 403, text);
  }
  assert.deepEqual(started, []);
  await publish({ ...BY_OWN_PAGE, "x-svc-caller": "human" });
  assert.deepEqual(started, ["v7"]);
});

test("createHandler() asks on every route that changes or starts something how it was begun", async () => {
  const { send } = createTinyService();
  for (const { name, route, routeKind, annotations } of TOOLS) {
    const method = routeKind === "body" ? "POST" : "GET";
    const path = route.replace(":id", "x-1");
    const { status, text } = await send(path, { method, headers: TYPED });
    const refused = status === 403 && JSON.parse(text).code === "not-by-script";
    assert.equal(refused, routeKind !== "query", `${method} ${path}`);
    assert.ok(refused || annotations.readOnlyHint === true, `${name} changes by a plain GET`);
  }
});

test("createHandler() asks on every route that changes or starts something whose call it is", async () => {
  const { send } = createTinyService();
  const routes = TOOLS.flatMap(({ name, route, routeKind }) => [
    ...(routeKind === "query" ? [] : [[routeKind === "body" ? "POST" : "GET", route] as const]),
    ...(routeKind === "both" ? [["POST", route] as const] : []),
    ["POST", `/api/tools/${name}`] as const,
  ]);
  const others = ["GET", "POST", "DELETE"].map((method) => [method, "/mcp"] as const);
  for (
    const [method, route] of [
      ...routes,
      ...others,
      ["HEAD", "/api/build"],
      ["PUT", "/api/build"],
      ["POST", "/api/session"],
      ["POST", "/api/session/end"],
    ] as const
  ) {
    const path = route.replace(":id", "x-1");
    for (const headers of [BY_OWN_PAGE, { ...BY_OWN_PAGE, accept: "image/png,*/*" }]) {
      const { status, text } = await send(path, { method, headers });
      assert.equal(status, 403, `${method} ${path}`);
      if (method !== "HEAD") assert.equal(JSON.parse(text).code, "not-by-script", path);
    }
  }
});

for (const method of ["GET", "HEAD", "DELETE"]) {
  test(`/mcp answers 405 to ${method} of a client that calls itself a browser`, async () => {
    // The protocol's clients ask so whether the server has a stream, or a session to end.
    for (const agent of ["Mozilla/5.0 (Windows NT 10.0) PowerShell/7.4", "GStreamer", "node"]) {
      const headers = { "user-agent": agent, accept: "text/event-stream" };
      const answer = await createTinyService().send("/mcp", { method, headers });
      assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "POST"], agent);
    }
  });
}

for (
  const [user, token, want] of [
    ["same", undefined, 200],
    ["unknown", undefined, 200],
    ["another", undefined, 403],
    ["another", "sixteen-letters!", 200],
    ["another", "fifteen-letters", 403],
    ["same", "short", 200],
  ] as const
) {
  test(`createHandler() answers ${want} to ${user} user with ${token ?? "no token"}`, async () => {
    const { handler } = createTinyService({ token });
    const headers = { host: "127.0.0.1:4747", authorization: `Bearer ${token}` };
    const request = new Request(`${ORIGIN}/api/traits`, { headers });
    const response = await handler(request, { user: () => Promise.resolve(user) });
    assert.equal(response.status, want);
    const { code = null } = await response.json();
    assert.equal(code, want === 403 ? "another-user" : null);
  });
}

test("createHandler() starts nothing for a caller that hung up while it was looked at", async () => {
  const started: string[] = [];
  const publish: typeof TINY_UPDATES.publish = (wish) => {
    started.push(wish.version ?? "");
    return TINY_UPDATES.publish(wish);
  };
  const { handler } = createTinyService({ updates: { ...TINY_UPDATES, publish } });
  const leaving = new AbortController();
  const request = new Request(`${ORIGIN}/api/ota/publish?version=v7`, {
    headers: { host: "127.0.0.1:4747" },
    signal: leaving.signal,
  });
  const response = await handler(request, {
    user() {
      leaving.abort();
      return Promise.resolve("same");
    },
  });
  assert.deepEqual([response.status, started], [409, []]);
});

test("createHandler() answers wrong tokens later and later, the right one at once", async () => {
  const naps: { ms: number; wake: () => void }[] = [];
  const clock = { sleep: (ms: number) => new Promise<void>((wake) => naps.push({ ms, wake })) };
  const { send } = createTinyService({ token: "secret", clock });
  const ask = (token: string) =>
    send("/api/traits", { headers: { authorization: `Bearer ${token}` } });
  const wrong = Array.from({ length: 100 }, (_, n) => ask(`guess-${n}`));
  assert.equal((await ask("secret")).status, 200);
  assert.equal((await send("/api/traits")).status, 401); // no token is no guess
  assert.deepEqual(naps.slice(0, 3).map(({ ms }) => ms), [250, 500, 750]);
  assert.equal(Math.max(...naps.map(({ ms }) => ms)), 5_000);
  for (const { wake } of naps) wake();
  for (const { status } of await Promise.all(wrong)) assert.equal(status, 401);
  const late = ask("guess");
  await Promise.resolve();
  assert.equal(naps.at(-1)?.ms, 250); // who guessed before is forgotten
  naps.at(-1)?.wake();
  await late;
});

for (
  const [title, path, init] of [
    ["an answer", "/api/traits", {}],
    ["a document", "/api/openapi.json", {}],
    ["HEAD", "/api/traits", { method: "HEAD" }],
    ["a problem", "/api/nothing", {}],
    ["a refusal", "/api/traits", { headers: { host: "evil.example" } }],
    ["a stream that has ended", "/api/jobs/x-1/events", { headers: { "last-event-id": "x-1:1" } }],
    ["MCP", "/mcp", json({ jsonrpc: "2.0", id: 1, method: "ping" })],
  ] as const
) {
  test(`createHandler() lets no other origin embed ${title}`, async () => {
    const { headers } = await createTinyService().send(path, init);
    assert.equal(headers.get("cross-origin-resource-policy"), "same-origin");
  });
}

// HTTP-4
test("createHandler() stops reading a body without a length at 8 MiB", async () => {
  const { handler } = createTinyService();
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(1024 * 1024).fill(32));
    },
  });
  const headers = { host: "127.0.0.1:4747", "content-type": "application/json" };
  // `duplex` is Node's, and not in everybody's types.
  const init: RequestInit = Object.assign({ method: "POST", headers, body }, {
    duplex: "half" as const,
  });
  const response = await handler(new Request(`${ORIGIN}/api/tools/list_traits`, init));
  assert.equal(response.status, 413);
  assert.ok(pulled < 15, `${pulled} MiB`);
});

for (const path of ["/api/tools/list_traits", "/api/batch", "/mcp"]) {
  test(`createHandler() reads no body on ${path} that does not come to an end`, async () => {
    const { handler, tick } = createTinyService();
    let given: unknown;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
      cancel: (why) => void (given = why),
    });
    const headers = { host: "127.0.0.1:4747", "content-type": "application/json" };
    const init = { method: "POST", headers, body, duplex: "half" as const };
    const answer = handler(new Request(`${ORIGIN}${path}`, init));
    await new Promise((resolve) => setTimeout(resolve, 0));
    tick(); // its time is over
    const { status, code } = await (await answer).json();
    assert.deepEqual([status, code], [400, "body-too-slow"]);
    assert.ok(given instanceof TimeoutError);
  });
}
