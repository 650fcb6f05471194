/** How many single-letter edits turn `a` into `b` (Levenshtein). */
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
 * The known names most like `name`, best first: for errors that answer a typo.
 *
 * @param count At most so many; names that share too little are left out.
 */
export function nearestNames(name: string, known: readonly string[], count = 3): string[] {
  const wanted = name.toLowerCase().slice(0, 100);
  return known
    .map((candidate) => {
      const lower = candidate.toLowerCase();
      if (lower === wanted) return { candidate, distance: 0 };
      const contained = lower.includes(wanted) || wanted.includes(lower);
      return { candidate, distance: contained ? 0.5 : editDistance(wanted, lower) };
    })
    .filter(({ candidate, distance }) => distance <= Math.max(2, candidate.length / 2.5))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}
