import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Context, fromRun } from "./context.ts";
import { listFiles } from "./files.ts";
import { failed, type Outcome } from "./outcome.ts";
import { judgeTestFile } from "./judge.ts";

/** Returns the files whose ts snippets are run: the README and everything exported with docs. */
function filesWithSnippets(root: string): readonly string[] {
  return listFiles(root, ["README.md", "mod.ts", "lib", "adapters"], [".md", ".ts"])
    .filter((path) => /^[\s*]*```(ts|js|typescript|javascript)\b/m.test(read(root, path)));
}

/** The ts snippets that ask not to be run; Deno passes over them without a word. */
export function ignoredSnippets(source: string): number {
  return [...source.matchAll(/^[\s*]*```(ts|js|typescript|javascript)\b.*\bignore\b/gm)].length;
}

/**
 * Runs every ts snippet of the README and of docstrings. They import the package by either of its
 * names, `slipway` (npm) or `@slipway/slipway` (JSR), which resolve to the sources. Their types are
 * checked with those of all sources: the step "types under Deno".
 */
export async function runSnippets(context: Context): Promise<Outcome> {
  if (!existsSync(join(context.root, "README.md"))) {
    return failed("README.md: is missing; expected it with its snippets");
  }
  const files = filesWithSnippets(context.root);
  if (files.length === 0) return failed("Found no ts snippet in README.md, mod.ts, lib, adapters");
  const report = join(context.scratch, "snippets.xml");
  const ran = await context.exec([
    context.deno,
    "test",
    "-A",
    "--doc",
    "--no-check",
    `--import-map=${writeImportMap(context)}`,
    `--junit-path=${report}`,
    ...files,
  ], { cwd: context.root });
  const outcome = judgeTestFile(
    "snippets",
    ran,
    existsSync(report) ? readFileSync(report, "utf8") : "",
  );
  const skips = files
    .map((path) => ({ path, count: ignoredSnippets(read(context.root, path)) }))
    .filter(({ count }) => count > 0)
    .map(({ path, count }) => ({
      name: `${count} snippet(s) of ${path}`,
      reason: "marked ignore",
    }));
  return { ...outcome, skipped: [...outcome.skipped, ...skips], parts: [] };
}

/**
 * Type-checks sources, and the ts snippets in them and in the README, with Deno's own checker: once, for
 * the snippets use nearly all of the sources.
 */
export async function checkUnderDeno(
  context: Context,
  sources: readonly string[],
): Promise<Outcome> {
  const words = ["check", "--quiet", "--doc", `--import-map=${writeImportMap(context)}`];
  const command = [context.deno, ...words, "README.md", ...sources];
  return fromRun(await context.exec(command, { cwd: context.root }));
}

/** npm's name of the package, as Deno must resolve it in a checkout. */
function writeImportMap(context: Context): string {
  const { exports }: { exports: Readonly<Record<string, string>> } = JSON.parse(
    read(context.root, "deno.json"),
  );
  const imports = Object.entries(exports).map(([subpath, file]) => [
    `slipway${subpath.slice(1)}`,
    pathToFileURL(join(context.root, file)).href,
  ]);
  const path = join(context.scratch, "snippets-imports.json");
  writeFileSync(path, JSON.stringify({ imports: Object.fromEntries(imports) }));
  return path;
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), "utf8");
}
