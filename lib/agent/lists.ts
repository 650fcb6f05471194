/** A list as it is shown: never cut without saying so (CONTRACTS §2). */
export interface Cut<T> {
  readonly shown: readonly T[];
  readonly truncated: boolean;
}

/** The first `limit` of `items`. */
export function firstOf<T>(items: readonly T[], limit: number): Cut<T> {
  return { shown: items.slice(0, limit), truncated: items.length > limit };
}

/** The last `limit` of `items`, in their order. */
export function lastOf<T>(items: readonly T[], limit: number): Cut<T> {
  return { shown: limit === 0 ? [] : items.slice(-limit), truncated: items.length > limit };
}

/** How many items there are of each kind, in order of first appearance. */
export function countBy<T>(
  items: readonly T[],
  kindOf: (item: T) => string,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(kindOf(item), (counts.get(kindOf(item)) ?? 0) + 1);
  return Object.fromEntries(counts);
}
