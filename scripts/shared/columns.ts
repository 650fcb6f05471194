// Texts on terminals: how wide they are, and how they are made to fit.

/** Returns the width of a terminal, 80 if unknown; `null` if it is not a terminal. */
export function columnsOf(
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number | undefined },
): number | null {
  return isTTY === true ? columns || 80 : null;
}

/** Whether a line can be rewritten: not in a pipe, nor if `TERM` shows control characters. */
export function isRewritable(
  { isTTY }: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return isTTY === true && env["TERM"] !== "dumb";
}

/** Drawn over two columns: East Asian Wide and Fullwidth (UAX #11), and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]/u;
/** Drawn over the character before. */
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** Returns the number of terminal columns of a text. */
export function widthOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    columns += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  }
  return columns;
}

/** Fills a text up with spaces, for a table. */
export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** Cuts a text that is longer than that many columns. */
export function cut(text: string, columns: number | null): string {
  if (columns === null || widthOf(text) <= columns) return text;
  return `${beginning([...text], columns - 1)}…`;
}

/**
 * Cuts the middle of a path that is longer than that many columns, because both ends identify it.
 */
export function cutPath(path: string, columns: number | null): string {
  if (columns === null || widthOf(path) <= columns) return path;
  const end = Math.floor((columns - 1) * 2 / 3);
  const last = [...beginning([...path].reverse(), end)].reverse().join("");
  return `${beginning([...path], columns - 1 - end)}…${last}`;
}

/**
 * Wraps a text to lines of at most that many columns, all but the first indented; a longer word is
 * not split.
 *
 * @param at Where it may be divided.
 */
export function wrapped(
  text: string,
  { columns, indent, at = / / }: {
    readonly columns: number | null;
    readonly indent: number;
    readonly at?: RegExp;
  },
): string {
  if (columns === null) return text;
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(at)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && indent + widthOf(longer) > columns) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].join(`\n${" ".repeat(indent)}`);
}

/** Wraps the lines of a table of two columns; the second column continues below itself. */
export function folded(text: string, columns: number | null): string {
  return text.split("\n").map((line) => {
    const [head = ""] = /^ *(?:\S+(?: \S+)*? {2,})?/.exec(line) ?? [];
    return head + wrapped(line.slice(head.length), { columns, indent: widthOf(head) });
  }).join("\n");
}

function beginning(characters: readonly string[], columns: number): string {
  let kept = "";
  for (const character of characters) {
    if (widthOf(kept + character) > columns) break;
    kept += character;
  }
  return kept;
}

/** Returns the columns that are left of a line, at least 1. */
export function left(columns: number | null, taken: number): number | null {
  return columns === null ? null : Math.max(1, columns - taken);
}
