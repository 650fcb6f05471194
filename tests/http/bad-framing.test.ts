import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { adapter } from "../contract/adapter.ts";
import { createTinyService } from "../support/tiny-service.ts";
import { until } from "../support/until.ts";

// Invalid HTTP, sent by hand to a server that listens: it is the caller's mistake, not a fault of the
// service, and a proxy must not see one request in it where the service sees two.

/**
 * Sends bytes to a listening service, with its port for `PORT`.
 *
 * @param drip Sent again and again until the connection ends.
 * @returns All that comes back.
 */
async function answerTo(text: string, drip = ""): Promise<string> {
  const service = createTinyService();
  const served = await adapter.serve((request, peer) => service.handler(request, peer), {
    hostname: "127.0.0.1",
    port: 0,
  });
  assert.ok(served.ok);
  const { port } = served.value;
  try {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {}); // what is sent after a refusal may be reset
    socket.write(text.replaceAll("PORT", `${port}`), "latin1");
    let answer = "";
    socket.on("data", (bytes) => answer += bytes);
    const dripping = setInterval(() => socket.write(drip), 100);
    let isClosed = false;
    socket.once("close", () => {
      clearInterval(dripping);
      isClosed = true;
    });
    await until("the connection ends", () => isClosed);
    return answer;
  } finally {
    await served.value.close();
  }
}

const HOST = "Host: 127.0.0.1:PORT";
/** The request that follows every other. Once it is answered, the connection ends. */
const NEXT = ["GET /api/traits HTTP/1.1", HOST, "Connection: close", "", ""].join("\r\n");

function asked(first: string, headers: readonly string[], body = ""): string {
  return [first, ...headers, "", body].join("\r\n") + NEXT;
}

