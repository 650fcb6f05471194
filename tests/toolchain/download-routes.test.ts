import assert from "node:assert/strict";
import { test } from "node:test";
import { FetchError } from "../../lib/core/fetch-error.ts";
import { mirroredUrl } from "../../lib/toolchain/download/mirrors.ts";
import { networkFailure } from "../../lib/toolchain/download/network-failure.ts";
import { basicCredentials, describeNetwork, proxyFor } from "../../lib/core/proxy.ts";

const MIRRORS = {
  "https://a.org": "https://m.org/a",
  "https://a.org/deep/": "file-like://x/",
  "https://a.org/deep/er": "https://deeper.org",
  "": "https://everything.org",
};

for (
  const [url, want, mirrorOf] of [
    ["https://a.org/x?y=1", "https://m.org/a/x?y=1", "https://a.org"],
    ["https://a.org", "https://m.org/a", "https://a.org"],
    ["https://a.org/deep/x", "file-like://x/x", "https://a.org/deep/"],
    ["https://a.org/deep/er/x", "https://deeper.org/x", "https://a.org/deep/er"],
    ["https://a.org/deep/ermine", "file-like://x/ermine", "https://a.org/deep/"],
    ["https://a.org.evil.net/x", "https://a.org.evil.net/x", null],
    ["https://b.org/x", "https://b.org/x", null],
  ] as const
) {
  test(`mirroredUrl() leads ${url} to ${want}`, () => {
    assert.deepEqual(mirroredUrl(url, MIRRORS), { url: want, mirrorOf });
  });
}

const P = "http://p:1";

for (
  const [url, env, want] of [
    ["https://a.org/", {}, null],
    ["https://a.org/", { HTTPS_PROXY: P }, "http://p:1/"],
    ["https://a.org/", { https_proxy: P, HTTPS_PROXY: "http://other" }, "http://p:1/"],
    ["https://a.org/", { Https_Proxy: P }, "http://p:1/"],
    ["https://a.org/", { https_proxy: " ", HTTPS_PROXY: P }, "http://p:1/"],
    ["https://a.org/", { HTTP_PROXY: P }, null],
    ["http://a.org/", { HTTP_PROXY: P }, "http://p:1/"],
    ["http://a.org/", { ALL_PROXY: "p:1" }, "http://p:1/"],
    ["http://a.org/", { ALL_PROXY: "http://other", http_proxy: P }, "http://p:1/"],
    ["https://a.org/", { HTTPS_PROXY: P, NO_PROXY: "*" }, null],
    ["https://a.org/", { HTTPS_PROXY: P, no_proxy: "b.org, a.org" }, null],
    ["https://x.a.org/", { HTTPS_PROXY: P, NO_PROXY: "a.org" }, null],
    ["https://x.a.org/", { HTTPS_PROXY: P, NO_PROXY: ".a.org" }, null],
    ["https://x.a.org/", { HTTPS_PROXY: P, NO_PROXY: "*.A.org" }, null],
    ["https://xa.org/", { HTTPS_PROXY: P, NO_PROXY: "a.org" }, "http://p:1/"],
    ["https://a.org/", { HTTPS_PROXY: P, NO_PROXY: "a.org:8443" }, "http://p:1/"],
    ["https://a.org:8443/", { HTTPS_PROXY: P, NO_PROXY: "a.org:8443" }, null],
    ["https://a.org/", { HTTPS_PROXY: P, NO_PROXY: "a.org:443" }, null],
    ["https://10.1.2.3/", { HTTPS_PROXY: P, NO_PROXY: "10.0.0.0/8" }, null],
    ["https://11.1.2.3/", { HTTPS_PROXY: P, NO_PROXY: "10.0.0.0/8" }, "http://p:1/"],
    ["https://a.org/", { HTTPS_PROXY: P, NO_PROXY: "10.0.0.0/8 0.0.0.0/0" }, "http://p:1/"],
    ["https://[fd00::1]/", { HTTPS_PROXY: P, NO_PROXY: "fd00::1" }, null],
    ["https://[fd00::1]:8/", { HTTPS_PROXY: P, NO_PROXY: "[fd00::1]:8" }, null],
    ["https://[fd00::1]:9/", { HTTPS_PROXY: P, NO_PROXY: "[fd00::1]:8" }, "http://p:1/"],
    ["http://localhost:1/", { HTTP_PROXY: P }, null],
    ["http://127.0.0.1:1/", { HTTP_PROXY: P }, null],
    ["http://[::1]:1/", { HTTP_PROXY: P }, null],
  ] as const
) {
  test(`proxyFor() ${url} with ${JSON.stringify(env)}`, () => {
    const choice = proxyFor(url, env);
    assert.equal(choice === null ? null : "url" in choice ? choice.url : choice.problem, want);
  });
}

