import { readFileSync } from "node:fs";
import { join } from "node:path";

// Every installed package must be in the table of ARCHITECTURE.md, with its reason and possible
// replacements, and be pinned: none is added in passing.

const PAGE = "ARCHITECTURE.md";
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** Returns the faults of a checkout's packages, one sentence each. */
export function checkDependencies(root: string): readonly string[] {
  return judgeDependencies(
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")),
    readFileSync(join(root, PAGE), "utf8"),
  );
}

/** The parts of a package.json that name packages. */
interface Packages {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Checks the given texts. A row is `| package | purpose | reason, and replacement |`. */
export function judgeDependencies(
  { dependencies = {}, devDependencies = {} }: Packages,
  page: string,
): readonly string[] {
  const section = /^## Dependencies$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(page)?.[1] ?? "";
  const rows = new Map<string, readonly string[]>();
  for (const line of section.split("\n").filter((text) => text.startsWith("|"))) {
    const [names = "", ...cells] = line.split("|").slice(1, -1).map((cell) => cell.trim());
    for (const [, name = ""] of names.matchAll(/`([^`]+)`/g)) rows.set(name, cells);
  }
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
