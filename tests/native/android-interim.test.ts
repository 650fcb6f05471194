import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { NO_COMPILER } from "../../scripts/gate/native.ts";
import { loadRuntime, packageRoot } from "../../scripts/shared/runtime.ts";
import { withFolder } from "../support/folder.ts";
import { createNativeDevice } from "../support/native-device.ts";
import type { Skip } from "../support/needs.ts";
import { deltaOf, hashOf, openPhone } from "../ota/content-world.ts";
import { EARLY_HINTS } from "../ota/range-server.ts";
import { type Company, foundCompany, withoutOpenssl } from "../toolchain/download-certificates.ts";

// After an interim answer the Java core reads the final one on a connection of its own (DEV-35): that is
// checked as the platform checks its own, and goes through the proxy that the platform goes through.

const BYTES = new Uint8Array(randomBytes(100_000));
const CONTENTS = { "game.js": BYTES };
const COMPILE = join(packageRoot(), "native", "android", "compile");

const compiled = spawnSync(COMPILE, { encoding: "utf8" });
const skip: Skip = compiled.status === NO_COMPILER && compiled.stderr.trim() || withoutOpenssl();

/** Answers each request on a connection as a server does that hints first. @param asked Request lines. */
function answerWithHints(socket: Socket, asked: string[]): void {
  socket.on("error", () => socket.destroy());
  socket.once("data", (head) => {
    asked.push(head.toString("latin1").split("\r\n")[0] ?? "");
    socket.write(`${EARLY_HINTS}HTTP/1.1 200 OK\r\ncontent-length: ${BYTES.length}\r\n\r\n`);
    socket.end(BYTES);
  });
}

function answerAtOnce(socket: Socket): void {
  socket.on("error", () => socket.destroy());
  socket.once("data", () => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${BYTES.length}\r\n\r\n`);
    socket.end(BYTES);
  });
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

/** What a device of its own, in Java with these properties, says of a delta from that address. */
async function staged(folder: string, origin: string, properties: readonly string[]) {
  const before = process.env["SLIPWAY_JAVA_OPTIONS"];
  process.env["SLIPWAY_JAVA_OPTIONS"] = ["-XX:TieredStopAtLevel=1", ...properties].join(" ");
  try {
    const phone = await openPhone(folder);
    const { root, embedded } = phone;
    const options = { ...await loadRuntime(), root, embedded, stallMs: 5_000 };
    const device = createNativeDevice("android", options);
    const answer = await device.stageUpdateDelta(deltaOf("v1", CONTENTS, origin));
    if (answer.ok) phone.assertStaged("v1", CONTENTS);
    await device.kill();
    return answer.ok ? "ok" : answer.detail;
  } finally {
    if (before === undefined) delete process.env["SLIPWAY_JAVA_OPTIONS"];
    else process.env["SLIPWAY_JAVA_OPTIONS"] = before;
  }
}

/** Runs with servers, which end with it. */
async function withServers<T>(servers: readonly Server[], use: () => Promise<T>): Promise<T> {
  const open = new Set<Socket>();
  for (const server of servers) {
    server.on("connection", (socket: Socket) => {
      open.add(socket);
      socket.on("close", () => open.delete(socket)).on("error", () => socket.destroy());
    });
  }
  try {
    return await use();
  } finally {
    for (const socket of open) socket.destroy();
    await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  }
}

/** Properties by which Java trusts these roots alone. */
function trusting(folder: string, roots: readonly string[]): string[] {
  const store = join(folder, "roots.p12");
  for (const root of roots) {
    const named = ["-alias", root, "-file", root, "-keystore", store, "-storepass", "password"];
    const { status, stdout } = spawnSync("keytool", ["-importcert", "-noprompt", ...named], {
      encoding: "utf8",
    });
    assert.equal(status, 0, stdout);
  }
  return [`-Djavax.net.ssl.trustStore=${store}`, "-Djavax.net.ssl.trustStorePassword=password"];
}

/** A company whose files lie in a folder of their own. */
function companyFor(folder: string, names: string): Company {
  mkdirSync(folder);
  return foundCompany(folder, names);
}

const CERTIFICATES: readonly [what: string, names: string, expected: RegExp][] = [
  ["its certificate", "IP:127.0.0.1", /^ok$/],
  ["a certificate for another address", "IP:127.0.0.2", /No subject alternative names/],
];

for (const [what, names, expected] of CERTIFICATES) {
  test(
    `after a hint the final answer comes over TLS from a server with ${what}: ${expected.source} (DEV-35)`,
    { skip },
    (t) =>
      withFolder(async (folder) => {
        const asked: string[] = [];
        const right = companyFor(join(folder, "right"), "IP:127.0.0.1");
        const second = companyFor(join(folder, "second"), names);
        const [first, after] = [right, second].map((company) =>
          createTlsServer(company, (socket) => answerWithHints(socket, asked))
        );
        assert.ok(first !== undefined && after !== undefined);
        const ports = [await listening(first), await listening(after)];
        let connections = 0;
        // The first connection is the platform's own, which takes the hint for the answer.
        const between = createServer((socket) => {
          const port = ports[Math.min(connections++, 1)] ?? 0;
          joined(socket, connect(port, "127.0.0.1"));
        });
        await withServers([first, after, between], async () => {
          const origin = `https://127.0.0.1:${await listening(between)}`;
          // A session that is taken up again shows no certificate.
          const eachAnew = ["protocols=TLSv1.2", "enableSessionTicketExtension=false"];
          const properties = [
            ...trusting(folder, [right.root, second.root]),
            ...eachAnew.map((property) => `-Djdk.tls.client.${property}`),
          ];
          const answer = await staged(join(folder, "phone"), origin, properties);
          if (connections === 1) t.skip("this Java reads on after a hint by itself");
          else assert.match(answer, expected);
        });
      }),
  );
}

