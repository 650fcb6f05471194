import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectRaw, createServer } from "node:net";
import process from "node:process";
import { test } from "node:test";
import type { MessageSocket, SocketBounds } from "../../lib/ports/web-sockets.ts";
import { EARLY_HINTS } from "../ota/range-server.ts";
import { until } from "../support/until.ts";
import { adapter } from "./adapter.ts";

// What WebSockets promise at both ends: the server of the runtime that runs this, and its client.

const BOUNDS: SocketBounds = { maxMessageBytes: 64 * 1024, idleMs: 30_000 };
const { connect } = adapter.createWebSockets();

interface Ends {
  readonly server: MessageSocket;
  readonly client: MessageSocket;
  readonly url: string;
}

/** Connects a client to a server that answers `/socket` by a connection, and `/no` by a refusal. */
async function withEnds(
  work: (ends: Ends) => Promise<void>,
  { atServer = BOUNDS, atClient = BOUNDS, signal }: {
    readonly atServer?: SocketBounds;
    readonly atClient?: SocketBounds;
    readonly signal?: AbortSignal;
  } = {},
): Promise<void> {
  const accepted: Promise<MessageSocket | null>[] = [];
  await withServer(accepted, atServer, async (url) => {
    const client = await connect(`${url}/socket`, { ...atClient, signal });
    assert.ok(client.ok, client.ok ? "" : client.error.message);
    const server = await accepted[0];
    assert.ok(server, "the server has no connection");
    try {
      await work({ server, client: client.value, url });
    } finally {
      client.value.close();
    }
  });
}

async function withServer(
  accepted: Promise<MessageSocket | null>[],
  bounds: SocketBounds,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const served = await adapter.serve((request, { upgrade }) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/plain") return new Response(upgrade === undefined ? "plain" : "upgrade");
    if (pathname === "/broken") throw new Error("the handler is broken on purpose");
    if (pathname === "/stream" || pathname === "/breaks") {
      return new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new TextEncoder().encode("first")),
          pull: (controller) => pathname === "/breaks" ? controller.error("broken") : undefined,
        }),
      );
    }
    if (upgrade === undefined || pathname === "/no") {
      return new Response("not for you", { status: 403, headers: { "x-why": "no" } });
    }
    const { response, socket } = upgrade(bounds);
    accepted.push(socket);
    return response;
  }, { hostname: "127.0.0.1", port: 0 });
  assert.ok(served.ok);
  try {
    await work(served.value.url.replace("http:", "ws:"));
  } finally {
    await served.value.close();
  }
}

