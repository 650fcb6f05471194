import { test } from "node:test";
import assert from "node:assert/strict";
import { createTinyService, json, ORIGIN, type TinyService } from "../support/tiny-service.ts";

const fastClock = { sleep: () => Promise.resolve() };

const TOKEN = "a-token-of-32-letters-or-so-long";
/** What a browser says of a request of our own page; without TLS it says none of it. */
const BY_PAGE = {
  origin: ORIGIN,
  "sec-fetch-site": "same-origin",
  "sec-fetch-dest": "empty",
  "x-svc-caller": "human",
};
const EVENTS = { accept: "text/event-stream" };

const options = { token: TOKEN, hostname: "0.0.0.0" };

/** Shows the token. */
async function join(
  service: TinyService,
  body: unknown = { token: TOKEN },
  headers: Record<string, string> = BY_PAGE,
): Promise<{ readonly status: number; readonly cookie: string; readonly set: string }> {
  const { status, headers: answered } = await service.send("/api/session", json(body, headers));
  const set = answered.get("set-cookie") ?? "";
  return { status, set, cookie: set.split(";")[0] ?? "" };
}

/** The status of a read with these headers. */
async function read(
  service: TinyService,
  headers: Record<string, string>,
  path = "/api/traits",
): Promise<number> {
  return (await service.send(path, { headers })).status;
}

// HTTP-10
test("POST /api/session gives who shows the token a cookie, which is not the token", async () => {
  const service = createTinyService(options);
  assert.equal(await read(service, {}), 401);
  const { status, set, cookie } = await join(service);
  assert.equal(status, 204);
  assert.match(set, /^svc-token-4747=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  assert.ok(!set.includes(TOKEN));
  assert.equal(await read(service, { cookie, ...BY_PAGE }), 200);
  assert.equal(await read(service, { cookie }), 200); // a program
  assert.equal(await read(service, { cookie: `a=1; ${cookie}; b=2` }), 200);
  const changed = await service.send("/api/tools/list_traits", json({}, { cookie, ...BY_PAGE }));
  assert.equal(changed.status, 200);
});

for (
  const [title, body, headers, want] of [
    ["another token", { token: "another" }, BY_PAGE, 401],
    ["a token that goes on", { token: `${TOKEN}x` }, BY_PAGE, 401],
    ["no token", {}, BY_PAGE, 401],
    ["a token that is no text", { token: [TOKEN] }, BY_PAGE, 401],
    ["a body that is no object", [TOKEN], BY_PAGE, 400],
    ["more than a token takes", { token: TOKEN, pad: "x".repeat(9_000) }, BY_PAGE, 413],
    ["a page of another origin", { token: TOKEN }, { origin: "https://evil.example" }, 403],
    ["a page of another port", { token: TOKEN }, { origin: "http://127.0.0.1:4748" }, 403],
    ["a page of the same site", { token: TOKEN }, { "sec-fetch-site": "same-site" }, 403],
    ["a form", { token: TOKEN }, { ...BY_PAGE, "sec-fetch-mode": "navigate" }, 403],
    ["a foreign host", { token: TOKEN }, { host: "evil.example:4747" }, 403],
  ] as const
) {
  test(`POST /api/session gives nothing for ${title}`, async () => {
    const service = createTinyService({ ...options, clock: fastClock });
    const { status, set } = await join(service, body, headers);
    assert.deepEqual([status, set], [want, ""]);
  });
}

test("POST /api/session answers guesses slowly, the more of them the slower", async () => {
  const naps: number[] = [];
  const clock = {
    sleep(ms: number) {
      naps.push(ms);
      return Promise.resolve();
    },
  };
  const service = createTinyService({ ...options, clock });
  await Promise.all([1, 2, 3].map((n) => join(service, { token: `guess ${n}` })));
  const waits = naps.filter((ms) => ms < 10_000); // the others are deadlines of bodies
  assert.deepEqual(waits, [250, 500, 750]);
  naps.length = 0;
  assert.equal((await join(service)).status, 204);
  assert.deepEqual(naps.filter((ms) => ms < 10_000), []);
});

test("POST /api/session has nothing to give where no token is asked for", async () => {
  const { status, text } = await createTinyService().send("/api/session", json({ token: "x" }));
  assert.deepEqual([status, JSON.parse(text).code], [409, "no-token"]);
});

const COOKIE = "{cookie}";
for (
  const [title, headers, want] of [
    ["a page of another origin", { origin: "https://evil.example", cookie: COOKIE }, 403],
    ["a page of another port", { origin: "http://127.0.0.1:4748", cookie: COOKIE }, 403],
    ["a picture of another port", { "sec-fetch-site": "same-site", cookie: COOKIE }, 401],
    ["a link of another site", { "sec-fetch-site": "cross-site", cookie: COOKIE }, 401],
    ["an address that was typed", { "sec-fetch-site": "none", cookie: COOKIE }, 401],
    ["a preview", { "sec-purpose": "prefetch", cookie: COOKIE }, 403],
    ["a foreign host", { host: "evil.example:4747", cookie: COOKIE }, 403],
    ["a wrong bearer beside it", { authorization: "Bearer nonsense", cookie: COOKIE }, 401],
    ["no key", { cookie: "svc-token-4747=" }, 401],
    ["the token as key", { cookie: `svc-token-4747=${TOKEN}` }, 401],
    ["a key that goes on", { cookie: `${COOKIE}x` }, 401],
    ["the cookie of another port", { cookie: "svc-token-4748={key}" }, 401],
    ["a name that ends like ours", { cookie: "x-svc-token-4747={key}" }, 401],
    ["a huge cookie", { cookie: `a=${"x".repeat(70_000)}; ${COOKIE}` }, 401],
    ["thousands of cookies", { cookie: `${"a=1; ".repeat(15_000)}${COOKIE}` }, 401],
    ["as many cookies as pages of other ports may set", {
      cookie: `${"a=1; ".repeat(12_000)}${COOKIE}`,
    }, 200],
    ["a planted cookie before ours", { cookie: `svc-token-4747=planted; ${COOKIE}` }, 200],
  ] as const
) {
  test(`a cookie of a page: ${title} is answered ${want}`, async () => {
    const service = createTinyService({ ...options, clock: fastClock });
    const { cookie } = await join(service);
    const key = cookie.split("=")[1] ?? "";
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        value.replace(COOKIE, cookie).replace("{key}", key),
      ]),
    );
    assert.equal(await read(service, filled), want);
  });
}