test(
  "after a hint the app says what it is, as the platform does (DEV-35)",
  { skip },
  () =>
    withFolder(async (folder) => {
      const heads: string[] = [];
      const server = createServer((socket) => {
        socket.once("data", (head) => void heads.push(head.toString("latin1")));
        answerWithHints(socket, []);
      });
      await withServers([server], async () => {
        const origin = `http://127.0.0.1:${await listening(server)}`;
        assert.equal(await staged(join(folder, "phone"), origin, ["-Dhttp.agent=Phone/1"]), "ok");
        for (const head of heads) assert.match(head, /\r\nuser-agent: Phone\/1/i);
      });
    }),
);

for (const scheme of ["http", "https"] as const) {
  test(
    `after a hint the final answer of ${scheme} comes through the proxy (DEV-35)`,
    { skip },
    () =>
      withFolder(async (folder) => {
        const [asked, askedOfProxy]: [string[], string[]] = [[], []];
        const company = companyFor(join(folder, "company"), "DNS:game.test");
        const server = scheme === "http"
          ? createServer((socket) => answerWithHints(socket, asked))
          : createTlsServer(company, (socket) => answerWithHints(socket, asked));
        const port = await listening(server);
        const proxy = createServer((socket) =>
          socket.once("data", (head) => {
            const line = head.toString("latin1").split("\r\n")[0] ?? "";
            askedOfProxy.push(line);
            const behind = connect(port, "127.0.0.1");
            if (line.startsWith("CONNECT")) socket.write("HTTP/1.1 200 Connected\r\n\r\n");
            else behind.write(head);
            joined(socket, behind);
          })
        );
        await withServers([server, proxy], async () => {
          const properties = [
            ...trusting(folder, [company.root]),
            `-D${scheme}.proxyHost=127.0.0.1`,
            `-D${scheme}.proxyPort=${await listening(proxy)}`,
          ];
          const phone = join(folder, "phone");
          assert.equal(await staged(phone, `${scheme}://game.test`, properties), "ok");
          const path = `/${hashOf(BYTES)}`;
          assert.deepEqual(
            askedOfProxy.at(-1),
            scheme === "http"
              ? `GET http://game.test${path} HTTP/1.1`
              : "CONNECT game.test:443 HTTP/1.1",
          );
          if (scheme === "https") assert.equal(asked.at(-1), `GET ${path} HTTP/1.1`);
        });
      }),
  );
}

/** A port on which no server listens. */
async function deadPort(): Promise<number> {
  const server = createServer();
  const port = await listening(server);
  await new Promise((closed) => server.close(closed));
  return port;
}

for (
  const { title, list, throughProxy } of [
    { title: "the second proxy of a list", list: "dead;proxy;DIRECT", throughProxy: true },
    { title: "no proxy, where a list ends so", list: "dead;dead;DIRECT", throughProxy: false },
  ]
) {
  test(
    `after a hint the final answer comes through ${title}`,
    { skip },
    () =>
      withFolder(async (folder) => {
        const askedOfProxy: string[] = [];
        const server = createServer((socket) => answerWithHints(socket, []));
        const port = await listening(server);
        const proxy = createServer((socket) => answerWithHints(socket, askedOfProxy));
        const [dead, proxyPort] = [await deadPort(), await listening(proxy)];
        const proxies = list.replaceAll("dead", `127.0.0.1:${dead}`)
          .replace("proxy", `127.0.0.1:${proxyPort}`);
        await withServers([server, proxy], async () => {
          const origin = `http://127.0.0.1:${port}`;
          const properties = [`-Dslipway.proxies=${proxies}`];
          assert.equal(await staged(join(folder, "phone"), origin, properties), "ok");
          assert.equal(
            askedOfProxy.at(-1),
            throughProxy ? `GET ${origin}/${hashOf(BYTES)} HTTP/1.1` : undefined,
          );
        });
      }),
  );
}

/** A program that listens and never accepts: its queue is full, so that who connects waits. */
const SILENT = `
  import java.net.*;
  class Silent {
    public static void main(String[] args) throws Exception {
      ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      try {
        while (true) new Socket().connect(server.getLocalSocketAddress(), 500);
      } catch (SocketTimeoutException full) {
        System.out.println(server.getLocalPort());
      }
      System.in.read();
    }
  }`;

test(
  "silent proxies at the head of a list leave time to what follows them",
  { skip },
  () =>
    withFolder(async (folder) => {
      const source = join(folder, "Silent.java");
      writeFileSync(source, SILENT);
      const silent = spawn("java", [source], { stdio: ["pipe", "pipe", "inherit"] });
      try {
        const port = await new Promise<string>((answer) => {
          silent.stdout.once("data", (line) => answer(String(line).trim()));
          silent.once("close", () => answer("")); // it failed
        });
        assert.match(port, /^[0-9]+$/);
        for (const respond of [answerWithHints, answerAtOnce]) {
          const server = createServer((socket) => respond(socket, []));
          const origin = `http://127.0.0.1:${await listening(server)}`;
          await withServers([server], async () => {
            const list = `127.0.0.1:${port};127.0.0.1:${port};DIRECT`;
            const phone = join(folder, respond.name);
            assert.equal(await staged(phone, origin, [`-Dslipway.proxies=${list}`]), "ok");
          });
        }
      } finally {
        silent.kill();
      }
    }),
);

function joined(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  other.on("error", () => one.destroy());
  one.on("close", () => other.destroy());
}