const statusesOf = (answer: string) =>
  [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

const POST = "POST /api/tools/list_traits HTTP/1.1";
const JSON_BODY = "Content-Type: application/json";
const CHUNKED = "Transfer-Encoding: chunked";

/** Requests, by headers and body, whose end two readers could see in two places. */
const UNCLEAR: readonly (readonly [what: string, headers: readonly string[], body?: string])[] = [
  ["a length and chunks", ["Content-Length: 6", CHUNKED], "0\r\n\r\nX"],
  ["chunks and a length", [CHUNKED, "Content-Length: 6"], "0\r\n\r\nX"],
  ["two lengths", ["Content-Length: 1", "Content-Length: 2"], "{}"],
  ["the same length twice", ["Content-Length: 2", "Content-Length: 2"], "{}"],
  ["a list of lengths", ["Content-Length: 2, 2"], "{}"],
  ["a length with a plus", ["Content-Length: +2"], "{}"],
  ["a length with a minus", ["Content-Length: -2"], "{}"],
  ["a length in base 16", ["Content-Length: 0x2"], "{}"],
  ["a length beyond 64 bits", ["Content-Length: 99999999999999999999999"], "{}"],
  ["an empty length", ["Content-Length: "], "{}"],
  ["a blank before the colon", ["Content-Length : 2"], "{}"],
  ["a blank before the colon of chunks", ["Transfer-Encoding : chunked"], "0\r\n\r\n"],
  ["another coding", ["Transfer-Encoding: xchunked"], "0\r\n\r\n"],
  ["a coding after chunks", ["Transfer-Encoding: chunked, identity"], "0\r\n\r\n"],
  ["chunks twice", [CHUNKED, CHUNKED], "0\r\n\r\n"],
  ["a control character before chunks", ["Transfer-Encoding: \vchunked"], "0\r\n\r\n"],
  ["a folded header", ["X: a", " Transfer-Encoding: chunked", "Content-Length: 0"]],
  ["a line that ends with CR alone", ["X: a\rTransfer-Encoding: chunked"]],
  ["a line that ends with LF alone", ["X: a\nTransfer-Encoding: chunked"]],
  ["NUL in a value", ["X: a\0b"]],
  ["NUL in a name", ["X\0: a"]],
  ["no colon", ["Xabc"]],
  ["no name", [": a"]],
  ["a chunk's size with 0x", [CHUNKED], "0x2\r\n{}\r\n0\r\n\r\n"],
  ["a chunk's size below 0", [CHUNKED], "-2\r\n{}\r\n0\r\n\r\n"],
  ["a chunk's size beyond 64 bits", [CHUNKED], "fffffffffffffffff\r\n{}\r\n0\r\n\r\n"],
  ["a blank behind a chunk's size", [CHUNKED], "2 \r\n{}\r\n0\r\n\r\n"],
  ["chunks with LF alone", [CHUNKED], "2\n{}\n0\n\n"],
  ["LF in a chunk's extension", [CHUNKED], "2;a\n5\r\n{}\r\n0\r\n\r\n"],
  ["a chunk that is longer than it says", [CHUNKED], "2\r\n{}{}\r\n0\r\n\r\n"],
  ["a length behind the chunks", [CHUNKED], "2\r\n{}\r\n0\r\nContent-Length: 50\r\n\r\n"],
];

for (const [what, headers, body] of UNCLEAR) {
  test(`${what}: answered by 400, and nothing behind it is read (HTTP-4)`, async () => {
    const answer = await answerTo(asked(POST, [HOST, JSON_BODY, ...headers], body));
    assert.deepEqual(statusesOf(answer), [400]);
  });
}

/** The statuses of a request whose body has these codings, and of the one that follows it. */
const CODED: readonly (readonly [headers: readonly string[], statuses: readonly number[]])[] = [
  [["Transfer-Encoding: gzip, chunked"], [501, 200]],
  [["Transfer-Encoding: gzip", CHUNKED], [501, 200]],
  [["Transfer-Encoding: identity, chunked"], [501, 200]],
  [["Transfer-Encoding: Chunked"], [200, 200]],
  [[CHUNKED, "Content-Encoding: gzip"], [400, 200]],
  [[CHUNKED, "Content-Encoding: identity", "Content-Encoding: br"], [400, 200]],
  [[CHUNKED, "Content-Encoding: identity"], [200, 200]],
];

test("a compressed body is not read as if it were not compressed (HTTP-4)", async () => {
  const body = "2\r\n{}\r\n0\r\n\r\n";
  for (const [headers, statuses] of CODED) {
    const answer = await answerTo(asked(POST, [HOST, JSON_BODY, ...headers], body));
    assert.deepEqual([headers, statusesOf(answer)], [headers, statuses]);
    if (statuses[0] !== 200) assert.match(answer, /uncompressed/);
  }
});

/** Requests whose bodies never end, and the statuses of their answers. */
const ENDLESS: readonly (readonly [first: string, headers: readonly string[], status: number])[] = [
  ["GET /api/traits HTTP/1.1", [HOST, "Content-Length: 9999"], 200],
  ["GET /api/traits HTTP/1.1", [HOST, CHUNKED], 200],
  ["GET /api/traits HTTP/1.1", ["Host: xn--", "Content-Length: 9999"], 400],
  [POST, [HOST, JSON_BODY, "Transfer-Encoding: gzip, chunked"], 501],
  ["POST /nowhere HTTP/1.1", [HOST, JSON_BODY, "Content-Length: 9999"], 404],
];

test("a connection ends after its answer, however slowly the rest of the request comes (HTTP-4)", async () => {
  await Promise.all(ENDLESS.map(async ([first, headers, status]) => {
    const drip = headers.some((one) => one.includes("chunked")) ? "1\r\nx\r\n" : "x";
    const answer = await answerTo([first, ...headers, "", ""].join("\r\n"), drip);
    assert.deepEqual([first, statusesOf(answer)], [first, [status]]);
  }));
});

/** The statuses of a request with these `Host` lines, and of the one that follows it. */
const HOSTS: readonly (readonly [lines: readonly string[], statuses: readonly number[]])[] = [
  [[], [400]],
  [["Host:"], [400, 200]],
  [["Host: 127.0.0.1:PORT", "Host: evil.example"], [403, 200]],
  [["Host: evil.example", "Host: 127.0.0.1:PORT"], [403, 200]],
  [["Host: 127.0.0.1:PORT, evil.example"], [400, 200]],
  [["Host: x@127.0.0.1:PORT"], [400, 200]],
  [["Host: 127.0.0.1:PORT/x"], [400, 200]],
  [["Host: 127.0.0.1:PORT?x"], [400, 200]],
  [["Host: 127.0.0.1.:PORT"], [403, 200]],
  [["Host: localhost.:PORT"], [403, 200]],
  [["Host: [::1%25lo]:PORT"], [400, 200]],
  [["Host: [::1%lo]:PORT"], [400, 200]],
  [["Host: [::ffff:127.0.0.1]:PORT"], [400, 200]],
  [["Host: 2130706433:PORT"], [403, 200]],
  [["Host: 0x7f.1:PORT"], [403, 200]],
  [["Host: 127.1:PORT"], [403, 200]],
  [["Host: 0177.0.0.1:PORT"], [403, 200]],
  [["Host: 127.0.0.1:0PORT"], [403, 200]],
  [["Host: 127.0.0.1:"], [400, 200]],
  [["Host: 127.0.0.1"], [200, 200]],
  [["Host: LOCALHOST:PORT"], [200, 200]],
  [["Host: localhost:PORT"], [200, 200]],
  [["Host: localhost\t:PORT"], [400, 200]],
  [["Host: localhost :PORT"], [400, 200]],
  [["Host: evil.example#127.0.0.1:PORT"], [400, 200]],
  [["Host: 127.0.0.1:PORT\\evil"], [400, 200]],
  [["hOST: 127.0.0.1:PORT"], [200, 200]],
  [["Host: 0.0.0.0:PORT"], [403, 200]],
  [["Host: [::]:PORT"], [403, 200]],
  [["Host: localhost.localdomain:PORT"], [403, 200]],
  [["Host: sub.localhost:PORT"], [403, 200]],
  [["Host: 127.0.0.2:PORT"], [403, 200]],
  [["Host: xn--localhost:PORT"], [400, 200]],
  [["Host: xn--.localhost"], [400, 200]],
  [["Host: 127.0.0.256:PORT"], [400, 200]],
  [["Host: 127.0.0.1.1:PORT"], [400, 200]],
  [["Host: 0x1ffffffff:PORT"], [400, 200]],
  [["Host: evil.08:PORT"], [400, 200]],
];

/** The statuses of a request that begins with this line, and of the one that follows it. */
const TARGETS: readonly (readonly [first: string, statuses: readonly number[]])[] = [
  ["GET http://evil.example/api/traits HTTP/1.1", [400, 200]],
  ["GET http://127.0.0.1:PORT/api/traits HTTP/1.1", [200, 200]],
  ["GET https://127.0.0.1:PORT/api/traits HTTP/1.1", [200, 200]],
  ["GET ftp://127.0.0.1:PORT/api/traits HTTP/1.1", [400, 200]],
  ["GET http://x@127.0.0.1:PORT/api/traits HTTP/1.1", [200, 200]],
  ["GET 127.0.0.1:PORT HTTP/1.1", [400]],
  ["OPTIONS * HTTP/1.1", [400, 200]],
  ["CONNECT evil.example:80 HTTP/1.1", []],
  ["CONNECT 127.0.0.1:PORT HTTP/1.1", []],
  ["TRACE /api/traits HTTP/1.1", [405, 200]],
  ["get /api/traits HTTP/1.1", [400]],
  ["FOO /api/traits HTTP/1.1", [400]],
  ["GET /api/traits", [400]],
  ["GET /api/traits HTTP/2.0", [400]],
  ["GET /api/traits HTTP/1.2", [400]],
  ["GET /api/traits HTTP/1.0", [400]],
  ["PRI * HTTP/2.0", [400]],
  ["GET /api/tr aits HTTP/1.1", [400]],
  ["GET /\xff\xc0\xaf HTTP/1.1", [400]],
  ["GET /api/tra\0its HTTP/1.1", [400]],
  ["GET //evil.example/api/traits HTTP/1.1", [404, 200]],
  ["GET \\api\\traits HTTP/1.1", [400]],
  ["GET /api/traits#x HTTP/1.1", [200, 200]],
  ["GET @evil.example/api/traits HTTP/1.1", [400]],
  ["GET :80@evil.example/ HTTP/1.1", [400]],
  ["GET ?x HTTP/1.1", [400]],
  ["GET /api\\traits HTTP/1.1", [400, 200]],
  ["GET /api/./traits HTTP/1.1", [200, 200]],
  ["GET /api/%2e%2e/api/traits HTTP/1.1", [200, 200]],
  ["GET /api%2ftraits HTTP/1.1", [404, 200]],
  ["GET /api/%74raits HTTP/1.1", [404, 200]],
  ["GET /API/traits HTTP/1.1", [404, 200]],
  ["GET /api/traits/ HTTP/1.1", [404, 200]],
  ["GET /api//traits HTTP/1.1", [404, 200]],
  ["GET /api/traits;x HTTP/1.1", [404, 200]],
  ["GET /api/traits%00 HTTP/1.1", [404, 200]],
];

test("a request is for the host and the path that it says, in one spelling (HTTP-2)", async () => {
  const found = await Promise.all([
    ...HOSTS.map(([lines]) => answerTo(asked("GET /api/traits HTTP/1.1", lines))),
    ...TARGETS.map(([first]) => answerTo(asked(first, [HOST]))),
  ]);
  const expected = [...HOSTS, ...TARGETS];
  assert.deepEqual(found.map((answer, at) => [expected[at]?.[0], statusesOf(answer)]), expected);
});

test("a target with a host is for that host, whatever the header says (HTTP-2)", async () => {
  const [ours, evil] = ["http://127.0.0.1:PORT", "http://evil.example"].map((origin) =>
    `GET ${origin}/api/traits HTTP/1.1`
  );
  for (const [first = "", host] of [[ours, "evil.example"], [evil, "evil.example"]]) {
    const [status] = statusesOf(await answerTo(asked(first, [`Host: ${host}`])));
    assert.ok(status === 400 || status === 403, `${first}: ${status}`);
  }
});

test("a body with a chunk extension of 20 KB is no fault (HTTP-4)", async () => {
  const body = `2;x=${"y".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`;
  const [status] = statusesOf(await answerTo(asked(POST, [HOST, JSON_BODY, CHUNKED], body)));
  // Deno's parser skips it, whatever its length, and keeps none of it.
  assert.equal(status, "Deno" in globalThis ? 200 : 400);
});

test("what follows a refused request reaches no other connection", async () => {
  const asked: string[] = [];
  const served = await adapter.serve(({ url }) => {
    asked.push(new URL(url).pathname);
    return new Response("ok");
  }, { hostname: "127.0.0.1", port: 0 });
  assert.ok(served.ok);
  const { port } = served.value;
  const open = () =>
    connect({ port, host: "127.0.0.1", allowHalfOpen: true }).on("error", () => {});
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  try {
    const refused = open();
    refused.write("no request\r\n\r\n");
    await once(refused, "data");
    const other = open();
    const answers: string[] = [];
    other.on("data", (bytes) => answers.push(String(bytes)));
    for (const path of ["/one", "/two", "/three"]) {
      other.write(get(path));
      await once(other, "data");
      if (path === "/one") {
        await new Promise<void>((sent) => refused.end(get("/smuggled"), () => sent()));
      }
    }
    assert.deepEqual(asked, ["/one", "/two", "/three"]);
    assert.equal(statusesOf(answers.join("")).length, 3);
    other.destroy();
  } finally {
    await served.value.close();
  }
});
