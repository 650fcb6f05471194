/**
 * Characters of a `Cookie` header that are searched, as many as servers accept: pages of other
 * ports may have set any number of cookies.
 */
const MAX_COOKIES = 64 * 1024;

/**
 * Returns the name of a cookie of this service. Browsers keep cookies by host, not by port, so two
 * services on one machine need different names.
 */
export function cookieName(prefix: string, { url }: Pick<Request, "url">): string {
  return `${prefix}-${new URL(url).port || "80"}`;
}

/** The values of a cookie: pages of another port may have set more of the same name. */
export function cookieValues(
  prefix: string,
  request: Pick<Request, "url" | "headers">,
): readonly string[] {
  const text = request.headers.get("cookie") ?? "";
  if (text.length > MAX_COOKIES) return [];
  const lead = `${cookieName(prefix, request)}=`;
  return text.split(";").map((pair) => pair.trim())
    .flatMap((pair) => pair.startsWith(lead) ? [pair.slice(lead.length)] : []);
}
