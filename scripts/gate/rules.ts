import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles } from "./files.ts";
import { checkRows } from "./rows.ts";

// Two tables list every rule with its owner. Ids elsewhere must have a row, and every rule must be
// proved: those that several languages implement by a vector, all others by a test that names the
// id.

const TABLES = [
  { path: "RULES.md", proof: "tests" },
  { path: "vectors/RULES.md", proof: "vectors" },
] as const;
const ID = /^([A-Z]{2,6})-\d+$/;
const HEADER = "id|rule|source|owner";
/**
 * The start for a reader of the specification: its sections with their rules, on the first table's
 * page.
 */
const INDEX = "section|about|rules";
const SEARCHED = ["lib", "adapters", "scripts", "tests", "vectors", "native", "decisions"];
const TEXTS = [".ts", ".tsx", ".mjs", ".md", ".json", ".swift", ".java", ".kt", ".gradle"];

interface Rule {
  readonly id: string;
  readonly source: string;
  readonly owner: string;
  /** Place of its row, as `path:line`. */
  readonly where: string;
  readonly proof: (typeof TABLES)[number]["proof"];
}

/** Returns the faults of a checkout's rules, one sentence each. */
export function checkRules(root: string): readonly string[] {
  const violations: string[] = [];
  const rules = TABLES.flatMap((table) => readTable(root, table, violations));
  const known = new Map<string, Rule>();
  for (const rule of rules) {
    const earlier = known.get(rule.id);
    if (earlier === undefined) known.set(rule.id, rule);
    else violations.push(`${rule.where}: ${rule.id} stands in ${earlier.where} already`);
  }
  if (known.size === 0) return violations;

  const cited = citations(root, known.keys());
  const proved = provedIds(root);
  for (const rule of known.values()) {
    violations.push(...checkOwner(root, rule, cited));
    const isProved = rule.proof === "vectors"
      ? proved.has(rule.id)
      : cited.some(({ id, path }) => id === rule.id && path.startsWith("tests/"));
    if (isProved) continue;
    violations.push(
      rule.proof === "vectors"
        ? `${rule.where}: ${rule.id} stands in no vector's "rules"`
        : `${rule.where}: ${rule.id} is named by no test`,
    );
  }
  for (const { id, path, line } of cited) {
    if (!known.has(id)) violations.push(`${path}:${line}: ${id} is in no table of rules`);
  }
  return [...violations, ...checkIndex(root, rules), ...checkRows(root), ...citedPapers(root)];
}

/** Returns the differences between the index of sections and the sources of the rules. */
function checkIndex(root: string, rules: readonly Rule[]): readonly string[] {
  const [{ path }] = TABLES;
  const required = new Map<string, string>();
  for (const { id, source } of rules) {
    const [, sections = ""] = /^spec (.*?)(?:, [A-Z]|$)/.exec(source) ?? [];
    for (const [section] of sections.matchAll(/§\d+(?:\.\d+)?/g)) {
      const ids = required.get(section);
      if (!ids?.split(", ").includes(id)) {
        required.set(section, ids === undefined ? id : `${ids}, ${id}`);
      }
    }
  }
  const found = new Map<string, string>();
  let inside = false;
  for (const text of readFileSync(join(root, path), "utf8").split("\n")) {
    const cells = text.split("|").slice(1, -1).map((cell) => cell.trim());
    if (cells.length === 0) inside = false;
    if (cells.join("|") === INDEX) inside = true;
    else if (inside && cells[0]?.startsWith("§")) found.set(cells[0], cells[2] ?? "");
  }
  const sections = new Set([...required.keys(), ...found.keys()]);
  return [...sections].filter((section) => found.get(section) !== required.get(section)).map((
    section,
  ) =>
    `${path}: the row of ${section} has ${found.get(section) ?? "nothing"}, expected ${
      required.get(section) ?? "no row"
    }`
  );
}

/** Sources that lead to papers which are not here: a table has them, the code its ids. */
function citedPapers(root: string): readonly string[] {
  return listFiles(root, ["lib", "adapters", "scripts"], [".ts", ".tsx", ".mjs"]).flatMap(
    (path) => {
      const lines = readFileSync(join(root, path), "utf8").split("\n");
      return lines.flatMap((line, index) => {
        const [paper] = /\b(?:spec|CONTRACTS|DESIGN) §[\d.]+/.exec(line) ?? [];
        if (paper === undefined) return [];
        return [`${path}:${index + 1}: cites ${paper}, expected the id of a rule`];
      });
    },
  );
}

/** Returns the rows of a table of rules; adds its faults to `violations`. */
function readTable(
  root: string,
  { path, proof }: (typeof TABLES)[number],
  violations: string[],
): readonly Rule[] {
  if (!existsSync(join(root, path))) {
    violations.push(`${path}: is missing; expected a table of rules`);
    return [];
  }
  const rules: Rule[] = [];
  let inside = false; // a page may hold other tables
  for (const [index, text] of readFileSync(join(root, path), "utf8").split("\n").entries()) {
    const cells = text.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim());
    if (cells.length === 0) inside = false;
    if (cells.join("|") === HEADER) inside = true;
    const [id = "", , source = "", owner = ""] = cells;
    if (!inside || id === "id" || /^:?-+:?$/.test(id)) continue;
    const where = `${path}:${index + 1}`;
    if (cells.length !== 4 || cells.includes("")) {
      violations.push(`${where}: expected four filled cells | id | rule | source | owner |`);
    } else if (!ID.test(id)) {
      violations.push(`${where}: ${JSON.stringify(id)} is not a rule id such as BOOT-1`);
    } else {
      rules.push({ id, source, owner: owner.replaceAll("`", ""), where, proof });
    }
  }
  if (rules.length === 0) violations.push(`${path}: has no row | id | rule | source | owner |`);
  return rules;
}

function checkOwner(
  root: string,
  { id, owner, where }: Rule,
  cited: readonly Citation[],
): readonly string[] {
  if (!/^(lib|adapters|scripts)\/.+\.ts$/.test(owner) || !existsSync(join(root, owner))) {
    return [
      `${where}: ${id} is owned by ${
        JSON.stringify(owner)
      }: expected a file of lib, adapters or scripts`,
    ];
  }
  const names = cited.some((citation) => citation.id === id && citation.path === owner);
  return names ? [] : [`${where}: ${owner} owns ${id} but does not name it`];
}

interface Citation {
  readonly id: string;
  readonly path: string;
  readonly line: number;
}

/** Every word that looks like an id of an area that `ids` belong to, outside the tables. */
function citations(root: string, ids: Iterable<string>): readonly Citation[] {
  const areas = new Set([...ids].map((id) => id.split("-")[0]));
  const pattern = new RegExp(`\\b(?:${[...areas].join("|")})-\\d+\\b`, "g");
  const tables: readonly string[] = TABLES.map(({ path }) => path);
  const pages = listFiles(root, ["."], [".md"]).filter((path) => !path.includes("/"));
  const found: Citation[] = [];
  for (const path of [...listFiles(root, SEARCHED, TEXTS), ...pages]) {
    if (tables.includes(path)) continue;
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    for (const [index, line] of lines.entries()) {
      for (const [id] of line.matchAll(pattern)) found.push({ id, path, line: index + 1 });
    }
  }
  return found;
}

/** Returns the ids in the `rules` arrays of the vectors, at any depth. */
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
      // Not JSON: the schema check reports it, and its ids prove nothing.
    }
  }
  return proved;
}