test("describeNetwork() hides passwords and tells what cannot be used", () => {
  const found = describeNetwork({
    HTTPS_PROXY: "http://me:secret@proxy.corp:3128",
    http_proxy: "socks5://me:secret@proxy.corp",
    NO_PROXY: "*",
    NODE_EXTRA_CA_CERTS: "/etc/corp.pem",
    DENO_CERT: "",
  });
  assert.deepEqual(found, {
    https: "http://me:***@proxy.corp:3128 (HTTPS_PROXY)",
    http: null,
    exceptions: "*",
    certificates: { NODE_EXTRA_CA_CERTS: "/etc/corp.pem" },
    problems: [
      "http_proxy names a proxy of the kind socks5, expected a proxy of the kind http or https",
    ],
  });
  assert.deepEqual(describeNetwork({}), {
    https: null,
    http: null,
    exceptions: null,
    certificates: {},
    problems: [],
  });
});

for (
  const [url, want] of [
    ["http://a/", null],
    ["http://me@a/", "me:"],
    ["http://:pw@a/", ":pw"],
    ["http://m%C3%A9:p%40%3A@a/", "mé:p@:"],
    ["http://me:50%@a/", "me:50%"],
  ] as const
) {
  test(`basicCredentials() reads ${url}`, () => {
    const pair = basicCredentials(new URL(url))?.replace("Basic ", "") ?? null;
    const bytes = pair === null ? null : Uint8Array.from(atob(pair), (c) => c.charCodeAt(0));
    assert.equal(bytes === null ? null : new TextDecoder().decode(bytes), want);
  });
}

/** What Node's client throws, by its code. */
function node(code: string, message: string): unknown {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) });
}

/** What Deno throws, in words. */
function deno(words: string): unknown {
  const url = "https://me:secret@tunnel.example/tool?token=secret";
  const message = `error sending request for url (${url}): client error (Connect): ${words}`;
  return new TypeError("fetch failed", { cause: new Error(message) });
}

function routed(thrown: unknown, proxy: string | null): unknown {
  return new FetchError(thrown, { proxy, certificateProblems: [] });
}

const refused = node("ECONNREFUSED", "connect ECONNREFUSED 10.0.0.1:443");

for (
  const [name, thrown, code, transient] of [
    ["Node: no name", node("ENOTFOUND", "getaddrinfo ENOTFOUND a.org"), "dns", true],
    ["Node: no name server", node("EAI_AGAIN", "getaddrinfo EAI_AGAIN a.org"), "dns", true],
    ["Node: refused", refused, "connect", true],
    ["Node: reset", node("ECONNRESET", "read ECONNRESET"), "connect", true],
    ["Node: no answer", node("UND_ERR_CONNECT_TIMEOUT", "Connect Timeout Error"), "connect", true],
    [
      "Node: several addresses",
      new TypeError("fetch failed", {
        cause: Object.assign(new AggregateError([new Error("connect ECONNREFUSED ::1:1")]), {
          code: "ECONNREFUSED",
        }),
      }),
      "connect",
      true,
    ],
    ["Node: own root", node("SELF_SIGNED_CERT_IN_CHAIN", "self-signed certificate"), "tls", false],
    ["Node: no root", node("UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "unable to get"), "tls", false],
    ["Node: no leaf", node("UNABLE_TO_VERIFY_LEAF_SIGNATURE", "unable to verify"), "tls", false],
    ["Node: too old", node("CERT_HAS_EXPIRED", "certificate has expired"), "tls", false],
    [
      "Node: another name that reads like a proxy's",
      routed(node("ERR_TLS_CERT_ALTNAME_INVALID", "Host: proxy.a.org. is not in"), "http://p:1"),
      "tls",
      false,
    ],
    ["Deno: no name", deno("dns error: failed to lookup address information"), "dns", true],
    [
      "Deno: refused",
      deno("tcp connect error: Connection refused (os error 111)"),
      "connect",
      true,
    ],
    ["Deno: no root", deno("invalid peer certificate: UnknownIssuer"), "tls", false],
    ["Deno: no https", deno("received corrupt message of type InvalidContentType"), "tls", false],
    [
      "Deno: proxy 407",
      routed(deno("proxy authentication required"), "http://p:1"),
      "proxy",
      false,
    ],
    ["Deno: proxy 403", routed(deno("unsuccessful tunnel"), "http://p:1"), "proxy", true],
    ["proxy refused", routed(refused, "http://p:1"), "proxy", true],
    ["direct, with a route", routed(refused, null), "connect", true],
    ["nothing known", "what?", "connect", true],
  ] as const
) {
  test(`networkFailure() reads ${name} as ${code}`, () => {
    const failure = networkFailure(thrown);
    assert.deepEqual([failure.code, failure.isTransient], [code, transient], failure.found);
    assert.doesNotMatch(failure.found, /secret|error sending|fetch failed/);
    assert.notEqual(failure.found, "");
  });
}
