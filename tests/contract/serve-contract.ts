import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import process from "node:process";
import { test } from "node:test";
import type { Handler, serve as Serve, Server } from "../../adapters/node/serve.ts";
import { failureOf, type Skip, withoutIPv6 } from "../support/needs.ts";
import { until } from "../support/until.ts";
import { withResolvers } from "../support/with-resolvers.ts";

/** What serving HTTP promises. */
export function serveContract(serve: typeof Serve): void {
  const withServer: WithServer = async (handler, use, hostname = "127.0.0.1") => {
    const served = await serve(handler, { hostname, port: 0 });
    assert.ok(served.ok, "nothing listens");
    try {
      await use(served.value);
    } finally {
      await served.value.close();
    }
  };
  answering(withServer);
  refusing(withServer);
  listening(serve, withServer);
  disconnecting(withServer);
  closing(serve);
  telling(withServer);
}

type WithServer = (
  handler: Handler,
  use: (server: Server) => Promise<void>,
  hostname?: string,
) => Promise<void>;

/** How often a free port is tried again: in between, any program of the machine may take it. */
const ROUNDS = 20;

/** An answer that says one thing and then stays open, until `cancelled`. */
function eventStream(cancelled: () => void = () => {}): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(": hello\n\n")),
    cancel: cancelled,
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function answering(withServer: WithServer): void {
  test("serve() answers a GET with status, headers and body", () =>
    withServer((request) => {
      const { pathname, search } = new URL(request.url);
      return new Response(`${request.method} ${pathname}${search}`, {
        status: 418,
        headers: { "x-asked": request.headers.get("x-ask") ?? "" },
      });
    }, async ({ url }) => {
      const answer = await fetch(`${url}/a%20b?c=d`, { headers: { "x-ask": "yes" } });
      assert.deepEqual([answer.status, answer.headers.get("x-asked")], [418, "yes"]);
      assert.equal(await answer.text(), "GET /a%20b?c=d");
    }));

  test("serve() streams a body in and out again", () =>
    withServer((request) => new Response(request.body), async ({ url }) => {
      const piece = new Uint8Array(64 * 1024).fill(7);
      let left = 32;
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => left-- > 0 ? controller.enqueue(piece) : controller.close(),
      });
      const init = { method: "POST", body, duplex: "half" } as const;
      const answer = new Uint8Array(await (await fetch(url, init)).arrayBuffer());
      assert.equal(answer.length, 32 * piece.length);
      assert.ok(answer.every((byte) => byte === 7));
    }));

  test("serve() sends each piece of a stream as it comes", () =>
    withServer(() => eventStream(), async ({ url }) => {
      const reader = (await fetch(url)).body?.getReader();
      const first = await reader?.read();
      assert.equal(new TextDecoder().decode(first?.value), ": hello\n\n");
      await reader?.cancel();
    }));

  test("serve() answers 500 where the handler throws, and goes on", () =>
    withServer((request) => {
      if (request.url.endsWith("/broken")) throw new Error("the handler is broken on purpose");
      return new Response("fine");
    }, async ({ url }) => {
      const broken = await fetch(`${url}/broken`);
      assert.equal(broken.status, 500);
      assert.doesNotMatch(await broken.text(), /on purpose/);
      assert.equal(await (await fetch(url)).text(), "fine");
    }));
}

