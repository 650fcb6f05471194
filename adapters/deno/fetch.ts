import process from "node:process";
import { FetchError } from "../../lib/core/fetch-error.ts";
import { Once } from "../../lib/core/once.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { proxyFor } from "../../lib/core/proxy.ts";
import { readExtraCertificates } from "../node/certificates.ts";
import type { FetchOptions } from "../node/fetch.ts";

export type { FetchOptions } from "../node/fetch.ts";

/**
 * Creates the platform's `fetch` with the proxy and the certificates that the environment and the
 * machine name. Deno itself reads most of these variables only once, at its start, and not all that
 * Node reads.
 */
export function createFetch({ environment = process.env }: FetchOptions = {}): Fetch {
  const through = new Map<string, Deno.HttpClient>();
  const certificates = new Once(() => readExtraCertificates(environment));
  return async (url, init) => {
    const proxy = proxyFor(url, environment);
    const isSecure = url.startsWith("https:") || proxy !== null;
    const { pem, problems } = await (isSecure ? certificates.get() : certificates.begun) ??
      { pem: [], problems: [] };
    const route = { proxy: null, certificateProblems: problems };
    if (proxy !== null && "problem" in proxy) {
      throw new FetchError(new TypeError(proxy.problem), { ...route, proxy: "" });
    }
    const key = proxy?.url ?? url.slice(0, url.indexOf(":"));
    const client = through.get(key) ?? openClient(proxy?.url, pem);
    through.set(key, client);
    try {
      return await fetch(url, { ...init, client });
    } catch (thrown) {
      if (init?.signal?.aborted) throw thrown;
      throw new FetchError(thrown, { ...route, proxy: proxy?.shown ?? null });
    }
  };
}

function openClient(proxy: string | undefined, certificates: readonly string[]): Deno.HttpClient {
  const open = (caCerts: string[]) =>
    withoutProxyVariables(() =>
      Deno.createHttpClient({ caCerts, ...(proxy !== undefined && { proxy: { url: proxy } }) })
    );
  try {
    return open([...certificates]);
  } catch {
    return open(certificates.filter(isTaken)); // one old certificate must not spoil all
  }
}

/** Whether Deno takes a certificate: it is stricter than OpenSSL, which most stores are made for. */
function isTaken(certificate: string): boolean {
  try {
    Deno.createHttpClient({ caCerts: [certificate] }).close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs `create` while no variable names a proxy: a new client reads them by Deno's own rules, which
 * cannot be turned off. Synchronous, so no other code runs in between.
 */
function withoutProxyVariables<T>(create: () => T): T {
  const held = Object.entries(Deno.env.toObject())
    .filter(([name]) => /^(https?|all|no)_proxy$/i.test(name));
  for (const [name] of held) Deno.env.delete(name);
  try {
    return create();
  } finally {
    for (const [name, value] of held) Deno.env.set(name, value);
  }
}
