import type { ClientRequest } from "node:http";
import process from "node:process";
import * as tls from "node:tls";
import type { Dispatcher } from "undici";
import { FetchError } from "../../lib/core/fetch-error.ts";
import { Once } from "../../lib/core/once.ts";
import type { Fetch } from "../../lib/ports/fetch.ts";
import { type Environment, proxyFor } from "../../lib/core/proxy.ts";
import { type ExtraCertificates, readExtraCertificates } from "./certificates.ts";
import { tunnelThrough } from "./tunnel.ts";

/** The options of a {@linkcode Fetch}. */
export interface FetchOptions {
  /** Names proxies and certificates. Default: the environment of this process. */
  readonly environment?: Environment;
}

/**
 * Creates the platform's `fetch`, with the proxy of the environment, the certificates of the
 * environment and the machine in addition to the built-in ones, and undecoded bodies on request.
 * Node's own supports the first two only since Node 24 and the last not at all, and its internal
 * client cannot be imported; so the package of the same client is loaded as soon as a request needs
 * one of them.
 */
export function createFetch({ environment = process.env }: FetchOptions = {}): Fetch {
  const through = new Map<string, Once<Fetch>>();
  const certificates = new Once(() => readExtraCertificates(environment));
  const extra = () => certificates.get();
  return async (url, init) => {
    const proxy = proxyFor(url, environment);
    const isSecure = url.startsWith("https:");
    const isPlain = proxy === null && !asksForBytes(init);
    if (isPlain && !isSecure) return await fetch(url, init);
    const { pem, problems } = isSecure || proxy !== null ? await extra() : NO_CERTIFICATES;
    if (isPlain && pem.length === 0 && problems.length === 0) return await fetch(url, init);
    const route = { proxy: null, certificateProblems: problems };
    if (proxy !== null && "problem" in proxy) {
      throw new FetchError(new TypeError(proxy.problem), { ...route, proxy: "" });
    }
    const key = proxy?.url ?? "";
    const known = through.get(key) ??
      new Once(() => proxy === null ? openDirectly(extra) : openThrough(new URL(key), pem));
    through.set(key, known);
    try {
      return await (await known.get())(url, init);
    } catch (thrown) {
      if (init?.signal?.aborted) throw thrown;
      throw new FetchError(thrown, { ...route, proxy: proxy?.shown ?? null });
    }
  };
}

const NO_CERTIFICATES: ExtraCertificates = { pem: [], problems: [] };

/** Creates a TLS context that trusts `extra` certificates too. Parsing takes longer than most requests. */
function trusting(extra: readonly string[]): tls.SecureContext {
  return tls.createSecureContext({ ca: [...tls.rootCertificates, ...extra] });
}

/**
 * Creates a client for direct connections. Certificates are read only for TLS, also after a
 * redirect.
 */
async function openDirectly(extra: () => Promise<ExtraCertificates>): Promise<Fetch> {
  const undici = await import("undici");
  const plainly = undici.buildConnector({});
  const securely = new Once(async () => {
    const { pem } = await extra();
    return undici.buildConnector({ secureContext: trusting(pem) });
  });
  const client = new undici.Agent({
    connect(options, callback) {
      if (options.protocol !== "https:") return plainly(options, callback);
      securely.get().then((connect) => connect(options, callback), (why) => callback(why, null));
    },
  });
  return clientFetch(undici, { client: () => client });
}

/** Creates a client for connections through a proxy. */
async function openThrough(proxy: URL, extra: readonly string[]): Promise<Fetch> {
  const undici = await import("undici");
  const trusted = [...tls.rootCertificates, ...extra];
  const secureContext = trusting(extra);
  const opening = new Set<ClientRequest>();
  const secure = new undici.Agent({
    connect: tunnelThrough(proxy, {
      trusted,
      opening,
      connect: undici.buildConnector({ secureContext }),
    }),
  });
  const plain = new undici.ProxyAgent({
    uri: proxy.href,
    proxyTunnel: false, // many proxies open tunnels to port 443 alone
    proxyTls: { secureContext },
  });
  return clientFetch(undici, {
    client: (url) => url.startsWith("https:") ? secure : plain,
    // A silent proxy would keep the process alive after its callers have timed out.
    onIdle: () => opening.forEach((request) => request.destroy()),
  });
}

/** `fetch` by clients of the package. */
function clientFetch(
  undici: typeof import("undici"),
  { client: clientOf, onIdle }: {
    readonly client: (url: string) => Dispatcher;
    /** Called when no request awaits a response any more. */
    readonly onIdle?: () => void;
  },
): Fetch {
  /**
   * Hides the coding of answers from `fetch`, which would decode them, and reports it to `hear`.
   */
  const hiding = (
    onCoding: (coding: string | string[] | undefined) => void,
  ): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const next: Dispatcher.DispatchHandler = new undici.DecoratorHandler(handler);
    return dispatch(options, {
      onRequestStart: (...all) => next.onRequestStart?.(...all),
      onResponseStart(controller, status, { "content-encoding": coding, ...headers }, message) {
        if (status < 200) return; // the final answer follows (DEV-35), and only one is passed on
        onCoding(coding);
        next.onResponseStart?.(controller, status, headers, message);
      },
      onResponseData: (...all) => next.onResponseData?.(...all),
      onResponseEnd: (...all) => next.onResponseEnd?.(...all),
      onResponseError: (...all) => next.onResponseError?.(...all),
    });
  };
  let waiting = 0;
  return async (url, init) => {
    let coding: string | undefined;
    const client = clientOf(url);
    const dispatcher = asksForBytes(init)
      ? client.compose(hiding((value) => coding = value?.toString()))
      : client;
    // The package types the standard's classes on its own.
    const call: Promise<Response> = Reflect.apply(undici.fetch, undefined, [
      url,
      { ...init, dispatcher },
    ]);
    waiting++;
    const answer = await call.finally(() => {
      waiting--;
      if (waiting === 0) onIdle?.();
    });
    if (coding === undefined) return answer;
    const headers = [...answer.headers, ["content-encoding", coding] as [string, string]];
    const { status, statusText, url: from } = answer;
    const answerAtUrl = new Response(answer.body, { status, statusText, headers });
    // A constructed response has no address, but callers read it to detect a redirect.
    return Object.defineProperty(answerAtUrl, "url", { value: from });
  };
}

function asksForBytes(init: RequestInit | undefined): boolean {
  return new Headers(init?.headers).get("accept-encoding") === "identity";
}