/** Asks by hand. @returns All that came back until the connection ended, or until `enough`. */
async function askRaw(url: string, path: string, headers: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connectRaw(Number(port), hostname);
  socket.write(
    [`GET ${path} HTTP/1.1`, `Host: ${hostname}:${port}`, ...headers, "", ""].join("\r\n"),
  );
  let answer = "";
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

const UPGRADE = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

const MESSAGES = [
  "",
  "hello",
  "ü 🚢",
  new Uint8Array(),
  Uint8Array.of(0, 255, 128),
  "a".repeat(65_536),
];

test("a MessageSocket sends text and bytes both ways, in order (DEV-48)", () =>
  withEnds(async ({ server, client }) => {
    for (const [from, to] of [[client, server], [server, client]] as const) {
      for (const message of MESSAGES) from.send(message);
      for (const message of MESSAGES) assert.deepEqual(await to.receive(), message);
    }
  }));

test("receive() waits for a message, and is null once the other end has closed", () =>
  withEnds(async ({ server, client }) => {
    const waited = server.receive();
    client.send("late");
    assert.equal(await waited, "late");
    const last = server.receive();
    client.send("before the end");
    client.close(3001, "done");
    assert.equal(await last, "before the end");
    assert.equal(await server.receive(), null);
    assert.equal(await server.receive(), null);
    assert.deepEqual(await server.ended, { code: 3001, reason: "done" });
    server.send("to nobody");
    server.close();
  }));

test("close() of a server tells the client its code and reason, cut to fit", () =>
  withEnds(async ({ server, client }) => {
    server.close(1008, "x".repeat(500));
    assert.deepEqual(await client.ended, { code: 1008, reason: "x".repeat(123) });
    assert.equal(await client.receive(), null);
  }));

for (
  const [at, bytes] of [["text", "x".repeat(1_001)], ["bytes", new Uint8Array(1_001)]] as const
) {
  test(`a message of ${at} that is too large ends the connection with 1009, at either end`, () => {
    const small = { ...BOUNDS, maxMessageBytes: 1_000 };
    return withEnds(async ({ server, client }) => {
      client.send(bytes.slice(0, 1_000));
      assert.equal((await server.receive())?.length, 1_000);
      client.send(bytes);
      assert.equal((await client.ended).code, 1009);
      assert.equal((await server.ended).code, 1009);
      assert.equal(await server.receive(), null);
    }, { atServer: small }).then(() =>
      withEnds(async ({ server, client }) => {
        server.send(bytes);
        assert.equal((await client.ended).code, 1009);
        assert.equal((await server.ended).code, 1009);
      }, { atClient: small })
    );
  });
}

test("a reader that is slower than what comes ends the connection", () =>
  withEnds(async ({ server, client }) => {
    const largest = new Uint8Array(BOUNDS.maxMessageBytes);
    for (let i = 0; i < 8; i++) client.send(largest);
    // Who is still sending then sees the connection break off, and not why.
    assert.ok([1006, 1008].includes((await client.ended).code));
    await server.ended;
    assert.equal((await server.receive())?.length, largest.length); // what was taken is still there
  }, { atClient: { ...BOUNDS, maxMessageBytes: 1024 * 1024 } }));

test("a sender that is faster than what is taken breaks the connection off", () =>
  withEnds(async ({ client }) => {
    const largest = new Uint8Array(BOUNDS.maxMessageBytes);
    for (let i = 0; i < 1_000; i++) client.send(largest);
    assert.equal((await client.ended).code, 1006);
  }));

test("connect() tells a refusal by its status, and the server goes on", () => {
  const accepted: Promise<MessageSocket | null>[] = [];
  return withServer(accepted, BOUNDS, async (url) => {
    for (const [path, status] of [["/no", 403], ["/broken", 500], ["/plain", 200]] as const) {
      const refused = await connect(`${url}${path}`, BOUNDS);
      assert.ok(!refused.ok);
      assert.equal(refused.error.code, "refused");
      assert.match(refused.error.message, new RegExp(`HTTP status ${status}`));
    }
    assert.equal(accepted.length, 0);
    const http = url.replace("ws:", "http:");
    assert.equal(await (await fetch(`${http}/plain`)).text(), "plain");
  });
});

test("a refused upgrade is a whole HTTP response", () =>
  withServer([], BOUNDS, async (url) => {
    const answer = await askRaw(url, "/no", [...UPGRADE, "Connection: close"]);
    assert.match(answer, /^HTTP\/1\.1 403 /);
    assert.match(answer, /\r\nx-why: no\r\n/i);
    assert.match(answer, /\r\n\r\nnot for you$/);
  }));

for (
  const [what, headers] of [
    ["another protocol", ["Connection: Upgrade, close", "Upgrade: h2c"]],
    ["no key", ["Connection: Upgrade, close", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]],
    ["an old version", [
      "Connection: Upgrade, close",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 8",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]],
    ["no upgrade in Connection", ["Connection: keep-alive, close", ...UPGRADE.slice(1)]],
  ] as const
) {
  test(`a request for an upgrade with ${what} gets no connection`, () => {
    const accepted: Promise<MessageSocket | null>[] = [];
    return withServer(accepted, BOUNDS, async (url) => {
      const answer = await askRaw(url, "/socket", headers);
      assert.match(answer, /^HTTP\/1\.1 4\d\d /);
      for (const socket of accepted) assert.equal(await socket, null);
    });
  });
}

test("connect() tells a port that nothing listens on, and a signal that was aborted", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const address = closed.address();
  assert.ok(typeof address === "object" && address !== null);
  closed.close();
  const url = `ws://127.0.0.1:${address.port}/`;
  const nobody = await connect(url, BOUNDS);
  assert.equal(nobody.ok ? "" : nobody.error.code, "unreachable");
  const aborted = await connect(url, { ...BOUNDS, signal: AbortSignal.abort() });
  assert.equal(aborted.ok ? "" : aborted.error.code, "cancelled");
});

test("connect() waits for the answer after hints of one (DEV-35)", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once(
      "data",
      (asked) =>
        void answerHandshake(String(asked)).then((answer) =>
          socket.write(EARLY_HINTS.repeat(2) + answer)
        ),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const connected = await connect(`ws://127.0.0.1:${address.port}/`, BOUNDS);
  assert.ok(connected.ok, connected.ok ? "" : connected.error.message);
  connected.value.drop();
  server.close();
});

test("connect() gives up on a server that says nothing", async () => {
  const silent = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  assert.ok(typeof address === "object" && address !== null);
  const url = `ws://127.0.0.1:${address.port}/`;
  const late = await connect(url, { ...BOUNDS, timeoutMs: 50 });
  assert.equal(late.ok ? "" : late.error.code, "unreachable");
  const leave = new AbortController();
  const asked = connect(url, { ...BOUNDS, signal: leave.signal });
  leave.abort();
  const cancelled = await asked;
  assert.equal(cancelled.ok ? "" : cancelled.error.code, "cancelled");
  silent.close();
});

test("a signal that is aborted later ends the connection at both ends", () => {
  const leave = new AbortController();
  return withEnds(async ({ server, client }) => {
    leave.abort();
    assert.equal((await client.ended).code, 1006);
    await server.ended;
    assert.equal(await server.receive(), null);
  }, { signal: leave.signal });
});

test("Server.close() ends its connections", async () => {
  const accepted: Promise<MessageSocket | null>[] = [];
  let client: MessageSocket | undefined;
  await withServer(accepted, BOUNDS, async (url) => {
    const connected = await connect(`${url}/socket`, BOUNDS);
    assert.ok(connected.ok);
    client = connected.value;
    await accepted[0];
  });
  await client?.ended;
  await (await accepted[0])?.ended;
});

test("a peer that answers no ping is gone after a while, at either end", async () => {
  const soon = { ...BOUNDS, idleMs: 1_000 };
  const accepted: Promise<MessageSocket | null>[] = [];
  await withServer(accepted, soon, async (url) => {
    const { hostname, port } = new URL(url);
    const dumb = connectRaw(Number(port), hostname);
    dumb.on("error", () => {});
    dumb.write(["GET /socket HTTP/1.1", "Host: x", ...UPGRADE, "", ""].join("\r\n"));
    dumb.resume();
    await until("the server has a socket", () => accepted.length === 1);
    assert.notEqual((await (await accepted[0])?.ended)?.code, undefined);
    dumb.destroy();
  });
  const dumb = createServer((socket) => {
    socket.on("error", () => {});
    socket.once(
      "data",
      (asked) => void answerHandshake(String(asked)).then((a) => socket.write(a)),
    );
  }).listen(0, "127.0.0.1");
  await once(dumb, "listening");
  const address = dumb.address();
  assert.ok(typeof address === "object" && address !== null);
  const connected = await connect(`ws://127.0.0.1:${address.port}/`, soon);
  assert.ok(connected.ok, connected.ok ? "" : connected.error.message);
  assert.equal((await connected.value.ended).code, 1006);
  dumb.close();
});

for (const isDropped of [false, true]) {
  const what = isDropped ? "a connection that was dropped" : "a connection";
  test(`what came of a message that never ends is kept no longer than ${what} may be silent (DEV-48)`, async () => {
    const accepted: Promise<MessageSocket | null>[] = [];
    await withServer(accepted, { ...BOUNDS, idleMs: 1_000 }, async (url) => {
      const { hostname, port } = new URL(url);
      const sender = connectRaw(Number(port), hostname);
      sender.on("error", () => {});
      sender.write(["GET /socket HTTP/1.1", "Host: x", ...UPGRADE, "", ""].join("\r\n"));
      sender.resume();
      await until("the server has a socket", () => accepted.length === 1);
      const socket = await accepted[0];
      assert.ok(socket);
      // A masked frame of 32 KiB (RFC 6455 §5.2), of which the first half comes.
      sender.write(new Uint8Array([0x82, 0xfe, 0x80, 0x00, 1, 2, 3, 4]));
      sender.write(new Uint8Array(16 * 1024));
      if (isDropped) socket.drop();
      await socket.ended;
      await until("the connection has ended", () => sender.readableEnded || sender.destroyed);
      sender.destroy();
    });
  });
}

test("a connection that is dropped as soon as it is open was answered before", async () => {
  const served = await adapter.serve((_request, { upgrade }) => {
    const upgraded = upgrade?.(BOUNDS);
    upgraded?.socket.then((socket) => socket?.drop());
    return upgraded?.response ?? new Response(null, { status: 400 });
  }, { hostname: "127.0.0.1", port: 0 });
  assert.ok(served.ok);
  const caller = connectRaw(served.value.port, "127.0.0.1");
  caller.write(["GET /socket HTTP/1.1", "Host: x", ...UPGRADE, "", ""].join("\r\n"));
  let answer = "";
  for await (const bytes of caller) answer += bytes;
  assert.match(answer, /^HTTP\/1\.1 101 /);
  await served.value.close();
});

/** Bytes of the message that each of four strangers begins. */
const BEGUN = 60 * 1024 * 1024;
/** Bytes by which the process may grow, while they send and after they have ended. */
const MOST_GROWTH = 40 * 1024 * 1024;

/** Begins a message and does not end it, answers every ping, and no close. */
async function beginMessage(url: string): Promise<{ isOpen(): boolean; leave(): void }> {
  const { hostname, port } = new URL(url);
  const socket = connectRaw(Number(port), hostname);
  let isOpen = true;
  socket.on("error", () => {}).on("close", () => isOpen = false).on("end", () => isOpen = false);
  socket.write(["GET /socket HTTP/1.1", "Host: x", ...UPGRADE, "", ""].join("\r\n"));
  await once(socket, "data");
  // Frames are masked with zeros. Between two of one message others may come (RFC 6455 §5.4).
  socket.on(
    "data",
    (came) => came[0] === 0x89 && socket.write(Uint8Array.of(0x8a, 0x80, 0, 0, 0, 0)),
  );
  const first = new DataView(new ArrayBuffer(14));
  first.setUint16(0, 0x02ff); // bytes, not the last frame, a length of 64 bits
  first.setUint32(6, BEGUN);
  socket.write(new Uint8Array(first.buffer));
  const piece = new Uint8Array(1024 * 1024);
  for (let sent = 0; sent < BEGUN && isOpen; sent += piece.length) {
    await new Promise((written) => socket.write(piece, written));
  }
  return { isOpen: () => isOpen, leave: () => socket.destroy() };
}

for (const end of ["close", "drop"] as const) {
  test(`${end}() ends who begins messages, answers pings and goes on, and gives back what came (DEV-48)`, async () => {
    const accepted: Promise<MessageSocket | null>[] = [];
    await withServer(accepted, { ...BOUNDS, idleMs: 2_000 }, async (url) => {
      const before = process.memoryUsage().rss;
      const growth = () => process.memoryUsage().rss - before;
      const strangers = await Promise.all([1, 2, 3, 4].map(() => beginMessage(url)));
      assert.ok(growth() < MOST_GROWTH, `grown by ${growth()}`);
      for (const socket of accepted) (await socket)?.[end]();
      await until("all have ended", () => strangers.every((stranger) => !stranger.isOpen()));
      for (const socket of accepted) await (await socket)?.ended;
      await until("what came is given back", () => growth() < MOST_GROWTH);
      for (const stranger of strangers) stranger.leave();
    });
  });
}

test("who asks a stream for a connection is sent the stream, and one that breaks ends it", () =>
  withServer([], BOUNDS, async (url) => {
    const { hostname, port } = new URL(url);
    for (const path of ["/stream", "/breaks"]) {
      const asking = connectRaw(Number(port), hostname);
      asking.on("error", () => {});
      let came = "";
      let hasEnded = false;
      asking.on("data", (chunk) => came += String(chunk));
      asking.on("close", () => hasEnded = true);
      asking.write([`GET ${path} HTTP/1.1`, "Host: x", ...UPGRADE, "", ""].join("\r\n"));
      await until(
        `the server has answered ${path}`,
        () => path === "/breaks" ? hasEnded : came.includes("first"),
      );
      asking.destroy();
    }
  }));

test("what a peer goes on to send after the close is not kept (DEV-48)", async () => {
  const accepted: Promise<MessageSocket | null>[] = [];
  await withServer(accepted, BOUNDS, async (url) => {
    const { hostname, port } = new URL(url);
    const stubborn = connectRaw(Number(port), hostname);
    const came: Buffer[] = [];
    stubborn.on("data", (chunk) => came.push(chunk));
    stubborn.write(["GET /socket HTTP/1.1", "Host: x", ...UPGRADE, "", ""].join("\r\n"));
    await until("the server has a socket", () => accepted.length === 1);
    const server = await accepted[0];
    server?.close(1008);
    const close = Buffer.of(0x88, 2, 1008 >> 8, 1008 & 255); // RFC 6455 §5.5.1
    await until("the server has sent its close", () => Buffer.concat(came).includes(close));
    const late = [0x82, 0x81, 0, 0, 0, 0, 7]; // one byte, under a mask of zeros
    stubborn.write(Uint8Array.of(...late, ...late, 0x88, 0x82, 0, 0, 0, 0, 1008 >> 8, 1008 & 255));
    assert.equal(await server?.receive(), null);
    stubborn.destroy();
  });
});

test("a peer that is there, and says nothing, stays", () => {
  const soon = { ...BOUNDS, idleMs: 1_000 };
  return withEnds(async ({ server, client }) => {
    await adapter.createClock().sleep(3_500);
    client.send("still here");
    assert.equal(await server.receive(), "still here");
  }, { atServer: soon, atClient: soon });
});

/** The answer of a server that takes a connection (RFC 6455 §4.2.2) and says no more. */
async function answerHandshake(asked: string): Promise<string> {
  const key = /sec-websocket-key: (\S+)/i.exec(asked)?.[1] ?? "";
  const text = new TextEncoder().encode(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  const accept = btoa(
    String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-1", text))),
  );
  return [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${accept}`,
    "",
    "",
  ].join("\r\n");
}
