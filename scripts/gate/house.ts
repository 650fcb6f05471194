import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Executor } from "./exec.ts";
import { listFiles } from "./files.ts";
import { type Modules, readModules } from "./modules.ts";

/** A checkout by its sources: imports, and the package's entries. */
export interface House {
  readonly modules: Modules;
  /** Path below the root, `/`-separated → source text. */
  readonly sources: ReadonlyMap<string, string>;
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  /** Entries of the package: subpath (`.`, `./node`) → file. */
  readonly entries: Readonly<Record<string, string>>;
}

/** The sample project is a game's own source: data to this house, not a room of it. */
const SAMPLE = "lib/editor/sample/";

/** The house of a checkout. */
export async function readHouse(
  context: Pick<Executor, "exec"> & { readonly deno: string; readonly root: string },
): Promise<House> {
  const { root } = context;
  const paths = listFiles(root, ["mod.ts", "lib", "adapters", "scripts", "tests"], [
    ".ts",
    ".tsx",
    ".mjs",
  ])
    .filter((path) => !path.startsWith(SAMPLE));
  const { dependencies = {}, devDependencies = {} }: Manifest = readJson(root, "package.json");
  return {
    modules: await readModules(context, { root, paths }),
    sources: new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")])),
    dependencies: Object.keys(dependencies),
    devDependencies: Object.keys(devDependencies),
    entries: readEntries(root),
  };
}

/** Returns the entries of the package: subpath → file. */
export function readEntries(root: string): Readonly<Record<string, string>> {
  const { exports = {} }: Manifest = readJson(root, "deno.json");
  return Object.fromEntries(
    Object.entries(exports).map(([subpath, file]) => [subpath, file.replace(/^\.\//, "")]),
  );
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
}

function readJson(root: string, name: string): Manifest {
  return JSON.parse(readFileSync(join(root, name), "utf8"));
}

/** The npm package that a bare specifier names. */
export function packageName(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
