import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

// Lists every row of some sections of the specification, with the tests that show it.

const PAGE = "RULES.md";
const HEADER = "section|what it says|shown by";

/** Returns the faults of the list of rows, one sentence each. */
export function checkRows(root: string): readonly string[] {
  const path = join(root, PAGE);
  if (!existsSync(path)) return []; // reported by the check of its rules
  const violations: string[] = [];
  let inside = false;
  for (const [index, text] of readFileSync(path, "utf8").split("\n").entries()) {
    const cells = text.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
    if (cells.length === 0) inside = false;
    if (cells.join("|") === HEADER) inside = true;
    const [section = "", , shownBy = ""] = cells;
    if (!inside || section === "section" || /^:?-+:?$/.test(section)) continue;
    const where = `${PAGE}:${index + 1}`;
    if (cells.length !== 3 || cells.includes("") || !/^§\d+\.\d+$/.test(section)) {
      violations.push(`${where}: expected three filled cells | §N.N | what it says | shown by |`);
    } else violations.push(...checkTests(root, where, shownBy));
  }
  return violations;
}

/** Returns the faults in the tests of a row: `area/file`: words of a title; and so on. */
function checkTests(root: string, where: string, shownBy: string): readonly string[] {
  return shownBy.split("; ").flatMap((test) => {
    const [, file, words] = /^`([\w./-]+)`: (.+)$/.exec(test) ?? [];
    if (file === undefined || words === undefined) {
      return [`${where}: found ${JSON.stringify(test)}, expected \`area/file\`: words of a title`];
    }
    const path = `tests/${file}.test.ts`;
    if (!existsSync(join(root, path))) return [`${where}: ${path} is not there`];
    return isTitled(readFileSync(join(root, path), "utf8"), words)
      ? []
      : [`${where}: no test of ${path} is called ${JSON.stringify(words)}`];
  });
}

/**
 * Returns whether a title, possibly interrupted by values, contains the words: they are in a text
 * that starts before them.
 */
function isTitled(source: string, words: string): boolean {
  return source.split("\n").some((line) => {
    const at = line.indexOf(words);
    return at > 0 && /^\s*(?:test\(|title: |\[|)["`]/.test(line);
  });
}
