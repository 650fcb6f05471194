import { compareCodeUnits } from "../../core/json.ts";
import { SPECIAL_FILES } from "../../core/file-error.ts";
import { isHidden, isInside } from "../../core/inside.ts";
import type { DirectoryEntry, Files } from "../../ports/files.ts";
import { attempt } from "../../core/attempt.ts";

/** A file found below a project's folder. */
export interface TreeFile {
  /** Relative to the project, `/`-separated. */
  readonly path: string;
  /** Its location, with all links resolved. */
  readonly location: string;
}

/** The files that a walk found, and warnings about skipped ones. */
export interface Tree {
  /** Ordered by path. */
  readonly files: readonly TreeFile[];
  readonly warnings: readonly string[];
}

/** Folders of build output and dependencies: their files are never assets. */
export const PASSED_OVER: readonly string[] = ["dist", "node_modules"];

interface Folder {
  readonly path: string;
  readonly location: string;
  /** The resolved folders that lead here: a link back to one of them would never end. */
  readonly ancestors: readonly string[];
}

/**
 * Lists the files below `root`/`folder`. Hidden names and build folders are skipped. Links are
 * followed inside the project; links that lead out of it or in circles are refused with a warning.
 *
 * @param options.maxEntries The walk stops with a warning after that many files and folders,
 * because links that cross can make a small tree endless.
 */
export async function listTree(
  files: Files,
  root: string,
  options: { readonly folder: string; readonly maxEntries: number },
): Promise<Tree> {
  const found: TreeFile[] = [];
  const warnings: string[] = [];
  const places = await attempt(() =>
    Promise.all([files.realPath(root), files.realPath(`${root}/${options.folder}`)])
  );
  if (!places.ok) {
    const reason = `it cannot be followed (${places.error.code})`;
    return { files: [], warnings: [`Skipped "${options.folder}": ${reason}`] };
  }
  const [realRoot, start] = places.value;
  if (realRoot === null || start === null) return { files: [], warnings };
  if (!isInside(realRoot, start)) {
    return { files: [], warnings: [`Skipped "${options.folder}": it links out of the project`] };
  }
  let met = 0;
  const folders: Folder[] = [{ path: options.folder, location: start, ancestors: [start] }];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(files, folder, warnings)) {
      if (entry.name.startsWith(".") || PASSED_OVER.includes(entry.name)) continue;
      const path = `${folder.path}/${entry.name}`;
      if (met++ === options.maxEntries) {
        warnings.push(
          `Stopped looking for files at "${path}": found more than ${options.maxEntries} entries`,
        );
        return { files: sorted(found), warnings };
      }
      const resolved = await attempt(() => resolve(files, { folder, entry, realRoot }));
      if (!resolved.ok) {
        warnings.push(`Skipped "${path}": it cannot be followed (${resolved.error.code})`);
        continue;
      }
      const target = resolved.value;
      if (target.kind === "skip") {
        warnings.push(`Skipped "${path}": ${target.reason}`);
      } else if (target.kind === "directory") {
        const { location } = target;
        folders.push({ path, location, ancestors: [...folder.ancestors, location] });
      } else found.push({ path, location: target.location });
    }
  }
  return { files: sorted(found), warnings };
}

function sorted(files: readonly TreeFile[]): readonly TreeFile[] {
  return files.toSorted((a, b) => compareCodeUnits(a.path, b.path));
}

async function entriesOf(
  files: Files,
  { path, location }: Folder,
  warnings: string[],
): Promise<readonly DirectoryEntry[]> {
  const entries = await attempt(() => files.list(location));
  if (entries.ok) return entries.value ?? [];
  warnings.push(`Skipped "${path}": it cannot be listed (${entries.error.code})`);
  return [];
}

type Target =
  | { readonly kind: "file" | "directory"; readonly location: string }
  | { readonly kind: "skip"; readonly reason: string };

interface Met {
  readonly folder: Folder;
  readonly entry: DirectoryEntry;
  readonly realRoot: string;
}

async function resolve(
  files: Files,
  { folder, entry, realRoot }: Met,
): Promise<Target> {
  const plain = `${folder.location}/${entry.name}`;
  if (entry.kind === "file" || entry.kind === "directory") {
    return { kind: entry.kind, location: plain };
  }
  if (entry.kind !== "symlink") {
    return { kind: "skip", reason: `not a file: ${SPECIAL_FILES[entry.kind]}` };
  }
  const location = await files.realPath(plain);
  if (location === null) return { kind: "skip", reason: "the target of the link does not exist" };
  if (!isInside(realRoot, location)) {
    return { kind: "skip", reason: "the link leads out of the project" };
  }
  if (isHidden(realRoot, location)) {
    return { kind: "skip", reason: "the link leads to a hidden file" };
  }
  if (folder.ancestors.includes(location)) {
    return { kind: "skip", reason: "the link leads back to a folder above it" };
  }
  const stat = await files.stat(location);
  if (stat?.kind === "file" || stat?.kind === "directory") return { kind: stat.kind, location };
  const found = stat === null || stat.kind === "symlink" ? "gone" : SPECIAL_FILES[stat.kind];
  return { kind: "skip", reason: `not a file: the end of the link is ${found}` };
}