test("a cookie that was planted is not taken over by who shows the token", async () => {
  const service = createTinyService(options);
  const planted = "svc-token-4747=planted-by-another-port-of-this-machine-00";
  const { cookie } = await join(service, { token: TOKEN }, { ...BY_PAGE, cookie: planted });
  assert.notEqual(cookie, planted);
  assert.equal(await read(service, { cookie: planted }), 401);
});

test("a cookie is of one service, and of its life alone", async () => {
  const { cookie } = await join(createTinyService(options));
  assert.equal(await read(createTinyService(options), { cookie }), 401);
});

for (
  const [title, headers, want] of [
    ["the page", { "sec-fetch-site": "same-origin", "x-svc-caller": "human" }, true],
    ["the page without TLS", { referer: `${ORIGIN}/`, "x-svc-caller": "human" }, true],
    ["EventSource of the page", { "sec-fetch-site": "same-origin", ...EVENTS }, true],
    ["EventSource of the page without TLS", { referer: `${ORIGIN}/`, ...EVENTS }, true],
    ["a model of the page", { "sec-fetch-site": "same-origin" }, false],
    ["a model of the page without TLS", { referer: `${ORIGIN}/` }, false],
    ["a script of another port that hides where it is, without TLS", EVENTS, false],
    ["a picture of another port, without TLS", { referer: "http://127.0.0.1:4748/" }, false],
    ["a picture that hides where it is, without TLS", {}, false],
  ] as const
) {
  test(`a cookie ${want ? "lets" : "does not let"} ${title} start work by a GET`, async () => {
    const service = createTinyService(options);
    const { cookie } = await join(service);
    const { status } = await service.send("/api/build?target=web&dryRun=1", {
      headers: { ...headers, cookie },
    });
    assert.equal(status === 403, !want, String(status));
  });
}

test("POST /api/session/end forgets the page that asks, and no other", async () => {
  const service = createTinyService(options);
  const [one, other] = [await join(service), await join(service)];
  const { cookie } = one;
  const ended = await service.send("/api/session/end", json({}, { ...BY_PAGE, cookie }));
  assert.equal(ended.status, 204);
  assert.match(ended.headers.get("set-cookie") ?? "", /^svc-token-4747=;.*Max-Age=0$/);
  assert.equal(await read(service, { cookie }), 401);
  assert.equal(await read(service, { cookie: other.cookie }), 200);
  const strange = await service.send("/api/session/end", json({}, BY_PAGE));
  assert.equal(strange.status, 401);
});

test("Sessions keeps 64 pages: the one that has asked least lately goes", async () => {
  const service = createTinyService(options);
  const first = await join(service);
  const second = await join(service);
  for (let n = 0; n < 62; n++) await join(service);
  assert.equal(await read(service, { cookie: first.cookie }), 200);
  await join(service);
  assert.equal(await read(service, { cookie: second.cookie }), 401);
  assert.equal(await read(service, { cookie: first.cookie }), 200);
});

for (
  const [hostname, user, want] of [
    ["127.0.0.1", "same", 200],
    ["127.0.0.1", "another", 403], // a browser hands our cookie to every port of this machine
    ["0.0.0.0", "another", 200],
  ] as const
) {
  test(`a cookie on ${hostname} is answered ${want} to ${user} user`, async () => {
    const service = createTinyService({ token: TOKEN, hostname });
    const { cookie } = await join(service);
    const headers = { host: "127.0.0.1:4747", cookie };
    const request = new Request(`${ORIGIN}/api/traits`, { headers });
    const response = await service.handler(request, { user: () => Promise.resolve(user) });
    assert.equal(response.status, want);
  });
}
