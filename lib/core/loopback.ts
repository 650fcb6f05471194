/** `127.0.0.0/8`, plain or mapped into version 6, and `::1`, as `URL` spells them. */
const ADDRESS = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/**
 * Returns whether a host is this machine itself, so that requests to it do not leave the machine:
 * `localhost` with all names below it (RFC 6761 §6.3) and the loopback addresses of both versions,
 * in any spelling.
 *
 * @param host A name or an address, with or without the brackets of a URL; no port.
 */
export function isLoopback(host: string): boolean {
  return isLoopbackListener(host) || (nameOf(host)?.endsWith(".localhost") ?? false);
}

/**
 * Returns whether a listener on this host is reachable from this machine alone: the loopback
 * addresses, and `localhost` itself. The resolver decides about the names below it.
 *
 * @param host As in {@linkcode isLoopback}.
 */
export function isLoopbackListener(host: string): boolean {
  const name = nameOf(host);
  return name !== null && (name === "localhost" || ADDRESS.test(name));
}

/** Returns the host in the spelling of `URL`; `null` for neither a name nor an address. */
function nameOf(host: string): string | null {
  const bare = /^\[?([^[\]/\\?#@\s]*)\]?$/.exec(host)?.[1];
  if (bare === undefined || bare === "") return null;
  const address = `http://${bare.includes(":") ? `[${bare}]` : bare}/`;
  return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, "") : null;
}
