import { test } from "node:test";
import assert from "node:assert/strict";
import { type Access, checkAccess, isLoopback } from "../../lib/http/guard.ts";
import { createTinyService, json, ORIGIN } from "./tiny-service.ts";

const LOCAL: Access = { hostname: "127.0.0.1" };
const OURS = { host: "127.0.0.1:4747" };

interface Row {
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly access?: Access;
  readonly changesState?: boolean;
  readonly want: number | null;
}

const ROWS: Readonly<Record<string, Row>> = {
  "lets a local read through": { headers: OURS, want: null },
  "knows localhost": { headers: { host: "localhost:4747" }, want: null },
  "knows localhost in capitals": { headers: { host: "LOCALHOST" }, want: null },
  "knows [::1]": { headers: { host: "[::1]:4747" }, want: null },
  "refuses a missing Host": { headers: {}, want: 403 },
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

  "lets reads of other origins through, which cannot see the answer": {
    headers: { ...OURS, origin: "http://evil.example", "sec-fetch-site": "cross-site" },
    want: null,
  },
  "lets a change without Origin through": { headers: OURS, changesState: true, want: null },
  "lets a change of our own page through": {
    headers: { ...OURS, origin: "http://127.0.0.1:4747", "sec-fetch-site": "same-origin" },
    changesState: true,
    want: null,
  },
  "lets a change typed by the user through": {
    headers: { ...OURS, "sec-fetch-site": "none" },
    changesState: true,
    want: null,
  },
  "refuses a change of a foreign page": {
    headers: { ...OURS, origin: "http://evil.example" },
    changesState: true,
    want: 403,
  },
  "refuses a change of Origin null": {
    headers: { ...OURS, origin: "null" },
    changesState: true,
    want: 403,
  },
  "refuses a change of another port": {
    headers: { ...OURS, origin: "http://127.0.0.1:9999" },
    changesState: true,
    want: 403,
  },
  "refuses a change of another name of this machine": {
    headers: { ...OURS, origin: "http://localhost:4747" },
    changesState: true,
    want: 403,
  },
  "refuses a change of the same site": {
    headers: { ...OURS, "sec-fetch-site": "same-site" },
    changesState: true,
    want: 403,
  },
  "refuses a change across sites": {
    headers: { ...OURS, "sec-fetch-site": "cross-site" },
    changesState: true,
    want: 403,
  },

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
  test(`checkAccess() ${title}`, () => {
    const { method = "GET", headers, access = LOCAL, changesState = false, want } = row;
    const request = { method, headers: new Headers(headers) };
    assert.equal(checkAccess(request, access, { changesState })?.status ?? null, want);
  });
}

for (
  const [hostname, want] of [
    ["127.0.0.1", true],
    ["127.8.9.10", true],
    ["localhost", true],
    ["::1", true],
    ["[::1]", true],
    ["0.0.0.0", false],
    ["::", false],
    ["192.168.1.7", false],
    ["127.0.0.1.evil.example", false],
    ["localhost.evil.example", false],
  ] as const
) {
  test(`isLoopback() of ${hostname}`, () => assert.equal(isLoopback(hostname), want));
}

for (
  const [title, path, init] of [
    ["POST tools", "/api/tools/list_traits", json({})],
    ["POST cancel", "/api/jobs/x-1/cancel", json({})],
    ["POST mcp", "/mcp", json({})],
    ["GET mcp", "/mcp", {}],
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
      assert.equal(JSON.parse(text).code, "foreign-origin");
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
  const init = { method: "POST", headers, body, duplex: "half" };
  const response = await handler(new Request(`${ORIGIN}/api/tools/list_traits`, init));
  assert.equal(response.status, 413);
  assert.ok(pulled < 15, `${pulled} MiB`);
});