function refusing(withServer: WithServer): void {
  test("serve() takes 60 KB of cookies: pages of other ports of this machine may have set them", () =>
    withServer(
      ({ headers }) => new Response(`${headers.get("cookie")?.length}`),
      async ({ port }) => {
        assert.match(await askRaw(port, withCookies(port, 60_000)), /^HTTP\/1\.1 200 [^]*60000/);
      },
    ));

  test("serve() says how to get rid of more cookies than it takes", () =>
    withServer(() => new Response("ok"), async ({ port }) => {
      const answer = await askRaw(port, withCookies(port, 700_000));
      assert.match(answer, /^HTTP\/1\.1 431 [^]*Remove the cookies of this address/);
    }));

  test("serve() hands over the last of 3,000 headers", () =>
    withServer(
      ({ headers }) => new Response(headers.get("last")),
      async ({ port }) => {
        const many = Array.from({ length: 3_000 }, (_, at) => `x${at}: y`);
        const lines = [`Host: 127.0.0.1:${port}`, "Connection: close", ...many, "Last: is here"];
        const asked = ["GET / HTTP/1.1", ...lines, "", ""].join("\r\n");
        assert.match(await askRaw(port, asked), /^HTTP\/1\.1 200 [^]*is here/);
      },
    ));

  test("serve() cuts an answer whose body breaks, and goes on", () => {
    const answered = withResolvers();
    return withServer((request) => {
      if (!request.url.endsWith("/broken")) return new Response("fine");
      let pulls = 0;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (pulls++ === 0) return controller.enqueue(new TextEncoder().encode("half"));
          await answered.promise; // the headers have gone out
          controller.error(new Error("the body is broken on purpose"));
        },
      });
      return new Response(body);
    }, async ({ url }) => {
      const broken = await fetch(`${url}/broken`);
      answered.resolve();
      await assert.rejects(broken.text());
      assert.equal(await (await fetch(url)).text(), "fine");
    });
  });

  test("serve() answers 400 where the Host makes no URL, and does not ask the handler", async () => {
    let asked = 0;
    await withServer(() => {
      asked++;
      return new Response("ok");
    }, async ({ port }) => {
      const answer = await askRaw(port, "GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n");
      assert.match(answer, /^HTTP\/1\.1 400 /);
    });
    assert.equal(asked, 0);
  });
}

/** A request whose cookies have so many characters. */
function withCookies(port: number, characters: number): string {
  const cookie = "x".repeat(characters);
  return `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n`;
}

/** Sends bytes and reads what comes back until the connection ends. */
function askRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.on("data", (chunk) => answer += chunk);
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}

function listening(serve: typeof Serve, withServer: WithServer): void {
  test("serve() on port 0 picks a free port and says which", () =>
    withServer(() => new Response("ok"), ({ url, port }) => {
      assert.ok(port > 0 && port < 65_536, String(port));
      assert.equal(url, `http://127.0.0.1:${port}`);
      return Promise.resolve();
    }));

  test("serve() tells a port that is in use as a failure that names it", () =>
    withServer(() => new Response("first"), async ({ url, port }) => {
      const second = await serve(() => new Response("second"), { hostname: "127.0.0.1", port });
      assert.ok(!second.ok);
      assert.equal(second.error.code, "port-in-use");
      assert.ok(second.error.message.includes(`127.0.0.1:${port}`), second.error.message);
      assert.notEqual(second.error.next, undefined);
      assert.equal(await (await fetch(url)).text(), "first");
    }));

  test("serve() tells an address that is not of this machine as a failure", async () => {
    // RFC 5737: this address is for documents, so no machine has it.
    const served = await serve(() => new Response("ok"), { hostname: "192.0.2.1", port: 0 });
    assert.ok(!served.ok);
    assert.equal(served.error.code, "address-not-available");
  });

  for (const port of [-1, 65_536]) {
    test(`serve() tells port ${port} as a failure that says what a port is`, async () => {
      const served = await serve(() => new Response("ok"), { hostname: "127.0.0.1", port });
      assert.ok(!served.ok);
      assert.equal(served.error.code, "other");
      assert.match(
        served.error.message,
        new RegExp(`:${port}: a port is a whole number from 0 to`),
      );
    });
  }

  for (const hostname of ["::1", "[::1]"]) {
    test(
      `serve() takes ${hostname}, and writes it in brackets`,
      { skip: withoutIPv6 },
      () =>
        withServer(() => new Response("ok"), async ({ url, port }) => {
          assert.equal(url, `http://[::1]:${port}`);
          assert.equal(await (await fetch(url)).text(), "ok");
        }, hostname),
    );
  }

  test("serve() serves two at once, and closing one leaves the other", () =>
    withServer(() => new Response("one"), async (one) => {
      await withServer(() => new Response("two"), async (two) => {
        assert.notEqual(one.port, two.port);
        const answers = await Promise.all([fetch(one.url), fetch(two.url)]);
        assert.deepEqual(await Promise.all(answers.map((a) => a.text())), ["one", "two"]);
      });
      assert.equal(await (await fetch(one.url)).text(), "one");
    }));
}

