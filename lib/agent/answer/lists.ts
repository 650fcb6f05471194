/** The shown part of a list, and whether it was cut (BUDGET-6). */
export interface Cut<T> {
  readonly shown: readonly T[];
  readonly truncated: boolean;
}

/** The first `limit` of `items`. */
export function firstOf<T>(items: readonly T[], limit: number): Cut<T> {
  return { shown: items.slice(0, limit), truncated: items.length > limit };
}

/** The part of a list to return. */
export interface PageRequest {
  readonly limit: number;
  /** Entries to skip, which the caller already has: the `next` of a cut answer. */
  readonly after?: number | undefined;
}

/** A part of a list, and the members of the answer that mark it as cut (BUDGET-6). */
export interface Page<T> {
  readonly shown: readonly T[];
  /** `next` is the value of `after=` that continues the list. */
  readonly cut: { readonly truncated: boolean; readonly next?: number };
}

/** Returns the first `limit` of `items` after the skipped ones. */
export function pageOf<T>(items: readonly T[], { limit, after = 0 }: PageRequest): Page<T> {
  const next = after + limit;
  return { shown: items.slice(after, next), cut: cutAt(next, items.length) };
}

/** Returns the last `limit` of `items` before the skipped ones, in their order. */
export function lastPageOf<T>(items: readonly T[], { limit, after = 0 }: PageRequest): Page<T> {
  const end = Math.max(0, items.length - after);
  const shown = items.slice(Math.max(0, end - limit), end);
  return { shown, cut: cutAt(after + limit, items.length) };
}

function cutAt(next: number, total: number): Page<never>["cut"] {
  return next < total ? { truncated: true, next } : { truncated: false };
}

/** Counts items by kind, in order of first appearance. */
export function countBy<T>(
  items: readonly T[],
  kindOf: (item: T) => string,
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(kindOf(item), (counts.get(kindOf(item)) ?? 0) + 1);
  return Object.fromEntries(counts);
}
