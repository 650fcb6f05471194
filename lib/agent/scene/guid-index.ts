import { compareCodeUnits } from "../../core/json.ts";

/** Maximum candidates for an ambiguous guid prefix. */
const SHOWN = 5;

/** Entries that begin with a given text. */
export interface Candidates<T> {
  /** All of them. */
  readonly count: number;
  /** At most five, ordered by guid. */
  readonly first: readonly T[];
}

/**
 * Finds things by a key of their own and by prefixes of their guids. The first lookup of a kind
 * scans the items; the second one builds an index, so that many lookups do not cost a scan each.
 */
export class GuidIndex<T extends { readonly guid: string }, Key> {
  readonly items: readonly T[];
  readonly #keyOf: (item: T) => Key;
  #keys = 0;
  #beginnings = 0;
  #byKey: Map<Key, T> | null = null;
  #sorted: readonly (readonly [string, T])[] | null = null;

  /** @param items Must not change while the index is in use. */
  constructor(items: readonly T[], keyOf: (item: T) => Key) {
    this.items = items;
    this.#keyOf = keyOf;
  }

  /** Returns the item with this key. */
  byKey(key: Key): T | undefined {
    if (this.#keys++ === 0) return this.items.find((item) => this.#keyOf(item) === key);
    this.#byKey ??= new Map(this.items.map((item) => [this.#keyOf(item), item]));
    return this.#byKey.get(key);
  }

  /** Returns the items whose guid starts with `beginning`. */
  starting(beginning: string): Candidates<T> {
    if (this.#beginnings++ === 0) {
      const found = pairs(this.items.filter(({ guid }) => guid.startsWith(beginning)));
      return { count: found.length, first: found.slice(0, SHOWN).map(([, item]) => item) };
    }
    this.#sorted ??= pairs(this.items);
    const from = this.#firstFrom((guid) => guid >= beginning);
    const end = this.#firstFrom((guid) => guid > beginning && !guid.startsWith(beginning));
    const first = this.#sorted.slice(from, Math.min(end, from + SHOWN)).map(([, item]) => item);
    return { count: end - from, first };
  }

  /** Returns the first index whose guid passes; every later guid has to pass, too. */
  #firstFrom(passes: (guid: string) => boolean): number {
    const sorted = this.#sorted ?? [];
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (passes(sorted[middle]?.[0] ?? "")) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function pairs<T extends { readonly guid: string }>(
  items: readonly T[],
): readonly (readonly [string, T])[] {
  return items.map((item) => [item.guid, item] as const)
    .sort(([a], [b]) => compareCodeUnits(a, b));
}
