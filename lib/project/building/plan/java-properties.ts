/** A line of a properties file: what is before the first `=`, `:` or blank that is not escaped, and the rest. */
const ENTRY = /^((?:[^\\=: \t\f]|\\.)*)[ \t\f]*[=:]?[ \t\f]*(.*)$/s;

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f" };

/**
 * Parses a properties file as `java.util.Properties` does: comments, escapes, values over several lines.
 * Of a key that is there twice the last one counts.
 */
export function parseProperties(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let parts: string[] = [];
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  for (const [at, raw] of lines.entries()) {
    const line = raw.replace(/^[ \t\f]+/, "");
    if (parts.length === 0 && (line === "" || /^[#!]/.test(line))) continue;
    const isContinued = slashesAtEnd(line) % 2 === 1;
    parts.push(isContinued ? line.slice(0, -1) : line);
    if (isContinued && at < lines.length - 1) continue;
    const [, key = "", value = ""] = ENTRY.exec(parts.join("")) ?? [];
    found.set(unescaped(key), unescaped(value));
    parts = [];
  }
  return found;
}

function slashesAtEnd(line: string): number {
  let count = 0;
  while (line.at(-1 - count) === "\\") count++;
  return count;
}

function unescaped(text: string): string {
  return text.replace(
    /\\(?:u([\da-fA-F]{4})|(.))/gs,
    (_all, code: string | undefined, one: string | undefined) =>
      code !== undefined
        ? String.fromCharCode(parseInt(code, 16))
        : ESCAPES[one ?? ""] ?? one ?? "",
  );
}
