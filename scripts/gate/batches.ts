import { ALONE, BROWSER, isIn, LONG } from "./plan.ts";
import type { Times } from "./times.ts";

// Which test files share a process.

/** Test files that one process runs. */
export interface Batch {
  /** For reports: the one file, or the folder and which part of it. */
  readonly name: string;
  /** Paths below the checkout. */
  readonly files: readonly string[];
}

/** How many files share a process: enough to share what they load, few enough to fill all cores. */
const BATCH = 12;
/** The same where their times are known: pure files are many and short. */
const LARGEST_BATCH = 30;
/** Milliseconds of tests in one process, as far as files can be divided: at least so many. */
const BATCH_MS = 20_000;
/**
 * How many processes share the work at most, however long it takes: a process costs a second or two before
 * its first test, and times that were taken next to other work are long.
 */
const SHARES = 16;
/** The same where they share a browser, which costs as much to start as a short test of a page. */
const BROWSER_BATCH_MS = 90_000;
/** What a file is taken for that has not run here yet, in milliseconds. */
const UNKNOWN_MS = 1_000;
/** The same of a file that drives a browser. */
const UNKNOWN_BROWSER_MS = 20_000;

/**
 * Puts files of one folder together: loading what they import costs more than most of them take, and so
 * does a browser. Long ones stay alone; what takes longest comes first, so that none runs by itself at
 * the end.
 *
 * @param times What earlier runs took; without any, folders are divided by numbers of files alone.
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
    // A file that fills a process alone says nothing of how the others are divided.
    const full = members.filter((file) => msOf(file) >= batchMs);
    const rest = members.filter((file) => !full.includes(file));
    const parts = Math.max(rest.length / LARGEST_BATCH, sumOf(rest) / batchMs);
    return inParts(name, [...full.map((file) => [file]), ...divided(rest, parts, msOf)]);
  });
  const all = [...alone.map((file) => ({ name: file, files: [file] })), ...inBrowsers, ...shared];
  // Of files that never ran here, those that stay alone are the long ones: they are first already.
  return times.size === 0 ? all : all.toSorted((a, b) => sumOf(b.files) - sumOf(a.files));
}

/** How long a file takes. */
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
 * Divides files into parts that take about as long: each, the longest first, goes to the shortest part.
 *
 * @param parts How many at least; none where nothing takes time, and one then.
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
