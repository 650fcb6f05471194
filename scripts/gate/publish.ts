import { readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Context, fromRun } from "./context.ts";
import { readImports } from "./imports.ts";
import { fromViolations, type Outcome } from "./outcome.ts";

/**
 * What would go to JSR: `deno publish --dry-run` judges what the exports reach; the scripts, which no
 * export names, are looked through here.
 */
export async function publishDryRun(context: Context): Promise<Outcome> {
  const { root } = context;
  const ran = await context.exec([context.deno, "publish", "--dry-run", "--allow-dirty"], {
    cwd: root,
  });
  if (ran.code !== 0) return fromRun(ran);
  const files = [...ran.output.matchAll(/(file:\/\/\S+) \(/g)]
    .map(([, url = ""]) => relative(root, fileURLToPath(url)).replaceAll("\\", "/"));
  return fromViolations(judgePublished(
    new Map(files.map((path) => [path, readFileSync(join(root, path), "utf8")])),
  ));
}

/** The relative imports of published sources that are not published, one sentence each. */
export function judgePublished(files: ReadonlyMap<string, string>): readonly string[] {
  const violations = files.has("mod.ts") ? [] : ["the list of published files lacks mod.ts"];
  for (const [path, source] of files) {
    if (!path.endsWith(".ts")) continue;
    for (const { specifier, line } of readImports(source)) {
      if (specifier === null || !/^\.\.?\//.test(specifier)) continue;
      const target = posix.normalize(posix.join(posix.dirname(path), specifier));
      if (files.has(target)) continue;
      violations.push(
        `${path}:${line}: is published and imports ${target}, which is not: ` +
          "expected both or neither in deno.json's publish",
      );
    }
  }
  return violations;
}
