import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import type { Executor } from "./exec.ts";

// The import graph as read by Deno (`deno info`): the gate does not parse TypeScript.

/** A module that a file names. */
export interface Import {
  readonly specifier: string;
  /** The path below the root that a relative specifier names, there or not; else `null`. */
  readonly target: string | null;
  /** The line of the specifier, from 1. */
  readonly line: number;
  /** `type` if it does not exist at run time, `later` if only `import()` loads it. */
  readonly when: "load" | "later" | "type";
}

/** Path below the root → its imports, in the order of the file; a module named twice counts once. */
export type Modules = ReadonlyMap<string, readonly Import[]>;

/** Reads the imports of files below `root` in one call. */
export async function readModules(
  { exec, deno }: Pick<Executor, "exec"> & { readonly deno: string },
  { root, paths }: { readonly root: string; readonly paths: readonly string[] },
): Promise<Modules> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-modules-"));
  try {
    const entry = join(folder, "all.ts");
    const urls = new Map(paths.map((path) => [pathToFileURL(join(root, path)).href, path]));
    writeFileSync(entry, [...urls.keys()].map((url) => `import "${url}";\n`).join(""));
    // Packages are only names here: none is resolved.
    const ran = await exec([
      deno,
      "info",
      "--json",
      "--no-config",
      "--no-npm",
      "--no-remote",
      entry,
    ], {
      cwd: folder,
    });
    if (ran.code !== 0) throw new Error(`Cannot read the module graph of ${root}:\n${ran.output}`);
    return fromGraph(JSON.parse(ran.stdout), urls);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The parts of `deno info --json` that are read here. */
interface Graph {
  readonly modules: readonly {
    readonly specifier: string;
    readonly error?: string;
    readonly dependencies?: readonly Dependency[];
  }[];
}
interface Dependency {
  readonly specifier: string;
  readonly isDynamic?: boolean;
  readonly code?: Place;
  readonly type?: Place;
}
interface Place {
  readonly span?: { readonly start: { readonly line: number } };
}

function fromGraph({ modules }: Graph, urls: ReadonlyMap<string, string>): Modules {
  const found = new Map<string, readonly Import[]>();
  for (const { specifier, error, dependencies = [] } of modules) {
    const path = urls.get(specifier);
    if (path === undefined) continue;
    if (error !== undefined) throw new Error(`Cannot read the imports of ${path}: ${error}`);
    found.set(
      path,
      dependencies.map(({ specifier, isDynamic, code, type }): Import => ({
        specifier,
        target: /^\.\.?\//.test(specifier) ? posix.join(posix.dirname(path), specifier) : null,
        line: ((code ?? type)?.span?.start.line ?? 0) + 1,
        when: code === undefined ? "type" : isDynamic === true ? "later" : "load",
      })),
    );
  }
  return found;
}
