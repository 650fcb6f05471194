/**
 * Compares versions of numbers (`8.14.3`, `9.0-rc-1`): missing numbers are 0, and a version with a suffix is
 * older than the one without.
 *
 * @returns Below 0 if `a` is older, above 0 if it is newer.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(b.includes("-")) - Number(a.includes("-"));
}

/** Whether version `a` is older than `b`. */
export function isOlder(a: string, b: string): boolean {
  return compareVersions(a, b) < 0;
}

function numbersOf(version: string): readonly number[] {
  return (version.split("-")[0] ?? "").split(".").map(Number);
}

/** The major version of a JDK: 8 for `1.8.0_402`. */
export function javaMajorOf(version: string): number | null {
  const found = /^(?:1\.)?(\d{1,3})(?!\d)/.exec(version)?.[1];
  return found === undefined ? null : Number(found);
}
