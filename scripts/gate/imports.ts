// Reads the imports out of TypeScript source. Not a parser: a lexer that knows comments, strings,
// templates and regular expressions well enough never to mistake their content for code.

/** One module that a file names. */
export interface Import {
  /** `null` when it is computed at run time. */
  readonly specifier: string | null;
  /** The line of the import, from 1. */
  readonly line: number;
}

type Token =
  | { readonly kind: "word" | "mark"; readonly text: string; readonly line: number }
  | { readonly kind: "string"; readonly text: string; readonly line: number };

/**
 * Every import of a source: `import … from`, `export … from`, `import "x"`, `import("x")` as a call
 * or as a type, and `/// <reference path|types|lib>` (lib as `lib:x`).
 */
export function readImports(source: string): readonly Import[] {
  const found: Import[] = [];
  for (const match of source.matchAll(/^\/\/\/\s*<reference\s+(path|types|lib)="([^"]+)"/gm)) {
    const [, kind, value = ""] = match;
    const line = source.slice(0, match.index).split("\n").length;
    found.push({ specifier: kind === "lib" ? `lib:${value}` : value, line });
  }
  const tokens = tokenize(source);
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== "word" || isMember(tokens, i)) continue;
    if (token.text === "import") found.push(...importAt(tokens, i));
    else if (token.text === "export") found.push(...fromClause(tokens, i));
  }
  return found;
}

/** `x.import` and `{ import: … }` are names, not imports. */
function isMember(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  const after = tokens[i + 1];
  return before?.text === "." && before.kind === "mark" ||
    after?.text === ":" && after.kind === "mark";
}

function importAt(tokens: readonly Token[], i: number): readonly Import[] {
  const next = tokens[i + 1];
  const line = tokens[i]?.line ?? 0;
  if (next?.kind === "string") return [{ specifier: next.text, line }];
  if (next?.kind === "mark" && next.text === ".") return []; // import.meta
  if (next?.kind === "mark" && next.text === "(") {
    const argument = tokens[i + 2];
    const end = tokens[i + 3];
    const literal = argument?.kind === "string" && end?.kind === "mark" &&
      (end.text === ")" || end.text === ",");
    return [{ specifier: literal ? argument.text : null, line }];
  }
  return fromClause(tokens, i);
}

/** `from "x"` before the statement can have ended. */
function fromClause(tokens: readonly Token[], i: number): readonly Import[] {
  const names = ["type", "as", "default", "*", "{", "}", ","];
  for (let j = i + 1; j < tokens.length; j++) {
    const token = tokens[j];
    if (token === undefined) break;
    const next = tokens[j + 1];
    if (token.kind === "word" && token.text === "from" && next?.kind === "string") {
      return [{ specifier: next.text, line: tokens[i]?.line ?? 0 }];
    }
    if (token.kind === "mark" && !names.includes(token.text)) break;
    if (
      token.kind === "word" && /^(const|let|var|function|class|interface|enum)$/.test(token.text)
    ) {
      break;
    }
  }
  return [];
}

const WORD = /[\p{ID_Start}$_#@][\p{ID_Continue}$]*/uy;
const NUMBER = /\d[\w.]*/y;
/** Words after which a slash begins a regular expression and not a division. */
const BEFORE_REGEX =
  /^(return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield|instanceof)$/;

function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  // The braces that are open; a template's `${` is marked so that its `}` goes back to the text.
  const braces: ("code" | "template")[] = [];
  let line = 1;
  let i = source.startsWith("#!") ? source.indexOf("\n") : 0;
  const push = (kind: Token["kind"], text: string) => tokens.push({ kind, text, line });
  const skipTo = (end: number) => {
    for (; i < end; i++) if (source[i] === "\n") line++;
  };
  const templateText = (start: number) => {
    let j = start;
    while (j < source.length) {
      if (source[j] === "\\") j += 2;
      else if (source[j] === "`") return { end: j + 1, open: false };
      else if (source.startsWith("${", j)) return { end: j + 2, open: true };
      else j++;
    }
    return { end: j, open: false };
  };
  const template = (start: number) => {
    const text = templateText(start);
    if (text.open) braces.push("template");
    // A template without a hole is a literal; with one it is something computed.
    else if (source[i] === "`") push("string", source.slice(start, text.end - 1));
    else push("mark", "`");
    if (text.open) push("mark", "`");
    skipTo(text.end);
  };

  while (i >= 0 && i < source.length) {
    const c = source[i] ?? "";
    if (/\s/.test(c)) skipTo(i + 1);
    else if (source.startsWith("//", i)) skipTo(endOf(source, "\n", i));
    else if (source.startsWith("/*", i)) skipTo(endOf(source, "*/", i + 2));
    else if (c === '"' || c === "'") {
      const end = endOfString(source, i);
      push("string", source.slice(i + 1, end - 1));
      skipTo(end);
    } else if (c === "`") template(i + 1);
    else if (c === "/" && regexMayStart(tokens.at(-1))) {
      const end = endOfRegex(source, i);
      push("mark", "/regex/");
      skipTo(end);
    } else if (c === "{" || c === "}") {
      if (c === "{") braces.push("code");
      if (c === "}" && braces.pop() === "template") template(i + 1);
      else {
        push("mark", c);
        i++;
      }
    } else {
      const word = match(WORD, source, i) ?? match(NUMBER, source, i);
      push(word === null ? "mark" : "word", word ?? c);
      i += (word ?? c).length;
    }
  }
  return tokens;
}

function match(pattern: RegExp, source: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? null;
}

function endOf(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from);
  return at < 0 ? source.length : at + mark.length;
}

function endOfString(source: string, start: number): number {
  for (let j = start + 1; j < source.length; j++) {
    if (source[j] === "\\") j++;
    else if (source[j] === source[start] || source[j] === "\n") return j + 1;
  }
  return source.length;
}

function endOfRegex(source: string, start: number): number {
  let inClass = false;
  for (let j = start + 1; j < source.length; j++) {
    const c = source[j];
    if (c === "\\") j++;
    else if (c === "\n") return j; // it was no regular expression after all
    else if (c === "[") inClass = true;
    else if (c === "]") inClass = false;
    else if (c === "/" && !inClass) return j + 1;
  }
  return source.length;
}

function regexMayStart(before: Token | undefined): boolean {
  if (before === undefined) return true;
  if (before.kind === "string") return false;
  if (before.kind === "word") return BEFORE_REGEX.test(before.text);
  return ![")", "]", "}", "`", "/regex/"].includes(before.text);
}
