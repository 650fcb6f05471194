import type { Work } from "../../core/cooperative.ts";

/** Items that are made before others get their turn. */
const ITEMS_AT_ONCE = 256;

/** `map()`, as work that can be interrupted. */
export function* each<Item, Made>(
  items: readonly Item[],
  make: (item: Item, index: number) => Made,
): Work<readonly Made[]> {
  const made: Made[] = [];
  for (const [index, item] of items.entries()) {
    if (index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) yield;
    made.push(make(item, index));
  }
  return made;
}
