import { compareCodeUnits } from "../../core/json.ts";

/** Candidates that an ambiguous beginning of a guid shows. */
const SHOWN = 5;

/** Entries that begin with a given text. */
export interface Candidates<T> {
  /** All of them. */
  readonly count: number;
  /** At most five, ordered by guid. */
  readonly first: readonly T[];
}

/**
 * Finds things by a key of their own and by beginnings of their guids. The first question of a kind is
 * answered by a walk; who asks again has an index, so that many questions do not cost a walk each.
 */
export class GuidIndex<T extends { readonly guid: string }, Key> {
  readonly items: readonly T[];
  readonly #keyOf: (item: T) => Key;
  #keys = 0;
  #beginnings = 0;
  #byKey: Map<Key, T> | null = null;
  #sorted: readonly (readonly [string, T])[] | null = null;

  /** @param items Not to be changed while this is asked. */
  constructor(items: readonly T[], keyOf: (item: T) => Key) {
    this.items = items;
    this.#keyOf = keyOf;
  }

  /** The one with this key. */
  byKey(key: Key): T | undefined {
    if (this.#keys++ === 0) return this.items.find((item) => this.#keyOf(item) === key);
    this.#byKey ??= new Map(this.items.map((item) => [this.#keyOf(item), item]));
    return this.#byKey.get(key);
  }

  /** Those whose guid begins so. */
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

  /** The first place whose guid passes; all after it do. */
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
