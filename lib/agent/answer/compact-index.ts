import { eachOf, type Work } from "../../core/cooperative.ts";
import type { Entity } from "../../editor/ports/mod.ts";

/** Minimum digits of a guid that answers show and that callers may give. */
const MIN_DIGITS = 4;

/** Format of a {@linkcode compactGroups} row, included in every compact index. */
export const COMPACT_ROW = "id guid parentId name; the guid is an unambiguous prefix";

/** Entities of one layer with the same traits. */
export interface CompactGroup {
  readonly layer: string;
  readonly traits: readonly string[];
  /** `id guid parentId name`; the name extends to the end of the row. */
  readonly entities: readonly string[];
}

/**
 * Makes an index that costs a third of the specified one: values that many entities share are
 * listed once, and each guid is cut to its shortest unambiguous prefix. Every tool that takes a
 * guid also takes such a prefix.
 *
 * @param shown The entities to list.
 * @param all All entities of the scene, among which the prefixes are unambiguous.
 */
export function* compactGroups(
  shown: readonly Entity[],
  all: readonly Entity[],
): Work<readonly CompactGroup[]> {
  const prefixes = yield* guidPrefixes(shown, all);
  const groups = new Map<string, { layer: string; traits: string[]; entities: string[] }>();
  yield* eachOf(shown, ({ id, guid, name, parentId, layer, traits }) => {
    const names = Object.keys(traits);
    const key = JSON.stringify([layer, ...names.toSorted()]);
    let group = groups.get(key);
    if (group === undefined) {
      group = { layer, traits: names, entities: [] };
      groups.set(key, group);
    }
    group.entities.push(`${id} ${prefixes.get(guid) ?? guid} ${parentId} ${name}`);
  });
  return [...groups.values()];
}

/**
 * Returns the shortest prefix of each shown guid, of at least 4 digits, that no other guid shares.
 * A prefix stays valid until an entity with the same prefix is added; it is then refused as
 * ambiguous.
 */
export function* guidPrefixes(
  shown: readonly Pick<Entity, "guid">[],
  all: readonly Pick<Entity, "guid">[],
): Work<ReadonlyMap<string, string>> {
  const sorted = shown.map(({ guid }) => guid).sort();
  yield;
  /** Leading digits that each guid, by its index, shares with another one. */
  const shared = new Uint32Array(sorted.length);
  const compare = (place: number, guid: string) => {
    const one = sorted[place];
    if (one === undefined) return;
    shared[place] = Math.max(shared[place] ?? 0, sharedLength(one, guid));
  };
  // In sorted order, no guid shares a longer prefix than a direct neighbour.
  yield* eachOf(all, ({ guid }) => {
    const place = firstNotBelow(sorted, guid);
    compare(place - 1, guid);
    compare(sorted[place] === guid ? place + 1 : place, guid);
  });
  const prefixes = new Map<string, string>();
  yield* eachOf(sorted.entries(), ([place, guid]) => {
    let length = Math.max(MIN_DIGITS, (shared[place] ?? 0) + 1);
    if (guid[length - 1] === "-") length++; // a dash does not distinguish guids
    prefixes.set(guid, guid.slice(0, length));
  });
  return prefixes;
}

/** Returns the first index in sorted texts whose text is not below `text`. */
function firstNotBelow(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
