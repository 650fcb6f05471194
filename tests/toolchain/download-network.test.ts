import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { afterTests } from "../support/after-tests.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import type { InstallFailureCode } from "../../lib/toolchain/work/failure.ts";
import { networkFailure } from "../../lib/toolchain/download/network-failure.ts";
import type { Environment } from "../../lib/core/proxy.ts";
import { CLOSED_PORT } from "../support/closed-port.ts";
import { withFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { foundCompany, withoutOpenssl } from "./download-certificates.ts";
import { BODY, listen, run } from "./download-world.ts";

// Every failure of the network for real, on whichever runtime this runs: what it throws is what
// networkFailure() has to tell apart.

const folder = mkdtempSync(join(tmpdir(), "slipway-test-"));
const open: { close(): unknown }[] = [];
afterTests(() => {
  for (const server of open) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const { createFetch } = "Deno" in globalThis
  ? await import("../../adapters/deno/fetch.ts")
  : await import("../../adapters/node/fetch.ts");

async function opened(server: Server): Promise<number> {
  open.push(server);
  return await listen(server);
}

type Proxying = "works" | "is silent" | "hangs up" | "talks nonsense" | 403 | 407 | 502;

interface TestProxy {
  readonly port: number;
  /** `CONNECT host:port`, or the whole address of a plain request, with what it was sent as. */
  readonly seen: string[];
}

/** Every name leads to this machine through it. */
async function startProxy(how: Proxying, targetPort: number): Promise<TestProxy> {
  const seen: string[] = [];
  const proxy = createHttpServer((request, response) => {
    seen.push(`${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    if (how === "hangs up") return void request.socket.destroy();
    response.writeHead(typeof how === "number" ? how : 200).end(BODY);
  });
  proxy.on("connect", (request, socket) => {
    seen.push(
      `CONNECT ${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim(),
    );
    socket.on("error", () => undefined);
    if (how === "is silent") return void socket.on("end", () => seen.push("closed")).resume();
    if (how === "hangs up") return void socket.destroy();
    if (how === "talks nonsense") return void socket.end("SSH-2.0-OpenSSH\r\n\r\n");
    if (how !== "works") return void socket.end(`HTTP/1.1 ${how} No\r\ncontent-length: 0\r\n\r\n`);
    const target = connect(targetPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    target.on("error", () => socket.destroy());
  });
  return { port: await opened(proxy), seen };
}

const noOpenssl = withoutOpenssl();
const company = noOpenssl ? null : foundCompany(folder, "DNS:files.test,IP:127.0.0.1");
const secure = company === null
  ? 0
  : await opened(createHttpsServer(company, (_, response) => void response.end(BODY)));
const plain = await opened(createHttpServer((_, response) => void response.end(BODY)));
const trusting: Environment = company === null ? {} : { NODE_EXTRA_CA_CERTS: company.root };
const notHere = join(folder, "not-here.pem");

/** What is tried, and what it must come to. */
interface Try {
  readonly name: string;
  readonly url: string;
  readonly env?: Environment;
  /** `null` where it must work. */
  readonly code: InstallFailureCode | null;
  readonly message?: RegExp;
  readonly next?: RegExp;
  readonly skip?: string | false;
}

const TRIES: readonly Try[] = [
  { name: "plain http", url: `http://127.0.0.1:${plain}/`, code: null },
  {
    name: "a name that nobody has",
    url: "https://no-such-host.invalid/tool.zip",
    code: "dns",
    message: /no-such-host\.invalid cannot be found/,
    next: /HTTPS_PROXY/,
  },
  {
    name: "a port that nobody listens on",
    url: `http://127.0.0.1:${CLOSED_PORT}/tool.zip`,
    code: "connect",
    message: /no connection to 127\.0\.0\.1 \(.*refused/i,
    next: /firewall/,
  },
  {
    name: "a certificate of a root that nobody knows",
    url: `https://127.0.0.1:${secure}/tool.zip`,
    code: "tls",
    message: /certificate of 127\.0\.0\.1 is not trusted/,
    next: /NODE_EXTRA_CA_CERTS/,
    skip: noOpenssl,
  },
  {
    name: "a certificate for another name",
    url: `https://localhost:${secure}/tool.zip`,
    env: trusting,
    code: "tls",
    skip: noOpenssl,
  },
  {
    name: "https on a port that speaks plain http",
    url: `https://127.0.0.1:${plain}/tool.zip`,
    code: "tls",
  },
  {
    name: "a file of certificates that is not there",
    url: `https://127.0.0.1:${secure}/tool.zip`,
    env: { SSL_CERT_FILE: notHere },
    code: "tls",
    message: /SSL_CERT_FILE: .*not-here\.pem/,
    skip: noOpenssl,
  },
  ...["NODE_EXTRA_CA_CERTS", "DENO_CERT", "SSL_CERT_FILE"].map((name): Try => ({
    name: `a root that ${name} adds`,
    url: `https://127.0.0.1:${secure}/tool.zip`,
    env: { [name]: company?.root, ...(name !== "DENO_CERT" && { DENO_CERT: notHere }) },
    code: null,
    skip: noOpenssl,
  })),
  ...await proxied(),
];

test("a tunnel that nobody waits for any more is closed", async () => {
  const { port, seen } = await startProxy("is silent", secure);
  const fetch = createFetch({ environment: { HTTPS_PROXY: `http://127.0.0.1:${port}` } });
  const stop = new AbortController();
  const call = fetch("https://files.test/tool.zip", { signal: stop.signal });
  const given = assert.rejects(call, /enough/);
  await until("the proxy has the request", () => seen.length > 0);
  stop.abort(new Error("enough"));
  await given;
  await until("the proxy has seen the end of the tunnel", () => seen.length > 1);
  assert.deepEqual(seen, ["CONNECT files.test:443", "closed"]);
});

async function proxied(): Promise<readonly Try[]> {
  const port = async (how: Proxying) => (await startProxy(how, secure)).port;
  const refusals: readonly (readonly [Proxying, RegExp])[] = [
    [407, /407|authentication required/],
    [403, /403|unsuccessful tunnel/],
    [502, /502|unsuccessful tunnel/],
    ["hangs up", /./],
    ["talks nonsense", /./],
  ];
  const env = (address: string): Environment => ({ ...trusting, HTTPS_PROXY: address });
  return [
    {
      name: "a proxy that works",
      url: "https://files.test/tool.zip",
      env: env(`http://127.0.0.1:${await port("works")}`),
      code: null,
      skip: noOpenssl,
    },
    {
      name: "a proxy that works, to a server that is not trusted",
      url: "https://files.test/tool.zip",
      env: { HTTPS_PROXY: `127.0.0.1:${await port("works")}` },
      code: "tls",
      skip: noOpenssl,
    },
    ...await Promise.all(refusals.map(async ([how, message]): Promise<Try> => ({
      name: `a proxy that ${typeof how === "number" ? `answers ${how}` : how}`,
      url: "https://files.test/tool.zip",
      env: env(`http://me:secret@127.0.0.1:${await port(how)}`),
      code: "proxy",
      message: new RegExp(
        `the proxy http://me:\\*\\*\\*@127[^ ]* gives no way .*${message.source}`,
      ),
      next: /HTTPS_PROXY.*NO_PROXY/,
    }))),
    {
      name: "a proxy that nobody listens for",
      url: "https://files.test/tool.zip",
      env: env(`http://127.0.0.1:${CLOSED_PORT}`),
      code: "proxy",
      message: /refused/i,
    },
    {
      name: "a proxy of a name that nobody has",
      url: "https://files.test/tool.zip",
      env: env("http://no-such-host.invalid:3128"),
      code: "proxy",
    },
    {
      name: "a plain address through a proxy that asks who it is",
      url: "http://files.test/tool.zip",
      env: { http_proxy: `http://127.0.0.1:${await port(407)}` },
      code: "proxy",
    },
    {
      name: "a proxy of an unknown kind",
      url: "https://files.test/tool.zip",
      env: { ALL_PROXY: "socks5://me:secret@127.0.0.1:1080" },
      code: "proxy",
      message: /ALL_PROXY names a proxy of the kind socks5, expected a/,
    },
  ];
}

for (const { name, url, env = {}, code, message = /./, next = /./, skip = false } of TRIES) {
  test(
    `download() ${code === null ? "works" : `fails as ${code}`} with ${name}`,
    { skip },
    () =>
      withFolder(async (to) => {
        const dependencies = { fetch: createFetch({ environment: env }) };
        const { result } = await run(url, join(to, "tool"), { dependencies });
        if (code === null) {
          assert.ok(result.ok, JSON.stringify(result));
          return;
        }
        assert.ok(!result.ok);
        assert.equal(result.error.code, code, result.error.message);
        assert.match(result.error.message, message);
        assert.match(result.error.next, next);
        assert.doesNotMatch(JSON.stringify(result), /secret/);
      }),
  );
}

test("createFetch() gives a proxy its credentials, and goes straight where NO_PROXY says so", async () => {
  const proxy = await startProxy("works", plain);
  const fetch = createFetch({
    environment: {
      HTTP_PROXY: `http://me:p%40ss@127.0.0.1:${proxy.port}`,
      NO_PROXY: `.invalid`,
    },
  });
  const credentials = `Basic ${btoa("me:p@ss")}`;
  assert.equal((await fetch("http://files.test/a")).status, 200);
  assert.equal((await fetch(`http://127.0.0.1:${plain}/b`)).status, 200);
  await assert.rejects(fetch("http://direct.invalid/"), (thrown) => {
    assert.equal(networkFailure(thrown).code, "dns");
    return true;
  });
  assert.deepEqual(proxy.seen, [`http://files.test/a ${credentials}`]);
});

test(
  "createFetch() opens a tunnel with credentials for https",
  { skip: noOpenssl },
  async () => {
    const proxy = await startProxy("works", secure);
    const environment = { ...trusting, https_proxy: `http://me:pw@127.0.0.1:${proxy.port}` };
    const response = await createFetch({ environment })("https://files.test/a");
    assert.equal((await response.arrayBuffer()).byteLength, BODY.length);
    assert.deepEqual(proxy.seen, [`CONNECT files.test:443 Basic ${btoa("me:pw")}`]);
  },
);

test("createFetch() sends bodies through a proxy, and passes an abort on as it is", async () => {
  const proxy = await startProxy("works", plain);
  const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` };
  const fetch: Fetch = createFetch({ environment });
  const response = await fetch("http://files.test/put", { method: "PUT", body: "text" });
  await response.body?.cancel();
  assert.equal(response.status, 200);
  const reason = new Error("enough");
  await assert.rejects(
    fetch("http://files.test/", { signal: AbortSignal.abort(reason) }),
    (thrown) => thrown === reason || (thrown instanceof Error && thrown.name === "AbortError"),
  );
});

const decidesBeforehand = "Deno" in globalThis &&
  "Deno's client is given its certificates before it knows where an address leads";

test(
  "createFetch() reads certificates for TLS alone, also where an http address leads to it",
  { skip: noOpenssl || decidesBeforehand },
  async () => {
    const leading = await opened(
      createHttpServer((_, response) =>
        void response.writeHead(302, { location: `https://127.0.0.1:${secure}/` }).end()
      ),
    );
    const fetch = createFetch({ environment: trusting });
    const headers = { "accept-encoding": "identity" };
    const response = await fetch(`http://127.0.0.1:${leading}/`, { headers });
    assert.equal((await response.arrayBuffer()).byteLength, BODY.length);
    const unknowing = createFetch({ environment: {} });
    await assert.rejects(unknowing(`http://127.0.0.1:${leading}/`, { headers }));
  },
);

test(
  "createFetch() skips what is no certificate in a file of them",
  { skip: noOpenssl },
  async () => {
    const path = join(folder, "mixed.pem");
    const { readFileSync } = await import("node:fs");
    const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    writeFileSync(path, broken + readFileSync(company?.root ?? "", "utf8"));
    const fetch = createFetch({ environment: { SSL_CERT_FILE: path } });
    const response = await fetch(`https://127.0.0.1:${secure}/`);
    await response.body?.cancel();
    assert.equal(response.status, 200);
  },
);
