import { test } from "node:test";
import assert from "node:assert/strict";
import { TOOLS } from "../../lib/agent/tools.ts";
import { createTinyService, json, startJob } from "../support/tiny-service.ts";

const service = createTinyService();

for (
  const { name, route, routeDefaults } of TOOLS.filter(({ routeKind }) => routeKind === "query")
) {
  // HTTP-1
  test(`GET ${route} and POST /api/tools/${name} give one answer`, async () => {
    const [get, post] = [
      await service.send(route),
      await service.send(`/api/tools/${name}`, json(routeDefaults)),
    ];
    // A tool may need an argument, or a part that this editor lacks: both routes then say so alike.
    assert.ok([200, 400, 503].includes(get.status), get.text);
    assert.equal(get.status, post.status);
    assert.equal(get.text, post.text);
    const type = get.status === 200 ? "application/json" : "application/problem+json";
    for (const { headers } of [get, post]) {
      assert.equal(headers.get("content-type"), type);
      assert.equal(
        headers.get("x-svc-identity"),
        "tiny | project Tiny | scene main.scene | /games/tiny",
      );
      assert.equal(headers.get("cache-control"), "no-store");
    }
  });
  test(`HEAD ${route} has the headers and no body`, async () => {
    const head = await service.send(route, { method: "HEAD" });
    const { status, text, headers } = await service.send(route);
    assert.deepEqual([head.status, head.text], [status, ""]);
    assert.equal(head.headers.get("content-length"), String(text.length));
    assert.equal(head.headers.get("content-type"), headers.get("content-type"));
  });
}

for (
  const [query, args] of [
    ["id=2&world=1&bounds=true&precision=3", { id: 2, world: true, bounds: true, precision: 3 }],
    ["name=crate%201&limit=1", { name: "crate 1", limit: 1 }],
    ["where=Health.value%20%3E%3D%208%20and%20Place.x%3C11", {
      where: "Health.value >= 8 and Place.x<11",
    }],
    ["full=0", {}],
  ] as const
) {
  test(`GET /api/scene-state?${query} equals the tool`, async () => {
    const get = await service.send(`/api/scene-state?${query}`);
    const post = await service.send("/api/tools/svc_get_scene_state", json(args));
    assert.equal(get.status, 200);
    assert.equal(get.text, post.text);
  });
}

for (
  const [title, path, init, status, code, words] of [
    ["an unknown path", "/api/scene-stat", {}, 404, "no-such-route", "/api/scene-state"],
    ["a wrong method", "/api/traits", json({}), 405, "wrong-method", "GET"],
    [
      "a wrong method of the generic route",
      "/api/tools/list_traits",
      {},
      405,
      "wrong-method",
      "POST",
    ],
    ["an unknown tool", "/api/tools/list_trait", json({}), 404, "no-such-tool", "list_traits"],
    [
      "a strange tool",
      "/api/tools/xyzzy",
      json({}),
      404,
      "no-such-tool",
      "tools names them all",
    ],
    ["an unknown job", "/api/jobs/nope/cancel", json({}), 404, "unknown-job", "nope"],
    ["events of an unknown job", "/api/jobs/nope/events", {}, 404, "unknown-job", "nope"],
    ["an unknown query name", "/api/traits?nam=Health", {}, 400, "unknown-argument", "name"],
    ["a query on a document", "/api/tools?limit=1", {}, 400, "unknown-argument", "none"],
    [
      "a query on the generic route",
      "/api/tools/list_traits?name=x",
      json({}),
      400,
      "unknown-argument",
      "name",
    ],
    [
      "a name given twice",
      "/api/scene-state?limit=1&limit=2",
      {},
      400,
      "repeated-argument",
      "limit",
    ],
    [
      "an unknown argument",
      "/api/tools/list_traits",
      json({ nam: 1 }),
      400,
      "unknown-argument",
      "name",
    ],
    ["a list as body", "/api/tools/list_traits", json([]), 400, "bad-body", "object"],
    ["bad JSON", "/api/tools/list_traits", { ...json({}), body: "{" }, 400, "bad-body", "parse"],
    ["a flag that is none", "/api/scene-state?full=yes", {}, 400, "bad-argument", "full"],
    [
      "a cap that is none",
      "/api/traits",
      { headers: { "x-svc-cap": "-1" } },
      400,
      "bad-cap",
      "cap",
    ],
    ["a cap of MCP that is none", "/mcp?cap=x", json({}), 400, "bad-cap", "cap"],
    ["an unknown query of MCP", "/mcp?caps=500", json({}), 400, "unknown-argument", "cap"],
  ] as const
) {
  // HTTP-7
  test(`createHandler() answers ${title} with a problem`, async () => {
    const { status: found, headers, text } = await service.send(path, init);
    const problem = JSON.parse(text);
    assert.deepEqual([found, problem.status, problem.code], [status, status, code]);
    assert.equal(headers.get("content-type"), "application/problem+json");
    assert.deepEqual(Object.keys(problem), ["type", "title", "status", "detail", "code", "hint"]);
    assert.ok(`${problem.detail} ${problem.hint}`.includes(words), problem.detail);
  });
}

test("createHandler() refuses a body whose kind is not told", async () => {
  const { status, text } = await service.send("/api/tools/list_traits", {
    method: "POST",
    body: new TextEncoder().encode("{}"),
  });
  assert.deepEqual([status, JSON.parse(text).code], [400, "bad-body"]);
});

