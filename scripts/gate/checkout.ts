import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { listFiles } from "./files.ts";

/** Path below the root → hash of the content: every file that git tracks or would track. */
export type Checkout = ReadonlyMap<string, string>;

/** Reads a checkout as it is now, uncommitted changes included. */
export function readCheckout(root: string): Checkout {
  const found = new Map<string, string>();
  for (const path of listCheckout(root)) {
    const hash = hashOf(join(root, path));
    if (hash !== null) found.set(path, hash);
  }
  return found;
}

/** Paths that differ between two states of a checkout: changed, added or removed. Sorted. */
export function changesBetween(before: Checkout, after: Checkout): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path)).toSorted();
}

/**
 * Returns the paths that differ from a revision, including uncommitted and untracked ones. Sorted.
 *
 * @returns `null` if git does not know the revision.
 */
export function changesSince(root: string, revision: string): readonly string[] | null {
  try {
    // A commit, not a path or a flag, whatever the user typed.
    const commit = git(root, "rev-parse", "--verify", "--quiet", `${revision}^{commit}`).trim();
    const changed = [
      git(root, "diff", "--name-only", "--no-renames", "-z", commit),
      git(root, "ls-files", "--others", "--exclude-standard", "-z"),
    ];
    return [...new Set(changed.flatMap((text) => text.split("\0")))].filter((path) => path !== "")
      .toSorted();
  } catch {
    return null;
  }
}

function listCheckout(root: string): readonly string[] {
  try {
    const listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z");
    return [...new Set(listed.split("\0"))].filter((path) => path !== "").toSorted();
  } catch {
    return listFiles(root, ["."], [""]); // a copy without git's folder
  }
}

/** @returns `null` if it is not a file, or was removed but is still in git's index. */
function hashOf(path: string): string | null {
  try {
    const stats = lstatSync(path);
    if (stats.isDirectory()) return null;
    const content = stats.isSymbolicLink() ? readlinkSync(path) : readFileSync(path);
    // The mode counts: executables must be executable.
    return createHash("sha256").update(`${stats.mode & 0o111}\n`).update(content).digest("hex");
  } catch {
    return null;
  }
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync("git", ["-C", root, ...args], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
}
