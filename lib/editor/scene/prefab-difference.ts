import { eachOf, type Work } from "../../core/cooperative.ts";
import { compareCodeUnits } from "../../core/json.ts";
import type { PrefabDifference } from "../ports/mod.ts";
import { flattened, type PrefabNode } from "../../game/scene/mod.ts";

/** Counts the differences between two contents of a prefab. */
export function* prefabDifference(before: PrefabNode, after: PrefabNode): Work<PrefabDifference> {
  const old = yield* byPlace(before);
  const now = yield* byPlace(after);
  let [added, changed] = [0, 0];
  yield* eachOf(now, ([place, content]) => {
    const was = old.get(place);
    if (was === undefined) added++;
    else if (was !== content) changed++;
  });
  const removed = [...old.keys()].filter((place) => !now.has(place)).length;
  return { added, removed, changed };
}

/** The content of each node, by the names from the root on; siblings of one name are counted. */
function* byPlace(root: PrefabNode): Work<ReadonlyMap<string, string>> {
  const places: string[] = [];
  const counts = new Map<string, number>();
  const found = new Map<string, string>();
  yield* eachOf(yield* flattened(root), ({ node: { name, layer, traits }, parent }) => {
    const named = `${parent === null ? "" : places[parent] ?? ""}\0${name}`;
    const count = (counts.get(named) ?? 0) + 1;
    counts.set(named, count);
    const place = `${named}\0${count}`;
    places.push(place);
    const values = sorted(traits).map(([trait, fields]) => [trait, sorted(fields)]);
    found.set(place, JSON.stringify([layer, values]));
  });
  return found;
}

function sorted<T>(members: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(members).toSorted(([a], [b]) => compareCodeUnits(a, b));
}
