import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Runs `work` with an empty folder, which is removed afterwards. */
export async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-test-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes files below a folder, by path. */
export function writeTree(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Reads the files below a folder as Latin-1 texts, by path; a missing folder has no files. */
export function treeOf(folder: string, prefix = ""): Record<string, string> {
  const tree: Record<string, string> = {};
  if (!existsSync(folder)) return tree;
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) Object.assign(tree, treeOf(folder, `${path}/`));
    else tree[path] = entry.isFile() ? readFileSync(join(folder, path), "latin1") : "(no file)";
  }
  return tree;
}
