import { isRecord } from "../../core/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { PlatformKey } from "../pins/pins.ts";
import type { ToolchainFolder } from "../work/folder.ts";
import type { InstallProgress } from "../work/progress.ts";
import { fits, type LockEntry, packagesOf } from "./npm-lock.ts";

// The progress of `npm ci`. It prints nothing until it is done, but its cache has each complete archive
// under its hash. No lock file has their sizes, so packages are counted.

/** Interval between two looks at the cache, in milliseconds. */
const LOOK_MS = 500;

/** Downloads of `npm ci` by a lock file on a platform: the hashes of its archives, each once. */
export interface NpmFetches {
  readonly integrities: readonly string[];
  /** Expected number of archives: npm fetches those of one C library, and which is not known beforehand. */
  readonly total: number;
}

/**
 * Follows the dependencies of a lock file as npm does: what only a package of another platform needs
 * is not fetched.
 */
export function npmFetches(lock: string, key: PlatformKey | null): NpmFetches {
  const packages = new Map(packagesOf(lock));
  const reached = new Map<string, LockEntry>();
  const reach = (path: string) => {
    const entry = packages.get(path);
    if (entry === undefined || reached.has(path) || !fits(entry, key ?? undefined)) return;
    reached.set(path, entry);
    for (const member of ["dependencies", "optionalDependencies"]) {
      const names = entry[member];
      for (const name of isRecord(names) ? Object.keys(names) : []) {
        const found = placesFor(name, path).find((place) => packages.has(place));
        if (found !== undefined) reach(found);
      }
    }
  };
  reach("");
  const libraryOf = new Map<string, string>();
  for (const { integrity, libc } of reached.values()) {
    if (typeof integrity === "string") libraryOf.set(integrity, String(libc ?? ""));
  }
  const count = (library: string) =>
    [...libraryOf.values()].filter((other) => other === library).length;
  const libraries = new Set([...libraryOf.values()].filter((library) => library !== ""));
  return {
    integrities: [...libraryOf.keys()],
    total: count("") + Math.max(0, ...[...libraries].map(count)),
  };
}

/** Lists the places where Node looks for a package that another one requires, nearest first. */
function placesFor(name: string, path: string): string[] {
  const places: string[] = [];
  for (let at = path;;) {
    places.push(`${at === "" ? "" : `${at}/`}node_modules/${name}`);
    if (at === "") return places;
    const end = at.lastIndexOf("node_modules/");
    at = end <= 0 ? "" : at.slice(0, end - 1);
  }
}

/** Reports during the work how many packages npm has fetched. @returns The result of the work. */
export async function countingFetched<T>(
  work: Promise<T>,
  { fetches: { integrities, total }, cache, label }: {
    readonly fetches: NpmFetches;
    /** npm's cache folder, absolute. */
    readonly cache: string;
    readonly label: string;
  },
  { folder: { files, paths }, clock, progress }: {
    readonly folder: Pick<ToolchainFolder, "files" | "paths">;
    readonly clock: Pick<Clock, "sleep">;
    readonly progress: InstallProgress;
  },
): Promise<T> {
  const over = new AbortController();
  const missing = new Set(integrities);
  const look = async () => {
    for (const integrity of missing) {
      const path = paths.join(cache, contentOf(integrity));
      const there = await files.stat(path).catch(() => null); // it is only counted
      if (there !== null) missing.delete(integrity);
    }
    const done = Math.min(integrities.length - missing.size, total);
    progress.progress({ phase: "download", label, done, total, unit: "packages" });
    return done < total;
  };
  const looking = (async () => {
    while (await look() && !over.signal.aborted) {
      await clock.sleep(LOOK_MS, over.signal).catch(() => undefined);
    }
  })();
  try {
    return await work;
  } finally {
    over.abort();
    await looking;
  }
}

/** Returns the path of an archive in npm's cache (cacache, content-v2): the hexadecimal digits of its hash. */
function contentOf(integrity: string): string {
  const base64 = integrity.slice("sha512-".length);
  const hex = [...atob(base64)]
    .map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  return `_cacache/content-v2/sha512/${hex.slice(0, 2)}/${hex.slice(2, 4)}/${hex.slice(4)}`;
}
