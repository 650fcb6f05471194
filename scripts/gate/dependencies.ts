import { readFileSync } from "node:fs";
import { join } from "node:path";
import { listFiles } from "./files.ts";

// Every installed package must be in the tables of ARCHITECTURE.md, with its reason and possible
// replacements, and be pinned: none is added in passing. Those that users install are listed with
// the files that import them, so that a package for one file is seen to be one.

const PAGE = "ARCHITECTURE.md";
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** Returns the faults of a checkout's packages, one sentence each. */
export function checkDependencies(root: string): readonly string[] {
  const packages: Packages = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const page = readFileSync(join(root, PAGE), "utf8");
  return [
    ...judgeDependencies(packages, page),
    ...judgeImporters(importersOf(root, packages), page),
  ];
}

/** The parts of a package.json that name packages. */
interface Packages {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/**
 * Checks the given texts. A row is `| package | purpose | reason, and replacement |`, with the
 * importers as its second cell where users install the package.
 */
export function judgeDependencies(
  { dependencies = {}, devDependencies = {} }: Packages,
  page: string,
): readonly string[] {
  const rows = rowsOf(page);
  const declared = Object.entries({ ...dependencies, ...devDependencies });
  return [
    ...declared.filter(([, version]) => !EXACT.test(version)).map(([name, version]) =>
      `package.json: ${name} is ${version}: expected one exact version`
    ),
    ...declared.filter(([name]) => !(rows.get(name) ?? [""]).every((cell) => cell !== "")).map((
      [name],
    ) =>
      `${PAGE}: ${name} has no full row under "Dependencies": what it is for, and what could replace it`
    ),
    ...[...rows.keys()].filter((name) => !declared.some(([known]) => known === name)).map((name) =>
      `${PAGE}: ${name} has a row under "Dependencies" and is not in package.json`
    ),
  ];
}

/** Returns the cells of each package's row, without its name. */
function rowsOf(page: string): ReadonlyMap<string, readonly string[]> {
  const section = /^## Dependencies$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(page)?.[1] ?? "";
  const rows = new Map<string, readonly string[]>();
  for (const line of section.split("\n").filter((text) => text.startsWith("|"))) {
    const [names = "", ...cells] = line.split("|").slice(1, -1).map((cell) => cell.trim());
    for (const name of quoted(names)) rows.set(name, cells);
  }
  return rows;
}

function quoted(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text);
}

/** The shipped files that import a package, by the package. */
type Importers = Readonly<Record<string, readonly string[]>>;

function importersOf(root: string, { dependencies = {} }: Packages): Importers {
  const files = listFiles(root, ["lib", "adapters", "scripts"], [".ts", ".tsx"])
    .filter((path) => !/^scripts\/(gate|bench)\//.test(path))
    .map((path) => [path, readFileSync(join(root, path), "utf8")] as const);
  return Object.fromEntries(
    Object.keys(dependencies).map((name) => {
      const imported = new RegExp(`(?:from |import\\(|import )"${name}(?:/[^"]*)?"`);
      return [name, files.flatMap(([path, text]) => imported.test(text) ? [path] : [])];
    }),
  );
}

/** Compares the importers of packages with their rows, which name files, or folders of many. */
export function judgeImporters(importers: Importers, page: string): readonly string[] {
  const rows = rowsOf(page);
  return Object.entries(importers).flatMap(([name, files]) => {
    const listed = quoted(rows.get(name)?.[0] ?? "");
    const covers = (place: string, file: string) => file === place || file.startsWith(`${place}/`);
    return [
      ...files.filter((file) => !listed.some((place) => covers(place, file))).map((file) =>
        `${PAGE}: the row of ${name} does not name ${file}, which imports it`
      ),
      ...listed.filter((place) => !files.some((file) => covers(place, file))).map((place) =>
        `${PAGE}: the row of ${name} names ${place}, which does not import it`
      ),
    ];
  });
}
