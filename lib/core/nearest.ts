/** Known names that are looked at: a list from outside may have a million. */
const MAX_KNOWN = 10_000;
/** The number of names that are compared letter by letter. */
const MAX_COMPARED = 1_000;
/** Characters of a name that are looked at. */
const MAX_LENGTH = 100;

/** Counts the single-letter edits that turn `a` into `b` (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/**
 * Finds the known names most similar to `name`, best first, for errors that answer a typo. The work
 * is bounded: only the first of very many names are compared, and only the beginnings of very long
 * ones.
 *
 * @param count The most names; dissimilar ones are omitted.
 */
export function nearestNames(name: string, known: readonly string[], count = 3): string[] {
  const lowerName = name.slice(0, MAX_LENGTH).toLowerCase();
  let compared = 0;
  return known
    .slice(0, MAX_KNOWN)
    .map((candidate) => {
      const lower = candidate.slice(0, MAX_LENGTH).toLowerCase();
      if (lower === lowerName) return { candidate, distance: 0 };
      if (lower.includes(lowerName) || lowerName.includes(lower)) {
        return { candidate, distance: 0.5 };
      }
      const most = Math.max(2, lower.length / 2.5);
      // Every letter more or less is one edit at least.
      const isFar = Math.abs(lower.length - lowerName.length) > most || ++compared > MAX_COMPARED;
      const distance = isFar ? Infinity : editDistance(lowerName, lower);
      return { candidate, distance: distance <= most ? distance : Infinity };
    })
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** Suggests the next step after an unknown name: the nearest known ones, else `otherwise`. */
export function didYouMean(name: string, known: readonly string[], otherwise: string): string {
  const near = nearestNames(name, known);
  return near.length > 0 ? `Did you mean ${near.join(" or ")}?` : otherwise;
}