function disconnecting(withServer: WithServer): void {
  test("serve() aborts request.signal when the client leaves before the answer", async () => {
    const requests: Request[] = [];
    const leave = new AbortController();
    await withServer((request) => {
      requests.push(request);
      const { signal } = request;
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(new Response("nobody reads this")));
      });
    }, async ({ url }) => {
      const asked = fetch(url, { signal: leave.signal });
      await until("the request has arrived", () => requests.length === 1);
      assert.equal(requests[0]?.signal.aborted, false);
      leave.abort();
      await assert.rejects(asked, { name: "AbortError" });
      await until("the signal of the request is aborted", () => requests[0]?.signal.aborted);
    });
  });

  test("serve() cancels an event stream and aborts request.signal when its reader leaves", async () => {
    const signals: AbortSignal[] = [];
    let cancelled = 0;
    await withServer((request) => {
      signals.push(request.signal);
      return eventStream(() => cancelled++);
    }, async ({ url }) => {
      const leave = new AbortController();
      const reader = (await fetch(url, { signal: leave.signal })).body?.getReader();
      await reader?.read();
      assert.deepEqual([signals.length, signals[0]?.aborted, cancelled], [1, false, 0]);
      leave.abort();
      await reader?.read().catch(() => undefined);
      await until("the stream is cancelled", () => cancelled === 1);
      await until("the signal of the request is aborted", () => signals[0]?.aborted);
    });
  });

  test("serve() leaves request.signal alone where the answer was read to its end", async () => {
    const signals: AbortSignal[] = [];
    await withServer((request) => {
      signals.push(request.signal);
      return new Response("ok");
    }, async ({ url }) => {
      for (let i = 0; i < 3; i++) await (await fetch(url)).text();
      assert.deepEqual(signals.map(({ aborted }) => aborted), [false, false, false]);
    });
  });
}

function closing(serve: typeof Serve): void {
  test("Server.close() ends open event streams and may be called again", async () => {
    let cancelled = 0;
    const served = await serve(() => eventStream(() => cancelled++), {
      hostname: "127.0.0.1",
      port: 0,
    });
    assert.ok(served.ok);
    const { url, close } = served.value;
    const readers = [];
    for (let i = 0; i < 3; i++) {
      const reader = (await fetch(url)).body?.getReader();
      await reader?.read();
      readers.push(reader);
    }
    await close();
    for (const reader of readers) {
      const last = await reader?.read().catch(() => ({ done: true }));
      assert.equal(last?.done, true);
    }
    await until("all three streams are cancelled", () => cancelled === 3);
    await close();
  });

  test("Server.close() frees the port", async () => {
    let freed = false;
    for (let round = 0; round < ROUNDS && !freed; round++) {
      const first = await serve(() => new Response("first"), { hostname: "127.0.0.1", port: 0 });
      assert.ok(first.ok);
      const { url, port } = first.value;
      assert.equal(await (await fetch(url)).text(), "first");
      await first.value.close();
      const again = await serve(() => new Response("again"), { hostname: "127.0.0.1", port });
      if (!again.ok) continue;
      freed = await (await fetch(url)).text() === "again";
      await again.value.close();
    }
    assert.ok(freed, "the port is still taken");
  });

  test("Server.close() does not wait for a handler that never answers", async () => {
    let arrived = false;
    const served = await serve(() => {
      arrived = true;
      return new Promise<Response>(() => {});
    }, { hostname: "127.0.0.1", port: 0 });
    assert.ok(served.ok);
    const asked = fetch(served.value.url).then(() => "answered", () => "refused");
    await until("the request has arrived", () => arrived);
    await served.value.close();
    assert.equal(await asked, "refused");
  });
}

