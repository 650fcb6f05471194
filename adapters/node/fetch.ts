import process from "node:process";
import * as tls from "node:tls";
import { FetchError } from "../../lib/core/fetch-error.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { type Environment, proxyFor } from "../../lib/toolchain/install/network-proxy.ts";
import { type ExtraCertificates, readExtraCertificates } from "./certificates.ts";
import { tunnelThrough } from "./tunnel.ts";

/** What a {@linkcode Fetch} is made from. */
export interface FetchOptions {
  /** Names proxies and certificates. Default: that of this process. */
  readonly environment?: Environment;
}

/**
 * The platform's `fetch`, with the proxy and the certificates that the environment and the machine
 * name besides those that it has built in. Node's own knows neither before Node 24, and the client
 * inside it cannot be imported; so the package of the same client is loaded as soon as an address
 * needs one of them.
 */
export function createFetch({ environment = process.env }: FetchOptions = {}): Fetch {
  const through = new Map<string, Promise<Fetch>>();
  let certificates: Promise<ExtraCertificates> | undefined;
  return async (url, init) => {
    const proxy = proxyFor(url, environment);
    if (proxy === null && !url.startsWith("https:")) return await fetch(url, init);
    certificates ??= readExtraCertificates(environment);
    const { pem, problems } = await certificates;
    if (proxy === null && pem.length === 0 && problems.length === 0) return await fetch(url, init);
    const route = { proxy: null, certificateProblems: problems };
    if (proxy !== null && "problem" in proxy) {
      throw new FetchError(new TypeError(proxy.problem), { ...route, proxy: "" });
    }
    const key = proxy?.url ?? "";
    const known = through.get(key) ?? openClient(proxy === null ? null : new URL(key), pem);
    through.set(key, known);
    try {
      return await (await known)(url, init);
    } catch (thrown) {
      if (init?.signal?.aborted) throw thrown;
      throw new FetchError(thrown, { ...route, proxy: proxy?.shown ?? null });
    }
  };
}

/** A client that goes straight, or through a proxy. */
async function openClient(proxy: URL | null, extra: readonly string[]): Promise<Fetch> {
  const undici = await import("undici");
  const trusted = [...tls.rootCertificates, ...extra];
  const secureContext = tls.createSecureContext({ ca: trusted });
  const secure = new undici.Agent({
    connect: proxy === null
      ? { secureContext }
      : tunnelThrough(proxy, { trusted, connect: undici.buildConnector({ secureContext }) }),
  });
  const plain = proxy === null ? secure : new undici.ProxyAgent({
    uri: proxy.href,
    proxyTunnel: false, // many proxies open tunnels to port 443 alone
    proxyTls: { secureContext },
  });
  return async (url, init) => {
    const dispatcher = url.startsWith("https:") ? secure : plain;
    // The package types the standard's classes on its own.
    return await Reflect.apply(undici.fetch, undefined, [url, { ...init, dispatcher }]);
  };
}
