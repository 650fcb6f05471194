import { copyFileSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";

/** Copies a file into a project, as its user would. @returns Its path there. */
export function bringIn(root: string, file: string): string {
  mkdirSync(join(root, "incoming"), { recursive: true });
  copyFileSync(file, join(root, "incoming", basename(file)));
  return `incoming/${basename(file)}`;
}