/** Nobody's, on every Linux, unless that is who runs this: a user needs no entry in a list of names. */
const ANOTHER_UID = process.getuid?.() === 65_534 ? 65_533 : 65_534;

/** How a program of another user is started. */
const AS_ANOTHER = { uid: ANOTHER_UID, gid: ANOTHER_UID, cwd: "/" };

/** Tests whose caller is a program of another user, in Perl: it chooses the port that it calls from. */
const withoutOtherUsers: Skip = process.platform !== "linux"
  ? "only Linux tells who opened a connection"
  : whyNoPerlOfAnother();

function whyNoPerlOfAnother(): Skip {
  const ask = ["-MIO::Socket::INET", "-e", "1"];
  const ran = spawnSync("perl", ask, { ...AS_ANOTHER, encoding: "utf8" });
  const expected = "perl on PATH, and root with the right to run it as another user";
  return failureOf(`Perl's IO::Socket as user ${ANOTHER_UID}`, ran, expected);
}

/**
 * Asks as another user of this machine. @param from The port to call from; any when 0.
 * @returns Nothing where some other program has that port.
 */
function askAsAnother(port: number, from = 0): Promise<string> {
  const script = `use IO::Socket::INET;
    my $socket = IO::Socket::INET->new(PeerHost => "127.0.0.1", PeerPort => ${port},
      LocalHost => "127.0.0.1", LocalPort => ${from}, ReuseAddr => 1) or die "cannot connect: $@";
    print $socket "GET / HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nConnection: close\\r\\n\\r\\n";
    print while <$socket>;`;
  const child = spawn("perl", ["-e", script], {
    ...AS_ANOTHER,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let answer = "";
  child.stdout.on("data", (chunk) => answer += String(chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(answer));
  });
}

function telling(withServer: WithServer): void {
  const tells = process.platform === "linux" ? "same" : "unknown";
  for (const hostname of ["127.0.0.1", "::1"]) {
    test(
      `Peer.user() is ${tells} for a program of this user on ${hostname}`,
      { skip: hostname === "::1" && withoutIPv6 },
      () =>
        withServer(async (_request, peer) => new Response(await peer.user()), async ({ url }) => {
          for (let i = 0; i < 3; i++) assert.equal(await (await fetch(url)).text(), tells);
        }, hostname),
    );
  }

  const gone = tells === "same" ? "another" : "unknown";
  test(`Peer.user() is ${gone} for a caller that has hung up`, async () => {
    const reported: string[] = [];
    await withServer(async (request, peer) => {
      const { signal } = request;
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      reported.push(await peer.user());
      return new Response();
    }, async ({ port }) => {
      const text = `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 0\r\n\r\n`;
      const socket = connect(port, "127.0.0.1", () => socket.write(text, () => socket.destroy()));
      await until("the handler has seen that the caller left", () => reported.length === 1);
    });
    assert.deepEqual(reported, [gone]);
  });

  test(
    "Peer.user() is another for a program of another user",
    { skip: withoutOtherUsers },
    () =>
      withServer(
        async (_request, peer) => new Response(await peer.user()),
        async ({ port, url }) => {
          assert.match(await askAsAnother(port), /another$/);
          assert.equal(await (await fetch(url)).text(), "same");
        },
      ),
  );

  test(
    "Peer.user() is another for a program of another user on a port that was this user's just now",
    { skip: withoutOtherUsers },
    () =>
      withServer(
        async (_request, peer) => new Response(await peer.user()),
        async ({ port }) => {
          let reported = "";
          for (let round = 0; round < ROUNDS && reported === ""; round++) {
            const socket = connect(port, "127.0.0.1");
            await once(socket, "connect");
            const { localPort } = socket;
            socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
            let answer = "";
            for await (const bytes of socket) answer += String(bytes);
            assert.match(answer, /same$/);
            reported = await askAsAnother(port, localPort);
          }
          assert.match(reported, /another$/);
        },
      ),
  );
}
