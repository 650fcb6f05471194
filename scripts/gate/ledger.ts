import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

// The ledger of flaky tests: a row for each one ever seen, with its cause once known.

const PAGE = "tests/FLAKY.md";

/** A flaky test that was seen. */
export interface FlakyRow {
  /** `tests/area/file.test.ts`. */
  readonly file: string;
  readonly title: string;
  /** Line of the page, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Reads the ledger; empty if the page is missing. */
export function readLedger(root: string): readonly FlakyRow[] {
  const path = join(root, PAGE);
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8").split("\n").flatMap((text, index) => {
    const cells = text.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
    const [test = ""] = cells;
    if (cells.length === 0 || test === "test" || /^:?-+:?$/.test(test)) return [];
    const [, file = "", title = ""] = /^`(tests\/\S+\.test\.ts)`: (.+)$/.exec(test) ?? [];
    return [{ file, title: title.replaceAll("\\|", "|"), line: index + 1, cells }];
  });
}

/** Returns the faults of the ledger, one sentence each. */
export function checkLedger(root: string): readonly string[] {
  return readLedger(root).flatMap(({ file, cells, line }) => {
    const where = `${PAGE}:${line}`;
    const [, seen = "", cause = ""] = cells;
    if (cells.length !== 3 || file === "" || cause === "" || !/^\d{4}-\d\d-\d\d$/.test(seen)) {
      return [
        `${where}: expected | \`tests/area/file.test.ts\`: title | YYYY-MM-DD | cause, or "not found yet" |`,
      ];
    }
    return existsSync(join(root, file)) ? [] : [`${where}: ${file} is missing: remove the row`];
  });
}

/** Flaky tests of a run that have no row. @param flaky `file or process: title`, as a run names them. */
export function missingRows(
  flaky: readonly string[],
  ledger: readonly FlakyRow[],
): readonly string[] {
  // Node's reports name the process, not the file.
  return flaky.filter((name) => !ledger.some(({ title }) => name.endsWith(`: ${title}`)));
}
