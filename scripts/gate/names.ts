import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Context } from "./context.ts";
import type { House } from "./house.ts";

// Finds exported names that no file imports: unneeded promises, which hide dead code from the
// linter. `deno doc` lists the exports and imports of every file.

/** A declaration in a file or a re-export, as in `deno doc --json`. */
interface Declaration {
  readonly location: Place;
  readonly declarationKind?: string;
  readonly def?: { readonly target?: Place; readonly elements?: readonly Name[] };
}
interface Place {
  readonly filename: string;
  readonly byteIndex: number;
  readonly line?: number;
}
interface Name {
  readonly name: string;
  readonly declarations: readonly Declaration[];
}

/** Files that a program loads by path, with the names that it uses. */
const LOADED_BY_PATH: Readonly<Record<string, string>> = {
  "scripts/gate/pending.mjs": "default", // a reporter of Node's test runner
};

/** URL of a file → its exports, and its imports of other files. */
export type Docs = Readonly<
  Record<string, {
    readonly symbols: readonly Name[];
    readonly imports?: readonly {
      /** Absent for `* as`. */
      readonly originalName?: string;
      readonly src: string;
    }[];
  }>
>;

/** Reads the exports and imports of all files in one call. */
export async function readDocs(
  { exec, deno, root }: Pick<Context, "exec" | "deno" | "root">,
  { modules }: House,
): Promise<Docs> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-names-"));
  try {
    // Packages are only names here: each is an empty module, and none is resolved.
    const bare = [...modules.values()].flat()
      .filter(({ specifier, target }) => target === null && !specifier.startsWith("node:"))
      .map(({ specifier }) => [specifier, "data:text/javascript,"]);
    const map = join(folder, "imports.json");
    writeFileSync(map, JSON.stringify({ imports: Object.fromEntries(bare) }));
    const options = ["--json", "--no-config", "--no-npm", "--no-remote", `--import-map=${map}`];
    const ran = await exec([deno, "doc", ...options, ...modules.keys()], { cwd: root });
    if (ran.code !== 0) throw new Error(`Cannot read the names of ${root}:\n${ran.output}`);
    return JSON.parse(ran.stdout).nodes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Every exported name that no other file imports or passes on, one sentence each. Spared are the names
 * of the package's entries, and types that another exported name of the same file mentions.
 */
export function checkNames(house: House, docs: Docs, root: string): readonly string[] {
  const url = (path: string) => pathToFileURL(join(root, path)).href;
  const used = usedNames(house, docs, url);
  const entries = new Set(Object.values(house.entries).map(url));
  const paths = new Map([...house.modules.keys()].map((path) => [url(path), path]));
  return Object.entries(docs).flatMap(([file, { symbols }]) => {
    const names = used.get(file);
    if (entries.has(file) || names?.has("*")) return [];
    return symbols
      .filter(({ name, declarations }) =>
        !names?.has(name) && name !== LOADED_BY_PATH[paths.get(file) ?? ""] &&
        declarations.some((one) => one.declarationKind === "export") &&
        !symbols.some((other) => other.name !== name && mentions(other.declarations, name))
      )
      .map(({ name, declarations }) => {
        const line = (declarations[0]?.location.line ?? 0) + 1;
        return `${paths.get(file) ?? file}:${line}: exports ${name}, which no other file imports`;
      });
  });
}

/** File → the names of it that other files import or pass on; `*` for all. */
function usedNames(
  { modules }: House,
  docs: Docs,
  url: (path: string) => string,
): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map<string, Set<string>>();
  const use = (file: string, name: string) =>
    used.set(file, (used.get(file) ?? new Set<string>()).add(name));
  for (const { imports = [] } of Object.values(docs)) {
    for (const { src, originalName = "*" } of imports) use(src, originalName);
  }
  const origins = new Map(
    Object.entries(docs).map(([file, { symbols }]) => [
      file,
      new Map(symbols.flatMap((one) => placesOf(one).map((place) => [place, one.name]))),
    ]),
  );
  for (const [path, imports] of modules) {
    const passedOn = origins.get(url(path)) ?? new Map<string, string>();
    for (const { target, when } of imports) {
      if (target === null) continue;
      if (when === "later") use(url(target), "*");
      // A re-exported name may have been re-exported to the file from which it is imported.
      for (const [place, name] of origins.get(url(target)) ?? []) {
        if (passedOn.has(place)) use(url(target), name);
      }
    }
  }
  return used;
}

/** Returns the names that a file defines and exports, without those that it passes on. */
export function exportedHere(docs: Docs, root: string, path: string): readonly string[] {
  const url = pathToFileURL(join(root, path)).href;
  return (docs[url]?.symbols ?? [])
    .filter(({ declarations }) =>
      declarations.some(({ declarationKind, location, def }) =>
        declarationKind === "export" && location.filename === url &&
        def?.target === undefined && def?.elements === undefined
      )
    )
    .map(({ name }) => name);
}

/** Returns where a name is declared. */
function placesOf({ declarations }: Name): readonly string[] {
  return declarations.flatMap(({ location, def }) => [
    ...(def?.elements ?? []).flatMap(placesOf),
    ...[def?.target ?? location].map(({ filename, byteIndex }) => `${filename}:${byteIndex}`),
  ]);
}

/** Whether a type, a base or a `typeof` in a declaration names it. */
function mentions(declaration: unknown, name: string): boolean {
  if (typeof declaration !== "object" || declaration === null) return false;
  return Object.entries(declaration).some(([key, value]) =>
    (["typeName", "extends", "value"].includes(key) && value === name) || mentions(value, name)
  );
}
