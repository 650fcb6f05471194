/** What must not leave the machine in a report that people copy into public places. */
export interface Private {
  /** The home folder; it is shown as `~`. */
  readonly home: string;
  /** Names of the user; as a folder of a path each is shown as `<user>`. */
  readonly names: readonly string[];
}

/**
 * A JSON value with the home folder, the user's names, and the passwords and queries of addresses
 * taken out of every text in it, member names included. Both separators count, and letters whatever their case:
 * Windows spells paths as it likes.
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

/** A text in which the home folder is `~`, and what only begins or ends like it is left. */
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
    // A name alone may be any word: it is the user's as a folder of a path, or where one logs in.
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
