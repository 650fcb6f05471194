import * as http from "node:http";
import * as https from "node:https";
import type { buildConnector } from "undici";
import { basicCredentials } from "../../lib/core/proxy.ts";

/** How long a proxy may take to open a tunnel, in milliseconds. */
const TIMEOUT_MS = 30_000;

/**
 * Connects through a proxy's `CONNECT`. The client's own proxy agent retries endlessly when the
 * proxy disconnects, and reports the proxy's answer only in its message.
 */
export function tunnelThrough(
  proxy: URL,
  { trusted, connect, opening }: {
    /** PEM; for a proxy that is itself reached by https. */
    readonly trusted: string[];
    /** Begins TLS inside the tunnel. */
    readonly connect: buildConnector.connector;
    /** The tunnels that are being opened: a caller that stops waiting destroys them. */
    readonly opening: Set<http.ClientRequest>;
  },
): buildConnector.connector {
  return (options, callback) => {
    const authorization = basicCredentials(proxy);
    const target = `${options.hostname}:${options.port || "443"}`;
    const settings = {
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path: target,
      headers: {
        host: target,
        ...(authorization !== null && { "proxy-authorization": authorization }),
      },
      agent: false,
      timeout: TIMEOUT_MS,
    };
    const request = proxy.protocol === "https:"
      ? https.request({ ...settings, ca: trusted })
      : http.request(settings);
    opening.add(request);
    request.once("close", () => opening.delete(request));
    request.once("connect", (response, socket) => {
      opening.delete(request);
      if (response.statusCode === 200) {
        socket.setTimeout(0);
        connect({ ...options, httpSocket: socket }, callback);
      } else {
        socket.destroy();
        callback(new Error(`the proxy answered ${response.statusCode} to CONNECT`), null);
      }
    });
    request.once("timeout", () => request.destroy(new Error("the proxy does not answer")));
    request.once("error", (error) => callback(error, null));
    request.end();
  };
}