test("createHandler() names the accepted methods", async () => {
  assert.equal((await service.send("/api/traits", json({}))).headers.get("allow"), "GET, HEAD");
  const generic = await service.send("/api/tools/list_traits", { method: "DELETE" });
  assert.equal(generic.headers.get("allow"), "POST");
  const head = await service.send("/api/build?target=web", { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("allow")], [405, "GET"]);
});

test("createHandler() lowers the cap for who asks", async () => {
  const crowd = createTinyService({ entities: 300 });
  for (const cap of [500, 1_000, 5_000]) {
    const { status, text } = await crowd.send("/api/scene-state", {
      headers: { "x-svc-cap": `${cap}` },
    });
    assert.equal(status, 200);
    assert.ok(text.length <= cap);
    const { elided, hint } = JSON.parse(text);
    assert.equal(elided, true);
    assert.ok(hint.includes(`cap of ${cap}`));
    assert.ok(hint.includes("trait="));
  }
  const raised = await crowd.send("/api/scene-state?full=1", {
    headers: { "x-svc-cap": "9999999" },
  });
  assert.equal(JSON.parse(raised.text).elided, undefined);
  const huge = createTinyService({ entities: 2_000 });
  const over = await huge.send("/api/scene-state?full=1", { headers: { "x-svc-cap": "9999999" } });
  assert.ok(over.text.length <= 4_000);
});

test("createHandler() tells the identity in printable ASCII", async () => {
  const odd = createTinyService({ project: "Grüße 100%\r\nx-evil: 1\u0000😀" });
  const { headers } = await odd.send("/api/traits");
  const identity = headers.get("x-svc-identity") ?? "";
  assert.match(identity, /^[\x20-\x7e]+$/);
  assert.equal(
    decodeURIComponent(identity),
    "tiny | project Grüße 100% x-evil: 1 😀 | scene main.scene | /games/tiny",
  );
});

test("GET /api/tools lists names, descriptions and routes", async () => {
  const { tools } = JSON.parse((await service.send("/api/tools")).text);
  assert.deepEqual(
    tools,
    TOOLS.map(({ name, description, route }) => ({ name, description, route })),
  );
});

test("GET /api/openapi.json describes every tool at both of its routes", async () => {
  const document = JSON.parse((await service.send("/api/openapi.json")).text);
  assert.equal(document.openapi, "3.1.0");
  const ids = new Set<string>();
  for (const path of Object.values<Record<string, { operationId: string }>>(document.paths)) {
    for (const { operationId } of Object.values(path)) ids.add(operationId);
  }
  for (const { name, route, routeKind, parameters } of TOOLS) {
    assert.ok(ids.has(name) && ids.has(`call_${name}`), name);
    // Two tools may share a path, one reading and one changing.
    const path = document.paths[route.replace(":id", "{id}")];
    const [get, post] = routeKind === "body" ? [undefined, path.post] : [path.get, undefined];
    const own = routeKind === "body"
      ? Object.keys(post.requestBody.content["application/json"].schema.properties)
        .concat(route.includes(":id") ? ["id"] : [])
      : get.parameters.filter((parameter: { in: string }) => parameter.in === "query")
        .map((parameter: { name: string }) => parameter.name);
    assert.deepEqual(own, parameters.map((parameter) => parameter.name));
    const answers = (get ?? post).responses[200].content;
    // A trial of what a stream would do is answered at once.
    const stream = routeKind === "stream" ? ["text/event-stream"] : [];
    assert.deepEqual(Object.keys(answers), [...stream, "application/json"]);
    const body = document.paths[`/api/tools/${name}`].post.requestBody;
    assert.equal(body.content["application/json"].schema.type, "object");
  }
});

test("GET / names every route", async () => {
  const { text, headers } = await service.send("/");
  assert.equal(headers.get("content-type"), "text/plain; charset=utf-8");
  for (const { route } of TOOLS) assert.ok(text.includes(route), route);
  for (const path of ["/mcp", "/api/tools/:name", "/api/openapi.json"]) {
    assert.ok(text.includes(path));
  }
});

test("HEAD of an event stream does not wait for its end", async () => {
  const { id, end } = startJob(service.jobs);
  const head = await service.send(`/api/jobs/${id}/events`, { method: "HEAD" });
  assert.deepEqual([head.status, head.text], [200, ""]);
  end();
});

for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
  test(`what every object inherits is no route, tool, job or parameter: ${name}`, async () => {
    const body = json(JSON.parse(`{"${name}":1}`));
    for (
      const [path, init] of [
        [`/${name}`, {}],
        [`/api/${name}`, {}],
        [`/api/traits/${name}`, {}],
        [`/api/tools/${name}`, json({})],
        [`/api/jobs/${name}/events`, {}],
        [`/api/jobs/${name}/cancel`, json({})],
      ] as const
    ) {
      const { status, text } = await service.send(path, init);
      assert.equal(status, 404, `${path} ${text}`);
    }
    for (const { route, routeKind } of TOOLS.filter((tool) => !tool.route.includes(":"))) {
      const sent = routeKind === "query" || routeKind === "stream"
        ? await service.send(`${route}?${name}=1`)
        : await service.send(route, body);
      assert.equal(sent.status, 400, `${route} ${sent.text}`);
      assert.match(sent.text, /"code":"unknown-(parameter|argument)"/);
    }
  });
}
