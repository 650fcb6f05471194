/** Facts that must not leave the machine in a report that people paste in public. */
export interface Private {
  /** The home folder; it is shown as `~`. */
  readonly home: string;
  /** Names of the user; as a folder of a path each is shown as `<user>`. */
  readonly names: readonly string[];
}

/**
 * Removes the home folder, the user's names, and the passwords and queries of addresses from every
 * text in a JSON value, member names included. Matches both path separators and ignores case, since
 * Windows spells paths either way.
 */
export function redacted(value: unknown, facts: Private): unknown {
  const rules = rulesOf(facts);
  const walk = (each: unknown): unknown => {
    if (typeof each === "string") return rules.reduce((text, rule) => rule(text), each);
    if (Array.isArray(each)) return each.map(walk);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(
      Object.entries(each).map(([name, member]) => [
        rules.reduce((text, rule) => rule(text), name),
        walk(member),
      ]),
    );
  };
  return walk(value);
}

/** Writes the home folder as `~` in a text, and leaves paths that only begin or end like it. */
export function withTilde(text: string, home: string): string {
  const segments = home.split(/[\\/]+/).filter((segment) => segment !== "");
  if (segments.length === 0) return text;
  const start = /^[\\/]/.test(home) ? "[\\\\/]+" : "";
  const path = `${start}${segments.map(literal).join("[\\\\/]+")}`;
  const alone = new RegExp(`(?<![\\p{L}\\p{N}_.-])${path}(?![\\p{L}\\p{N}_.-])`, "giu");
  return text.replace(alone, "~");
}

type Rule = (text: string) => string;

function rulesOf({ home, names }: Private): readonly Rule[] {
  const rules: Rule[] = [(text) => withTilde(text, home)];
  for (const name of new Set(names)) {
    if (name === "") continue;
    // A name alone may be any word: only as a folder in a path, or before a host, is it surely the
    // user's.
    const folder = new RegExp(`(?<=[\\\\/])${literal(name)}(?=[\\\\/:;@]|$)`, "giu");
    rules.push((text) => text.replace(folder, "<user>"));
  }
  return [...rules, withoutPasswords];
}

/** A mirror or a proxy may be written with `user:password@`, with a token alone, or with one as query. */
function withoutPasswords(text: string): string {
  return text
    .replace(/(:\/\/[^\s"'\/:@]*):[^\s"'\/]*@/g, "$1:***@")
    .replace(/:\/\/(?!<user>@)[^\s"'\/:@]+@/g, "://***@")
    .replace(/(:\/\/[^\s"'?]*\?)[^\s"']+/g, "$1***");
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
