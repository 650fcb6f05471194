import { ALONE, BROWSER, isIn, LONG } from "./plan.ts";
import type { Times } from "./times.ts";

// The distribution of test files to processes.

/** Test files that one process runs. */
export interface Batch {
  /** For reports: the only file, or the folder and the number of the part. */
  readonly name: string;
  /** Paths below the checkout. */
  readonly files: readonly string[];
}

/** Files per process: enough to share loading, few enough to use all cores. */
const BATCH = 12;
/** The same if their times are known: pure files are many and short. */
const LARGEST_BATCH = 30;
/** Minimum milliseconds of tests in one process, if its files can be divided. */
const BATCH_MS = 20_000;
/**
 * Maximum processes that share the work: a process costs a second or two before its first test, and
 * times measured next to other work are long.
 */
const SHARES = 16;
/** The same if they share a browser, which costs as much to start as a short test of a page. */
const BROWSER_BATCH_MS = 90_000;
/** Assumed milliseconds of a file that has not run here yet. */
const UNKNOWN_MS = 1_000;
/** The same of a file that drives a browser. */
const UNKNOWN_BROWSER_MS = 20_000;

/**
 * Groups files of one folder: loading their imports takes longer than most of them run, and so does
 * starting a browser. Long ones stay alone and come first, so that none runs alone at the end.
 *
 * @param times Durations of earlier runs; without any, folders are divided by the number of files.
 */
export function batches(
  files: readonly string[],
  { size = BATCH, times = new Map() }: { readonly size?: number; readonly times?: Times } = {},
): readonly Batch[] {
  const msOf: Milliseconds = (file) =>
    times.get(file) ?? (file in BROWSER ? UNKNOWN_BROWSER_MS : UNKNOWN_MS);
  const sumOf = (members: readonly string[]) => members.reduce((ms, file) => ms + msOf(file), 0);
  const alone = files.filter((file) => isIn(ALONE, file) || isIn(LONG, file));
  const others = files.filter((file) => !alone.includes(file));
  const pure = others.filter((file) => !(file in BROWSER));
  const batchMs = Math.max(BATCH_MS, sumOf(pure) / SHARES);
  const inBrowsers = folders(others.filter((file) => file in BROWSER)).flatMap(
    ([name, members]) => {
      const parts = size < BATCH ? members.length / size : sumOf(members) / BROWSER_BATCH_MS;
      return inParts(`${name} in a browser`, divided(members, parts, msOf));
    },
  );
  const shared = folders(pure).flatMap(([name, members]) => {
    if (times.size === 0 || size < BATCH) {
      return inParts(name, divided(members, members.length / size, msOf));
    }
    // A file that fills a process alone does not affect the division of the others.
    const full = members.filter((file) => msOf(file) >= batchMs);
    const rest = members.filter((file) => !full.includes(file));
    const parts = Math.max(rest.length / LARGEST_BATCH, sumOf(rest) / batchMs);
    return inParts(name, [...full.map((file) => [file]), ...divided(rest, parts, msOf)]);
  });
  const all = [...alone.map((file) => ({ name: file, files: [file] })), ...inBrowsers, ...shared];
  // Of files that never ran here, those that stay alone are the long ones, which are already first.
  return times.size === 0 ? all : all.toSorted((a, b) => sumOf(b.files) - sumOf(a.files));
}

/** Returns the duration of a file. */
type Milliseconds = (file: string) => number;

/** Files by the two folders that they begin with. */
function folders(files: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  const found = new Map<string, string[]>();
  for (const file of files) {
    const folder = file.split("/").slice(0, 2).join("/");
    found.set(folder, [...found.get(folder) ?? [], file]);
  }
  return [...found];
}

function inParts(name: string, parts: readonly (readonly string[])[]): readonly Batch[] {
  return parts.map((files, i) => ({
    name: parts.length === 1 ? name : `${name} (${i + 1} of ${parts.length})`,
    files,
  }));
}

/**
 * Divides files into parts of about equal duration: each, the longest first, goes to the shortest
 * part.
 *
 * @param parts Minimum number of parts; 0 if nothing takes time, which gives one part.
 */
function divided(
  files: readonly string[],
  parts: number,
  msOf: Milliseconds,
): readonly (readonly string[])[] {
  const divided = Array.from(
    { length: Math.max(1, Math.ceil(parts)) },
    () => ({ ms: 0, files: new Array<string>() }),
  );
  for (const file of files.toSorted((a, b) => msOf(b) - msOf(a))) {
    const [shortest] = divided.toSorted((a, b) => a.ms - b.ms);
    shortest?.files.push(file);
    if (shortest !== undefined) shortest.ms += msOf(file);
  }
  return divided.map((part) => part.files.toSorted()).filter((part) => part.length > 0);
}
