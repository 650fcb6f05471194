/**
 * Returns whether a request comes from a page that this machine serves at 127.0.0.1. Pages of other
 * origins can send requests, too, and any host name can point here: their Origin then has that
 * name.
 */
export function isOfOwnPage({ url, headers }: Request): boolean {
  const { origin, hostname } = new URL(url);
  return hostname === "127.0.0.1" && headers.get("origin") === origin;
}
