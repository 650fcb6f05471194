import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Context, fromRun } from "./context.ts";
import { type Modules, readModules } from "./modules.ts";
import { fromViolations, type Outcome } from "./outcome.ts";

/**
 * Checks the package for JSR: `deno publish --dry-run` checks the exports; the scripts, which no
 * export names, are checked here. Types are the step "types under Deno"; slow ones are found here.
 */
export async function publishDryRun(context: Context): Promise<Outcome> {
  const { root } = context;
  const words = ["publish", "--dry-run", "--allow-dirty", "--no-check"];
  const ran = await context.exec([context.deno, ...words], {
    cwd: root,
  });
  if (ran.code !== 0) return fromRun(ran);
  const files = [...ran.output.matchAll(/(file:\/\/\S+) \(/g)]
    .map(([, url = ""]) => relative(root, fileURLToPath(url)).replaceAll("\\", "/"));
  const paths = files.filter((path) => path.endsWith(".ts"));
  return fromViolations(judgePublished(files, await readModules(context, { root, paths })));
}

/** The relative imports of published sources that are not published, one sentence each. */
export function judgePublished(files: readonly string[], modules: Modules): readonly string[] {
  const violations = files.includes("mod.ts") ? [] : ["the list of published files lacks mod.ts"];
  for (const [path, imports] of modules) {
    for (const { target, line } of imports) {
      if (target === null || files.includes(target)) continue;
      violations.push(
        `${path}:${line}: is published and imports ${target}, which is not: ` +
          "expected both or neither in deno.json's publish",
      );
    }
  }
  return violations;
}
