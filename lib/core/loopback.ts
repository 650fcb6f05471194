/** `127.0.0.0/8`, plain or mapped into version 6, and `::1`, as `URL` spells them. */
const ADDRESS = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/**
 * Whether a host is this machine itself, so that what is sent there stays here: `localhost` with all
 * names below it (RFC 6761 §6.3) and the loopback addresses of both versions, however they are
 * spelled.
 *
 * @param host A name or an address, with or without the brackets of a URL; no port.
 */
export function isLoopback(host: string): boolean {
  const bare = /^\[?([^[\]/\\?#@\s]*)\]?$/.exec(host)?.[1];
  if (bare === undefined || bare === "") return false;
  const address = `http://${bare.includes(":") ? `[${bare}]` : bare}/`;
  if (!URL.canParse(address)) return false;
  const name = new URL(address).hostname.replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost") || ADDRESS.test(name);
}
