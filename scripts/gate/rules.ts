import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles } from "./files.ts";

// vectors/RULES.md lists every rule with the one file that owns it; ids elsewhere must lead back to
// it, and every rule must be proved by a vector.

const ID = /\b(?:BOOT|PATH|JSON|SIG|LIM|DIFF|REL|MAN)-\d+\b/g;
const TABLE = "vectors/RULES.md";
const SEARCHED = ["lib", "adapters", "scripts", "tests", "vectors", "native"];
const TEXTS = [".ts", ".mjs", ".md", ".json", ".swift", ".java", ".kt", ".gradle"];

interface Rule {
  readonly id: string;
  readonly owner: string;
  readonly line: number;
}

/** What is wrong with the rules of a checkout, one sentence each. */
export function checkRules(root: string): readonly string[] {
  if (!existsSync(join(root, TABLE))) return [`${TABLE}: is missing; expected the table of rules`];
  const violations: string[] = [];
  const rules = readRules(readFileSync(join(root, TABLE), "utf8"), violations);
  const known = new Set(rules.map((rule) => rule.id));
  if (known.size === 0) violations.push(`${TABLE}: has no row | id | rule | source | owner |`);

  for (const rule of rules) violations.push(...checkOwner(root, rule));
  const proved = provedIds(root);
  for (const id of known) {
    if (!proved.has(id)) violations.push(`${TABLE}: ${id} stands in no vector's "rules"`);
  }
  const pages = listFiles(root, ["."], [".md"]).filter((path) => !path.includes("/"));
  for (const path of [...listFiles(root, SEARCHED, TEXTS), ...pages]) {
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    for (const [index, line] of lines.entries()) {
      for (const [id] of line.matchAll(ID)) {
        if (!known.has(id)) violations.push(`${path}:${index + 1}: ${id} is not in ${TABLE}`);
      }
    }
  }
  return violations;
}

function readRules(table: string, violations: string[]): readonly Rule[] {
  const rules: Rule[] = [];
  for (const [index, text] of table.split("\n").entries()) {
    const cells = text.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
    const id = (cells[0] ?? "").replaceAll("`", "");
    if (cells.length === 0 || id === "id" || /^:?-+:?$/.test(id)) continue;
    const line = index + 1;
    if (cells.length !== 4 || cells.includes("")) {
      violations.push(
        `${TABLE}:${line}: expected four filled cells | id | rule | source | owner |`,
      );
      continue;
    }
    if (!new RegExp(`^${ID.source}$`).test(id)) {
      violations.push(`${TABLE}:${line}: ${JSON.stringify(id)} is no rule id`);
      continue;
    }
    const earlier = rules.find((rule) => rule.id === id);
    if (earlier !== undefined) {
      violations.push(`${TABLE}:${line}: ${id} stands in line ${earlier.line} already`);
      continue;
    }
    const owner = (cells[3] ?? "").replaceAll("`", "").replace(/^\[(.+)\]\(.*\)$/, "$1");
    rules.push({ id, owner, line });
  }
  return rules;
}

function checkOwner(root: string, { id, owner, line }: Rule): readonly string[] {
  const where = `${TABLE}:${line}`;
  if (!/^lib\/.+\.ts$/.test(owner) || !existsSync(join(root, owner))) {
    return [`${where}: ${id} is owned by ${JSON.stringify(owner)}: expected one file of lib/`];
  }
  const ids: readonly string[] = readFileSync(join(root, owner), "utf8").match(ID) ?? [];
  return ids.includes(id) ? [] : [`${where}: ${owner} owns ${id} but does not name it`];
}

/** The ids in the `rules` arrays of the vectors, however deep they stand. */
function provedIds(root: string): ReadonlySet<string> {
  const proved = new Set<string>();
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === "rules" && Array.isArray(member)) {
        for (const id of member) proved.add(String(id));
      } else visit(member);
    }
  };
  const paths = listFiles(root, ["vectors"], [".json"])
    .filter((path) => !path.startsWith("vectors/schema/"));
  for (const path of paths) {
    try {
      visit(JSON.parse(readFileSync(join(root, path), "utf8")));
    } catch {
      // Not JSON: the schema check says so, and its ids then prove nothing.
    }
  }
  return proved;
}
