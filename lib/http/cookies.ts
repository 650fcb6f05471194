/**
 * Characters of a `Cookie` header that are looked at, as many as servers take: pages of other ports may
 * have set any number beside ours.
 */
const MAX_COOKIES = 64 * 1024;

/**
 * The name of a cookie of this service. Cookies are kept by host: two services of one machine would
 * take each other's.
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
