/**
 * Whether a page that this machine serves at 127.0.0.1 has sent a request. Pages of other origins can
 * send, too, and whoever has a name can point it here: then their origin is that of the request.
 */
export function isOfOwnPage({ url, headers }: Request): boolean {
  const { origin, hostname } = new URL(url);
  return hostname === "127.0.0.1" && headers.get("origin") === origin;
}
