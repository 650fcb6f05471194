import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { userCacheFolder } from "../shared/user-cache.ts";
import { withFileLock } from "./file-lock.ts";

// Entries of the user's cache: folders that are created once and shared by all checkouts. Each is
// created next to its place and then renamed, so that no process sees an incomplete one.
// native/cache.sh does the same for the inputs of the native cores.

/** A folder of the user's cache. */
export interface CacheEntry {
  /** Key of everything that determines the contents: kind, version, and a hash of the rest. */
  readonly name: string;
  /** Fills an empty folder. */
  readonly make: (folder: string) => Promise<void>;
  /** Whether programs write into the folder later. Files that are cut off are not noticed then. */
  readonly isWritten?: boolean;
  /** Folder of all entries; that of the user's cache when absent. */
  readonly entries?: string;
}

/** Time without use after which an entry is removed, in milliseconds. */
const UNUSED_MS = 14 * 86_400_000;
/** The same for leftovers of killed processes. */
const UNFINISHED_MS = 86_400_000;
/** File of an entry that is complete; it holds the hash of its files' sizes. */
const COMPLETE = ".complete";
const FRESH = ".fresh-";

/** Path of an entry, made when it is missing or damaged. Of several processes one makes it. */
export async function cacheEntry(entry: CacheEntry): Promise<string> {
  const { name, make, entries = userEntries() } = entry;
  const found = findEntry(name, entry);
  if (found !== null) return found;
  const folder = join(entries, name);
  mkdirSync(entries, { recursive: true });
  return await withFileLock({ path: `${folder}.lock`, awaited: name }, async () => {
    const made = findEntry(name, entry);
    if (made !== null) return made;
    rmSync(folder, { recursive: true, force: true }); // damaged
    const fresh = mkdtempSync(`${folder}${FRESH}`);
    try {
      await make(fresh);
      writeFileSync(join(fresh, COMPLETE), sizesOf(fresh));
      putInPlace(fresh, folder);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
    prune(entries);
    return folder;
  });
}

/** Returns the path of a complete entry, and marks it as used; otherwise `null`. */
export function findEntry(
  name: string,
  { isWritten = false, entries = userEntries() }: Pick<CacheEntry, "isWritten" | "entries"> = {},
): string | null {
  const folder = join(entries, name);
  const mark = join(folder, COMPLETE);
  if (!existsSync(mark)) return null;
  const sizes = readFileSync(mark, "utf8");
  // After a power cut or on a full disk files are shorter than they were written, the mark too.
  if (sizes === "" || (!isWritten && sizes !== sizesOf(folder))) return null;
  const now = new Date();
  utimesSync(folder, now, now);
  return folder;
}

/** A short hash, for the name of an entry. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function userEntries(): string {
  return join(userCacheFolder(), "entries");
}

function putInPlace(fresh: string, folder: string): void {
  try {
    renameSync(fresh, folder);
  } catch (thrown) {
    if (!existsSync(join(folder, COMPLETE))) throw thrown; // another process was faster
  }
}

/** Hashes the paths and sizes of all files. */
function sizesOf(folder: string): string {
  const lines: string[] = [];
  const walk = (below: string) => {
    for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
      const path = `${below}${entry.name}`;
      if (entry.isDirectory()) walk(`${path}/`);
      else if (entry.isFile() && path !== COMPLETE) {
        lines.push(`${lstatSync(join(folder, path)).size} ${path}`);
      }
    }
  };
  walk("");
  return shortHash(lines.sort().join("\n"));
}

function prune(entries: string): void {
  for (const name of readdirSync(entries)) {
    const path = join(entries, name);
    const age = Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    const limit = name.includes(FRESH) ? UNFINISHED_MS : UNUSED_MS;
    if (age > limit) rmSync(path, { recursive: true, force: true });
  }
}
