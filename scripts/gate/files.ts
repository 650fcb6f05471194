import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const NEVER = ["node_modules", "dist", ".git", ".cache", ".build", "build"];

/**
 * Lists the files below `paths` (folders or files, below `root`) whose name ends in one of
 * `endings`, as sorted `/`-separated paths below `root`. Missing ones are skipped.
 */
export function listFiles(
  root: string,
  paths: readonly string[],
  endings: readonly string[],
): readonly string[] {
  const found: string[] = [];
  const visit = (path: string) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    if (!statSync(full).isDirectory()) {
      if (endings.some((ending) => path.endsWith(ending))) found.push(path);
      return;
    }
    for (const name of readdirSync(full)) {
      if (!NEVER.includes(name)) visit(path === "." ? name : `${path}/${name}`);
    }
  };
  for (const path of paths) visit(path);
  return found.toSorted();
}
