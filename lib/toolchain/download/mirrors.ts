/** Real source of a download. */
export interface MirroredUrl {
  readonly url: string;
  /** The prefix that a mirror replaces; `null` for the vendor's own server. */
  readonly mirrorOf: string | null;
}

/**
 * Replaces the beginning of a URL by a mirror's: the longest prefix that fits wins, and only one
 * replacement is made.
 *
 * @param mirrors URL prefix to replacement prefix. A prefix fits up to the end of a host, a path
 *   segment or the URL: `https://a.org` is not a mirror of `https://a.org.evil.net/`.
 */
export function mirroredUrl(url: string, mirrors: Readonly<Record<string, string>>): MirroredUrl {
  const fitting = Object.keys(mirrors)
    .filter((prefix) => prefix !== "" && url.startsWith(prefix) && endsWhole(url, prefix))
    .sort((a, b) => b.length - a.length);
  const [prefix] = fitting;
  if (prefix === undefined) return { url, mirrorOf: null };
  return { url: `${mirrors[prefix] ?? ""}${url.slice(prefix.length)}`, mirrorOf: prefix };
}

function endsWhole(url: string, prefix: string): boolean {
  const next = url.charAt(prefix.length);
  return prefix.endsWith("/") || next === "" || "/?#".includes(next);
}
